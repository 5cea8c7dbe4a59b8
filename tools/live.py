"Python in the pages of the site: the files of Pyodide, our own wheel, and which cells of a lesson can run there"
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.request import urlopen
import ast
import base64
import json
import os
import re
import shutil
import symtable
import sys
import zipfile

from places import ROOT, SETTINGS, notebooks, page_of

# ---- the files: Pyodide as npm has it, NumPy as its release has it, the package as it stands here

VERSION, PYTHON, ABI = "314.0.3", "3.14.0", "2026_0"
CORE, RELEASE = f"https://cdn.jsdelivr.net/npm/pyodide@{VERSION}/", f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
NUMPY, NUMPY_VERSION = "numpy-2.4.3-cp314-cp314-pyemscripten_2026_0_wasm32.whl", "2.4.3"
FILES = {
    "pyodide.asm.mjs": "1a9775427ef6e8abaa7db88ece0515422d1886915ae5c9093776410c865dfd8d",
    "pyodide.asm.wasm": "e7f8fac36f8bf11085309cbc5c829b3ec3057c18bf1d73b05a6741612d63cdbf",
    "pyodide.mjs": "5cfc46f5dcbaf2a16f26e2363f441873eb424762609cc03db00d6a2ace4d00e5",
    "python_stdlib.zip": "444c770dfd75a32097fc0a7d5c1413fd3140601f49c3a1f2e9af0376fcd124b4",
    NUMPY: "0cad9c1b91f0082e4f959bc0e0bf5835a2efbba6ab3b1e9d1fe6e7e564cca98e",
}


def pyodide_files():
    "Paths of Pyodide's files: from the folder GECNB_PYODIDE, else downloaded once; raises OSError or ValueError where they are not to be had"
    folder = os.environ.get("GECNB_PYODIDE")
    if folder:
        paths = [Path(folder) / name for name in FILES]
        for path in paths:
            if sha256(path.read_bytes()).hexdigest() != FILES[path.name]: raise ValueError(f"{path} is not the file of Pyodide {VERSION}")
        return paths
    place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gecmetrics_nb" / f"pyodide-{VERSION}"
    place.mkdir(parents=True, exist_ok=True)
    for name, known in FILES.items():
        if (place / name).exists(): continue
        with urlopen((RELEASE if name == NUMPY else CORE) + name, timeout=60) as answer: data = answer.read()
        if sha256(data).hexdigest() != known: raise ValueError(f"{name} is not the file of Pyodide {VERSION}")
        (place / name).write_bytes(data)
    return [place / name for name in FILES]


def write_wheel(package, version, folder):
    "The package as a wheel, the same bytes each time; returns its path"
    name = package.name
    info = f"{name}-{version}.dist-info"
    files = {p.relative_to(package.parent).as_posix(): p.read_bytes() for p in sorted(package.rglob("*"))
             if (p.suffix in (".py", ".npz", ".tsv", ".html") or p.name == "py.typed" or p.parent.name == "example") and p.parent.name != "lessons"}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: numpy\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: tools/live.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    digest = lambda data: base64.urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
    rows = [f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items()]
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, data in files.items(): archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED) # dated 1980
    return wheel


def package_entry(name, version, wheel, depends):
    "What Pyodide's lock file says of a package"
    return {"name": name, "version": version, "file_name": wheel.name, "sha256": sha256(wheel.read_bytes()).hexdigest(), "install_dir": "site",
            "package_type": "package", "imports": [name.replace("-", "_")], "depends": depends, "unvendored_tests": False}


def write_live(folder, version):
    "The folder that a page's Python is loaded from"
    paths = pyodide_files() # all of them, before anything is written
    folder.mkdir(exist_ok=True)
    for path in paths: shutil.copyfile(path, folder / path.name)
    wheel = write_wheel(ROOT / "gecmetrics_nb", version, folder)
    packages = {"numpy": package_entry("numpy", NUMPY_VERSION, folder / NUMPY, []),
                "gecmetrics-nb": package_entry("gecmetrics-nb", version, wheel, ["numpy"])}
    info = {"abi_version": ABI, "arch": "wasm32", "platform": "emscripten_5_0_3", "python": PYTHON, "version": VERSION}
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": info, "packages": packages}, indent=1), encoding="utf-8")


