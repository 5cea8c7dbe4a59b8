"Where things are: the project, its address, its lessons, and the folder of real corpora, if there is one"
from configparser import ConfigParser
from pathlib import Path
from tempfile import mkdtemp
import json
import os
import re

ROOT = Path(__file__).parent.parent
SETTINGS = ConfigParser(delimiters=["="])
SETTINGS.read(ROOT / "settings.ini", encoding="utf-8")
SETTINGS = SETTINGS["DEFAULT"]
SOURCE = f"{SETTINGS['git_url']}/blob/{SETTINGS['branch']}"
SITE = SETTINGS["doc_host"] + SETTINGS["doc_baseurl"]
SHARED = Path(os.environ.get("GECNB_SHARED", ROOT.parent / "shared"))

if not os.access(Path.home(), os.W_OK): # what Matplotlib and evaluate keep there goes to a folder for the day
    for name in "MPLCONFIGDIR", "HF_HOME": os.environ.setdefault(name, mkdtemp(prefix="gecnb-"))


def read(path): return path.read_text(encoding="utf-8")


def write(path, text): path.write_text(text, encoding="utf-8")


def cells_of(path):
    "The cells of a notebook, the source of each as one text"
    return [cell | {"source": "".join(cell["source"])} for cell in json.loads(read(path))["cells"]]


def prose_of(name):
    "What a lesson says beside its code; its name is a path below nbs, without the ending"
    cells = cells_of(ROOT / f"nbs/{name}.ipynb")
    return "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")


def corpora(named="conll14"):
    "Folder of the real corpora that has these, or None; GMEG is beside the others"
    folders = [os.environ.get("GECNB_DATA", ""), SHARED / "data", SHARED]
    return next((Path(folder) for folder in folders if folder and Path(folder, named).is_dir()), None)


def needs_corpora(path):
    "Which real corpora this notebook reads, or None"
    text = path.read_text(encoding="utf-8")
    if '"#| corpora' not in text: return None
    return "conll14" if "find_source" in text else "gmeg"


def notebooks():
    "All lessons, in reading order"
    hidden = lambda path: any(part.startswith((".", "_")) for part in path.relative_to(ROOT).parts)
    return sorted(path for path in (ROOT / "nbs").rglob("*.ipynb") if not hidden(path))


def page_of(lesson):
    "The address of a lesson's page below the root of the site: its folder and its name, without the number"
    return re.sub(r"(^|/)\d\d_", r"\1", lesson.relative_to(ROOT / "nbs").with_suffix(".html").as_posix())
