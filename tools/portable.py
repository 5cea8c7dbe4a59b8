"""Try the tests and the lessons as other machines would run them, and print what passed where.

usage: python tools/portable.py [CORNER...] [-- what pytest is told]

`list` names the corners; without a name all are run, one after the other. Environments are made in .venv-portable,
one for each set of versions, and used again until settings.ini changes; what a corner printed is in its .log there.
"""
from hashlib import sha256
from pathlib import Path
from time import perf_counter
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pyodide_tests

ROOT = Path(__file__).parent.parent
PLACE = ROOT / ".venv-portable"
SHARED = Path(os.environ.get("GECNB_SHARED", ROOT.parent / "shared")).resolve()
EXTRA = "test"
PYTHONS = ["3.14", "3.13", "3.12", "3.11", "3.10"]
TOLD = ["-n", "auto", "--ignore=tests/site", "--ignore=tests/house"] # no machine changes pages, types and sizes

# Versions: name -> (Python, or None for the newest found here; what pip may not exceed)
VERSIONS = {
    "oldest": ("3.10", ["numpy==1.24.*", "matplotlib==3.8.*", "scipy==1.11.*", "pyarrow==15.*", "narwhals==1.20.*"]),
    "3.11": ("3.11", ["numpy==2.4.*"]),
    "3.12": ("3.12", []),
    "newest": (None, []),
}

# Machines: name -> environment variables; OFF are the features of the processor that NumPy leaves unused. They have the newest
# versions, but those of older processors the NumPy before 2.5, whose OpenBLAS crashes where it is told to be on another one:
# OPENBLAS_CORETYPE=Haswell python -c "import numpy as np; np.ones((500, 500)) @ np.ones((500, 500))"
MACHINES = {
    "no-avx512": {"OFF": "AVX512|X86_V4", "OPENBLAS_CORETYPE": "Haswell"},
    "no-avx2": {"OFF": ".", "OPENBLAS_CORETYPE": "Nehalem"},
    "prescott": {"OFF": ".", "OPENBLAS_CORETYPE": "Prescott"},
    "one-thread": {"OPENBLAS_NUM_THREADS": "1"},
    "many-threads": {"OPENBLAS_NUM_THREADS": "16"},
    "plain-locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "no-home": {"HOME": "/dev/null/nowhere"}, # below a device nobody can write, not even root
    "blanks": {},                             # the project in a folder whose path has blanks
}
CORNERS = [*VERSIONS, *MACHINES, "pyodide"]
NOT_OURS = {"GECNB_DATA", "MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}


def interpreter(version):
    "Path of a Python of this version, None if there is none here"
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for path in filter(None, [sys.executable, shutil.which(f"python{version}"), *map(str, pyenv)]):
        says = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        if says.startswith(f"Python {version}."): return path
    return None


def environment(name):
    "Python of the environment with these versions, made where it is missing or settings.ini has changed; None without an interpreter"
    version, limits = VERSIONS[name]
    base = next(filter(None, map(interpreter, [version] if version else PYTHONS)), None)
    if base is None: return None
    folder = PLACE / name
    ready, python = folder / "ready", folder / "bin" / "python"
    stamp = sha256((ROOT / "settings.ini").read_bytes() + f"{base} {limits}".encode()).hexdigest()
    if not ready.exists() or ready.read_text() != stamp:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
        (folder / "limits.txt").write_text("\n".join(limits))
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "-c", folder / "limits.txt"]
        subprocess.run([*pip, "-e", f".[{EXTRA}]"], cwd=ROOT, check=True)
        ready.write_text(stamp)
    return python


ASK = """
import numpy as np, matplotlib, platform
try: from numpy._core._multiarray_umath import __cpu_dispatch__ as names, __cpu_features__ as has
except ImportError: from numpy.core._multiarray_umath import __cpu_dispatch__ as names, __cpu_features__ as has
print(platform.python_version(), np.__version__, matplotlib.__version__, *(n for n in names if has[n]))
"""


def machine(corner, python):
    "Environment variables of a corner, and its versions of Python, NumPy and Matplotlib"
    said = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=True).stdout.split()
    versions, features = said[:3], said[3:]
    ours = dict(MACHINES.get(corner, {}))
    off = ours.pop("OFF", None)
    if off: ours["NPY_DISABLE_CPU_FEATURES"] = " ".join(f for f in features if re.match(off, f))
    return ours, versions


def tried(corner, told):
    "Run a corner: (versions, seconds, the last line of pytest, what failed)"
    if corner == "pyodide": return pyodide_tests.tried(PLACE / corner, SHARED, told if told is not TOLD else None)
    made = corner if corner in VERSIONS else "3.11" if "OPENBLAS_CORETYPE" in MACHINES[corner] else "newest"
    python = environment(made)
    if python is None: return ("-", "-", "-"), 0, f"not run: no Python {VERSIONS[made][0]} here", []
    ours, versions = machine(corner, python)
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder, open(PLACE / f"{corner}.log", "w", encoding="utf-8") as log:
        root = ROOT
        if corner == "blanks": # as committed
            root = Path(folder) / "a copy of it"
            subprocess.run(["git", "clone", "-q", ROOT, root], check=True)
        variables = {k: v for k, v in os.environ.items() if k not in NOT_OURS}
        variables |= {"PYTHONPATH": str(root), "GECNB_SHARED": str(SHARED), **ours}
        pytest = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *told]
        subprocess.run(pytest, cwd=root, env=variables, stdout=log, stderr=log)
    lines = (PLACE / f"{corner}.log").read_text(encoding="utf-8", errors="replace").splitlines()
    result = next((x for x in reversed(lines) if re.search(r" in \d+\.\d+s", x)), "nothing ran")
    return versions, perf_counter() - start, result.strip("= "), [x for x in lines if x.startswith(("FAILED ", "ERROR"))]


def main():
    given, told = sys.argv[1:], TOLD
    if "--" in given: given, told = given[:given.index("--")], given[given.index("--") + 1:]
    if given == ["list"]: return print(*CORNERS)
    unknown = [c for c in given if c not in CORNERS]
    if unknown: sys.exit(f"no corner {unknown[0]}; there are {', '.join(CORNERS)}")
    PLACE.mkdir(exist_ok=True)
    row, passed = "{:13} {:8} {:7} {:11} {:>5}  {}".format, True
    print(row("corner", "Python", "NumPy", "Matplotlib", "s", "result"), flush=True)
    for corner in given or CORNERS:
        versions, seconds, result, failed = tried(corner, told)
        print(row(corner, *versions, f"{seconds:.0f}", result), *(f"    {x[:160]}" for x in failed), sep="\n", flush=True)
        passed &= not failed and ("passed" in result or result.startswith("not run"))
    sys.exit(not passed)


if __name__ == "__main__": main()
