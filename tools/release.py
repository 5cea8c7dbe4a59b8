"""Build the source archive and the wheel in dist, check them, install each in a bare environment and use it there: make release-check

The wheel is built from the source archive, so that what is not in the archive is missed here and not by others.
"""
from pathlib import Path
from shutil import rmtree
from zipfile import ZipFile
import os
import re
import subprocess
import sys
import tempfile
import venv

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith("GECNB_")}

# What a user calls that needs an extra, run where nothing but NumPy is installed
CALLS = {
    "data": "from gecmetrics_nb.corpora import registry; registry._download(next(iter(registry.registry().values())), 'https://localhost', None)",
    "stem": "from gecmetrics_nb import METEOR; METEOR(stems=True).sentence_scores(sources=['a'], hypotheses=['b'], references=[['c']])",
    "plot": "from gecmetrics_nb.viz.plot import new_axes; new_axes(1, 1)",
    "human": "import numpy as np; from gecmetrics_nb.stats import human, trueskill; "
             "trueskill.trueskill_run(human.Judgments(('A', 'B'), np.array([[0, 1]]), np.array([[1, 2]]), np.arange(1), np.array(['j'])))",
    "frames": "from gecmetrics_nb.io.readers import column; open('t.parquet', 'wb').write(b'PAR1'); list(column('t.parquet:s'))",
    "ray": "from gecmetrics_nb import GREEN; from gecmetrics_nb.io.batch import score_dataset; score_dataset(None, GREEN())",
    "evaluate": "from gecmetrics_nb import GREEN; from gecmetrics_nb.adapters.huggingface import evaluate_metric; evaluate_metric(GREEN())",
    "torch": "from gecmetrics_nb import GREEN; from gecmetrics_nb.adapters.torchmetrics import torch_metric; torch_metric(GREEN())",
    "errant": "from gecmetrics_nb.alignment.edits import load_errant; load_errant()",
    "explore": "from gecmetrics_nb.viz.sentence import explore; explore()",
}
PACKAGE, FILE = 2_000_000, 1_000_000 # bytes: what a wheel, and a file in it, may have
HOUSE = {"docs", "test", "lessons", "adapters", "lab", "release", "verl"} # extras of those who work on it


def run(*command, fails=False, **given):
    "What a command prints, outputs and errors; it must succeed, or fail where that is asked for"
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT, **given)
    if (done.returncode != 0) != fails: raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with status {done.returncode}")
    return done.stdout


def check_sizes(wheel):
    "What is too large in a wheel, with its bytes; \"\" where nothing is"
    sizes = [(wheel.name, wheel.stat().st_size, PACKAGE)]
    sizes += [(item.filename, item.file_size, FILE) for item in ZipFile(wheel).infolist()]
    return "; ".join(f"{name} has {size:,} bytes, above {limit:,}" for name, size, limit in sizes if size > limit)


def build():
    "The two files in dist, with what they hold"
    rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    run(sys.executable, "-m", "twine", "check", "--strict", *DIST.iterdir())
    wheel, = DIST.glob("*.whl")
    archive, = DIST.glob("*.tar.gz")
    held = {name for name in ZipFile(wheel).namelist() if not name.partition("/")[0].endswith(".dist-info")}
    tracked = run("git", "ls-files", "gecmetrics_nb", ":!gecmetrics_nb/lessons", cwd=ROOT).split()
    if held != set(tracked): raise SystemExit(f"the wheel does not hold what git has: {sorted(held ^ set(tracked))}")
    too_large = check_sizes(wheel)
    if too_large: raise SystemExit(too_large)
    return wheel, archive


def extras(wheel):
    "The extras that the wheel offers to users"
    metadata = ZipFile(wheel).read(next(n for n in ZipFile(wheel).namelist() if n.endswith("/METADATA"))).decode()
    return set(re.findall(r"^Provides-Extra: (\S+)", metadata, re.MULTILINE)) - HOUSE


def use(package, folder):
    "Install this file alone, in a folder with nothing else, and do what a user does first"
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / "bin"
    python = programs / "python"
    run(python, "-m", "pip", "--disable-pip-version-check", "-q", "install", package)
    there = lambda *command, **given: run(*command, cwd=folder, **given)
    place = there(python, "-c", "import gecmetrics_nb; print(gecmetrics_nb.__file__)")
    if not place.startswith(str(folder)): raise SystemExit(f"imported from {place}")
    there(python, "-c", "import gecmetrics_nb; print([getattr(gecmetrics_nb, name) for name in gecmetrics_nb.__all__])")
    there(programs / "gecnb", "reproduce", "gleu-readme/corpus")
    summary = [line for line in there(programs / "gecnb", "reproduce").split("\n") if line.startswith("all: ")]
    version = there(programs / "gecnb", "--version").strip()
    if not package.name.startswith(version.replace(" ", "-")): raise SystemExit(f"{package.name} says that it is {version}")
    return python, summary[0]


def main():
    wheel, archive = build()
    offered = extras(wheel)
    if offered != set(CALLS): raise SystemExit(f"tools/release.py: no call tries, or the wheel does not offer: {sorted(offered ^ set(CALLS))}")
    for package in wheel, archive:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder).resolve()
            python, summary = use(package, folder)
            print(f"{package.name}: {package.stat().st_size // 1024} KiB, {summary}", flush=True)
            if package is archive: continue
            for extra, call in CALLS.items():
                said = run(python, "-c", call, fails=True, cwd=folder).strip().split("\n")[-1]
                if f"gecmetrics_nb[{extra}]" not in said: raise SystemExit(f"without the extra {extra}: {said}")
                print(f"  without {extra}: {said}")


if __name__ == "__main__": main()