# ---- the cells: what a page lacks, and which cells need it

LACKS = {"multiprocessing", "subprocess", "resource", # no process beside the one
         "gecmetrics_nb.viz.plot", "gecmetrics_nb.lessons", "gecmetrics_nb.adapters", "gecmetrics_nb.cli.jobs", # they need packages, or processes
         "time", "timeit"} # a time measured in a page says nothing of the program
NEEDS = re.compile(r'find_source\("text"\)|stems=True|\bstems in |\b(try_settings|identify)(\(| -)|narwhals') # corpora, NLTK, data frames
HAS = set(sys.stdlib_module_names) | {"numpy", "gecmetrics_nb"}
SLOW = {"c472aa20", "46abaff8", "cfbeb639", "promis02"} # hundreds of resamples or trials: half a minute in a page; what follows is left out, too
STATIC = ( # files, commands, batches, minutes of resampling, memory of 64 bits
    "adapters/", "cli/", "reproduce/", "studies/", "about/02_", "about/06_", "core/05_", "core/12_",
    "corpora/", "io/02_", "io/04_", "stats/05_", "viz/02_")


def lacking(module):
    "Is this module none that a page can load?"
    parts = module.split(".")
    return parts[0] not in HAS or any(".".join(parts[:n]) in LACKS for n in range(1, len(parts) + 1))


def lost(node):
    "Aliases of an import statement that a page cannot have"
    if isinstance(node, ast.ImportFrom): return [a for a in node.names if lacking(node.module) or lacking(f"{node.module}.{a.name}")]
    return [a for a in node.names if lacking(a.name)]


def without_lost(source, tree):
    "The source without imports that a page cannot have, line for line; the names they would bind"
    lines, names = source.split("\n"), set()
    for node in tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or not (gone := lost(node)): continue
        names |= {(a.asname or a.name).split(".")[0] for a in gone}
        kept = [a for a in node.names if a not in gone]
        text = ""
        if kept: text = ast.unparse(ast.ImportFrom(node.module, kept, node.level) if isinstance(node, ast.ImportFrom) else ast.Import(kept))
        lines[node.lineno - 1:node.end_lineno] = [text] + [""] * (node.end_lineno - node.lineno)
    return "\n".join(lines), names


def global_names(source):
    "Global names that a cell reads, those among them that its functions read, and those that it binds"
    top = symtable.symtable(source, "cell", "exec")
    binds = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    later, inner = set(), list(top.get_children())
    while inner:
        table = inner.pop()
        inner += table.get_children()
        later |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and s.is_global()}
    return later | {s.get_name() for s in top.get_symbols() if s.is_referenced()}, later, binds


def reached(names, uses):
    "These names, and what the functions behind them read"
    found, new = set(), set(names)
    while new:
        found |= new
        new = {other for name in new for other in uses.get(name, ())} - found
    return found


def is_picture(cell):
    "Does the cell show something that is no text, table or HTML of ours?"
    kinds = {kind for output in cell.get("outputs", []) for kind in output.get("data", {})}
    return any(kind.startswith("image/") or "widget" in kind for kind in kinds)


