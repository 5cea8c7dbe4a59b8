"""The tests in the Python of the pages, in Node: Python 3.14, with indices of 32 bits, without processes and threads.

`tried` is the corner `pyodide` of tools/portable.py.
"""
from collections import Counter
from pathlib import Path
from time import perf_counter
import os
import re
import shutil
import subprocess
import sys

import live

ROOT = Path(__file__).parent.parent
PURE = ["--python-version", "3.14", "--platform", "any", "--implementation", "py", "--abi", "none", "--only-binary", ":all:"]
QUICK = ["-q", "-m", "not slow and not corpora"]
PARTS = [ # two processes side by side, each with its tests
    ["properties"],
    ["text", "engine", "aggregate", "signature", "gleu", "meteor", "lattice", "maxmatch", "i_measure", "errant",
     "resample", "judgments", "pays", "cleme", "edits", "attribution", "view", "exercises", "calls", "bad_calls"]]


def folders(place, shared):
    "Pyodide's files with our package, and pytest with Hypothesis; OSError or ValueError where the files are not to be had"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    if (shared / "live").is_dir(): os.environ.setdefault("GECNB_PYODIDE", str(shared / "live"))
    live.write_live(place / "live", "0")
    subprocess.run([sys.executable, "-m", "venv", place / "pip"], check=True)
    pip = [place / "pip/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--target", place / "packages", *PURE, "pytest>=8", "hypothesis>=6"], check=True)
    return place / "live", place / "packages"


def started(node, found, told, log):
    "A process that writes what pytest says"
    command = [node, ROOT / "tools/pyodide_tests.mjs", *found, ROOT, *told]
    with log.open("w", encoding="utf-8") as stream: return subprocess.Popen(command, stdout=stream, stderr=stream)


def summed(said):
    "The last lines of several runs of pytest as one"
    counts = Counter()
    for line in re.findall(r"^(.*) in \d+\.\d+s", said, re.MULTILINE):
        for many, what in re.findall(r"(\d+) (\w+)", line): counts[what] += int(many)
    return ", ".join(f"{many} {what}" for what, many in counts.items()) or "nothing ran"


def tried(place, shared, told=None):
    "(versions of Python, NumPy and Matplotlib, seconds, how many passed, what failed); logs beside `place`"
    absent, node = ("-", "-", "-"), shutil.which("node")
    if node is None: return absent, 0, "not run: no Node.js here", []
    try: found = folders(place, shared)
    except (OSError, ValueError) as error: return absent, 0, f"not run: {error}", []
    start = perf_counter()
    path = {p.stem.removeprefix("test_"): p.relative_to(ROOT).as_posix() for p in (ROOT / "tests").glob("*/test_*.py")}
    parts = [told] if told else [[*QUICK, *map(path.__getitem__, names)] for names in PARTS]
    logs = [place.parent / f"{place.name}-{k}.log" for k, _ in enumerate(parts, 1)]
    running = [started(node, found, part, log) for part, log in zip(parts, logs, strict=True)]
    failed = [f"ERROR {log.name}" for process, log in zip(running, logs, strict=True) if process.wait()]
    said = "\n".join(log.read_text(encoding="utf-8", errors="replace") for log in logs)
    versions = re.search(r"^Python (\S+), NumPy (\S+),", said, re.MULTILINE)
    failed += [line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return (*versions.groups(), "-") if versions else absent, perf_counter() - start, summed(said), failed
