"""Try the tests and the lessons as other machines would run them, and print what passed where.

usage: python tools/portable.py [CORNER...]      `list` names the corners; without any all are run, one after the other

Environments are made in .venv-portable, one a set of versions, and used again until settings.ini changes.
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

ROOT = Path(__file__).parent.parent
PLACE = ROOT / ".venv-portable"
SHARED = Path(os.environ.get("GECNB_SHARED", ROOT.parent / "shared")).resolve()
EXTRA = "test"
PYTHONS = ["3.13", "3.12", "3.11", "3.10"]

# Versions: name -> (Python, what pip may not exceed). "newest" is the newest Python found here with the newest of everything.
VERSIONS = {
    "oldest": ("3.10", ["numpy==1.24.*", "matplotlib==3.8.*", "scipy==1.11.*"]),
    "3.11": ("3.11", []),
    "3.12": ("3.12", []),
    "newest": (None, []),
}

# Machines: name -> environment variables; NumPy's own names of what is switched off are asked of it
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
CORNERS = [*VERSIONS, *MACHINES]
OURS = ("GECNB_DATA", "MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PYTHONPATH")


def interpreter(version):
    "Path of a Python of this version, None if there is none here"
    found = [shutil.which(f"python{version}"), *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python")), reverse=True)]
    for path in [sys.executable, *filter(None, found)]:
        done = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
        if done.stdout.strip() == version: return path
    return None


def environment(name):
    "Python of the environment of these versions, made where it is missing or settings.ini is another; None without its interpreter"
    version, limits = VERSIONS[name]
    base = next(filter(None, map(interpreter, [version] if version else PYTHONS)), None)
    if base is None: return None
    folder, stamp = PLACE / name, sha256((ROOT / "settings.ini").read_bytes() + repr((base, limits)).encode()).hexdigest()
    ready = folder / "ready"
    if not ready.exists() or ready.read_text() != stamp:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
        (folder / "limits.txt").write_text("\n".join(limits) + "\n")
        subprocess.run([folder / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install",
                        "-c", folder / "limits.txt", "-e", f".[{EXTRA}]"], cwd=ROOT, check=True)
        ready.write_text(stamp)
    return folder / "bin/python"


ASK = """
import numpy as np, matplotlib, platform
try: from numpy._core._multiarray_umath import __cpu_dispatch__ as names, __cpu_features__ as has
except ImportError: from numpy.core._multiarray_umath import __cpu_dispatch__ as names, __cpu_features__ as has
print(platform.python_version(), np.__version__, matplotlib.__version__, *(n for n in names if has[n]))
"""


def machine(corner, python):
    "Environment variables of a corner, and the versions that it has"
    python_version, numpy_version, matplotlib_version, *features = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=True).stdout.split()
    ours = dict(MACHINES.get(corner, {}))
    off = ours.pop("OFF", None)
    if off: ours["NPY_DISABLE_CPU_FEATURES"] = " ".join(f for f in features if re.match(off, f))
    return ours, (python_version, numpy_version, matplotlib_version)


def tried(corner):
    "Run a corner; (what was found, seconds, versions, names of what failed)"
    python = environment(corner if corner in VERSIONS else "newest")
    if python is None: return "no such Python here", 0, ("", "", ""), []
    ours, versions = machine(corner, python)
    start = perf_counter()
    with tempfile.TemporaryDirectory(prefix="gecnb portable ") as folder:
        root = ROOT
        if corner == "blanks":
            root = Path(folder) / "a copy"
            subprocess.run(["git", "clone", "-q", ROOT, root], check=True)
        variables = {k: v for k, v in os.environ.items() if k not in OURS} | {"PYTHONPATH": str(root), "GECNB_SHARED": str(SHARED)} | ours
        with open(PLACE / f"{corner}.log", "w", encoding="utf-8") as log:
            subprocess.run([python, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"], cwd=root, env=variables, stdout=log, stderr=log)
    lines = (PLACE / f"{corner}.log").read_text(encoding="utf-8").splitlines()
    failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return lines[-1].strip("= ") if lines else "nothing ran", perf_counter() - start, versions, failed


def main():
    corners = sys.argv[1:] or CORNERS
    if corners == ["list"]: return print(*CORNERS)
    unknown = [c for c in corners if c not in CORNERS]
    if unknown: sys.exit(f"no corner {unknown[0]}; there are {', '.join(CORNERS)}")
    PLACE.mkdir(exist_ok=True)
    row = "{:13} {:8} {:7} {:11} {:>5}  {}".format
    print(row("corner", "Python", "NumPy", "Matplotlib", "s", "result"), flush=True)
    worst = 0
    for corner in corners:
        result, seconds, versions, failed = tried(corner)
        print(row(corner, *versions, f"{seconds:.0f}", result), *(f"    {line[:180]}" for line in failed), sep="\n", flush=True)
        worst |= bool(failed) or "passed" not in result and bool(versions[0])
    sys.exit(worst)


if __name__ == "__main__": main()