def live_cells(cells):
    "Of all code cells in order: {source, live, run, imports}; `run` is the source without what a page lacks, where that differs"
    missing, uses, made = set(), {}, []
    for cell in cells:
        source = "".join(cell["source"])
        one = {"source": source, "live": False}
        made.append(one)
        try: tree = ast.parse(source)
        except SyntaxError: continue # magics
        run, gone = without_lost(source, tree)
        try: reads, later, binds = global_names(run)
        except SyntaxError: continue # two statements in a line, one of them lost
        hidden = any(lost(n) for n in ast.walk(ast.parse(run)) if isinstance(n, (ast.Import, ast.ImportFrom)))
        lacks = reads & gone or reached(reads - binds, uses) & (missing - binds) or NEEDS.search(source)
        one["live"] = not (is_picture(cell) or hidden or lacks or cell.get("id") in SLOW)
        uses |= dict.fromkeys(binds, later)
        if all(isinstance(n, (ast.Import, ast.ImportFrom)) for n in tree.body): one["imports"] = True # it runs, and needs no button
        if one["live"]: missing = missing - binds | gone
        else: missing |= binds | gone
        if not one["live"] and re.search(r"chdir\(|enter_folder\({?\w", source): return made + [{"source": "".join(c["source"]), "live": False} for c in cells[len(made):]] # its files are not there
        if one["live"] and run != source: one["run"] = run
    return made


def cells_of(lesson):
    "Live cells of a notebook; none where the lesson is not for a page"
    name = lesson.relative_to(ROOT / "nbs").as_posix()
    if name.startswith(STATIC): return []
    return live_cells([c for c in json.loads(lesson.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"])


# ---- the site

CODE = re.compile(r'\bcell-code\b[^>]*>(?:<div[^>]*>)?<pre[^>]*><code[^>]*>(.*?)</code>', re.DOTALL)


def placed(cells, page):
    "What a page is told of its cells: the place of the code that it shows itself, the source of the others that it runs"
    plain = lambda source: re.sub(r"^[ \t]*#[ \t]*\|.*\n?", "", source, flags=re.MULTILINE).strip()
    told = [{key: value for key, value in cell.items() if key != "source" or cell["live"]} for cell in cells]
    left = [(cell, plain(whole["source"])) for cell, whole in zip(told, cells, strict=True)]
    for cell in told:
        if seconds := re.search(r"^#\| seconds: (\d+)$", cell.get("source", ""), re.MULTILINE): cell["seconds"] = int(seconds[1])
    for place, code in enumerate(CODE.findall(page)):
        shown = plain(unescape(re.sub(r"<[^>]+>", "", code)))
        at = next((i for i, (_, source) in enumerate(left) if source == shown), None)
        if at is None: continue
        left[at][0]["place"] = place
        left[at][0].pop("source", None)
        left = left[at + 1:]
    return told


NO_RUN = '<p class="no-run">No cell of this page has <em>Run</em>: they read files, or compute for minutes. In Jupyter all of them run.</p>'


def add_cells(site):
    "Into each lesson's page, its cells; into one that has none that can run, why"
    for lesson in notebooks():
        page = site / page_of(lesson)
        if not page.exists(): continue # another was rendered alone
        text, cells = page.read_text(encoding="utf-8"), cells_of(lesson)
        if 'id="live-cells"' in text or NO_RUN in text: continue
        if not any(cell["live"] for cell in cells):
            if not CODE.search(text): continue
            page.write_text(text.replace("</main>", f"{NO_RUN}\n</main>"), encoding="utf-8")
            continue
        data = json.dumps(placed(cells, text), ensure_ascii=False).replace("<", "\\u003c")
        page.write_text(text.replace("</body>", f'<script type="application/json" id="live-cells">{data}</script>\n</body>'), encoding="utf-8")


def add_live(site, version):
    "Python for the pages of a site; what stands in the way, or nothing"
    try: write_live(site / "live", version)
    except Exception as error: # whatever the network answers, the site is as good as before
        return f"built without Run: {str(error).splitlines()[0][:120]}"
    add_cells(site)
    return ""


if __name__ == "__main__" and ".html" in os.environ["QUARTO_PROJECT_OUTPUT_FILES"]: # post-render of Quarto
    print(add_live(Path(os.environ["QUARTO_PROJECT_OUTPUT_DIR"]), SETTINGS["version"]))
