"""The tests as other machines would run them, and a release as users get it: sessions of nox

`make portable` runs all corners, `make portable CORNERS="oldest no-avx2"` two; `make release-check` the release. Environments
are in .venv-portable, one for each set of versions, and used again. A corner whose Python is not here is skipped.
What follows `--` is told to pytest: nox -s oldest -- tests/core
"""
from pathlib import Path
from zipfile import ZipFile
import os
import re
import shutil
import subprocess
import sys

import nox

ROOT = Path(__file__).parent
SHARED = Path(os.environ.get("GECNB_SHARED", ROOT.parent / "shared")).resolve()
PYENV = map(str, Path.home().glob(".pyenv/versions/3.1*/bin"))
os.environ["PATH"] = os.pathsep.join([*PYENV, os.environ["PATH"]]) # its own commands find one version alone
nox.options.envdir, nox.options.default_venv_backend = ".venv-portable/sessions", "uv|venv"
nox.options.reuse_venv, nox.options.error_on_missing_interpreters, nox.options.download_python = "yes", False, "never"

HERE = ["GECNB_DATA", "MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] # not set there
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
TESTS = ["-n", "auto", "--ignore=tests/site", "--ignore=tests/house"] # no machine changes pages, types and sizes


# ---- Versions, and machines that have one of them

NEWEST = next((f"3.{minor}" for minor in range(14, 10, -1) if shutil.which(f"python3.{minor}")), "3.10")
VERSIONS = { # name: Python, and what pip is told
    "oldest": ("3.10", ["-c", ".github/oldest.txt"]),
    "3.11": ("3.11", ["numpy==2.4.*"]),
    "3.12": ("3.12", []),
    "newest": (NEWEST, []),
}
PYTHONS: dict[str, str] = {} # name: program of the environment, when it is made

# Machines: environment variables; OFF are the features of the processor that NumPy leaves unused. They have the newest
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
ASK = """
import numpy as np, matplotlib, platform, sys
try: from numpy._core._multiarray_umath import __cpu_dispatch__ as names, __cpu_features__ as has
except ImportError: from numpy.core._multiarray_umath import __cpu_dispatch__ as names, __cpu_features__ as has
versions = np.__version__, "Matplotlib", matplotlib.__version__
print("Python", platform.python_version(), "NumPy", *versions, file=sys.stderr)
print(*(n for n in names if has[n]))
"""


def packages(name, version, limits):
    "A session that makes an environment"
    @nox.session(name=f"packages-{name}", python=version)
    def made(session):
        session.install("-e", ".[test]", *limits)
        PYTHONS[name] = f"{session.bin}/python"


def corner(name, of, OFF=None, **variables):
    "A session that runs the tests in one of the environments"
    @nox.session(name=name, venv_backend="none", requires=[f"packages-{of}"])
    def run(session):
        if of not in PYTHONS: session.skip(f"no Python {VERSIONS[of][0]} here")
        ask = subprocess.run([PYTHONS[of], "-c", ASK], stdout=subprocess.PIPE, text=True, check=True)
        if OFF: variables["NPY_DISABLE_CPU_FEATURES"] = " ".join(f for f in ask.stdout.split() if re.match(OFF, f))
        if name == "blanks": # as committed
            shutil.rmtree(place := Path(session.create_tmp(), "a copy of it"), ignore_errors=True)
            session.run("git", "clone", "-q", ROOT, place)
            session.chdir(place)
        environment = {**dict.fromkeys(HERE), "PYTHONPATH": os.getcwd(), "GECNB_SHARED": str(SHARED), **variables}
        session.run(PYTHONS[of], *PYTEST, *(session.posargs or TESTS), env=environment)


for name, (version, limits) in VERSIONS.items():
    packages(name, version, limits)
    corner(name, name)
for name, variables in MACHINES.items():
    corner(name, "3.11" if "OPENBLAS_CORETYPE" in variables else "newest", **variables)


# ---- The Python of the pages, in Node: 3.14, with indices of 32 bits, without processes and threads

PURE = "--python-version 3.14 --platform any --implementation py --abi none --only-binary :all:".split()
IN_PYODIDE = ["properties", "text", "engine", "aggregate", "gleu", "meteor", "lattice", "maxmatch", "i_measure", "errant",
              "resample", "judgments", "pays", "cleme", "edits", "attribution"] # what indices can change


@nox.session(venv_backend="venv") # whose pip chooses wheels for another machine
def pyodide(session):
    "Pyodide's files with our package are those of the pages; pytest and Hypothesis are pure Python"
    sys.path.insert(0, str(ROOT / "tools"))
    import live
    if shutil.which("node") is None: session.skip("no Node.js here")
    if (SHARED / "live").is_dir(): os.environ.setdefault("GECNB_PYODIDE", str(SHARED / "live"))
    folder = Path(session.create_tmp())
    for place in "live", "packages": shutil.rmtree(folder / place, ignore_errors=True)
    try: live.write_live(folder / "live", "0")
    except (OSError, ValueError) as error: session.skip(str(error))
    pip = ["python", "-m", "pip", "-q", "install", "--target", folder / "packages"]
    session.run(*pip, *PURE, "pytest>=8", "hypothesis>=6")
    files = [str(*ROOT.glob(f"tests/*/test_{name}.py")) for name in IN_PYODIDE]
    told = session.posargs or ["-q", "-m", "not slow and not corpora", *(os.path.relpath(file, ROOT) for file in files)]
    run = ["node", "tools/pyodide_tests.mjs", folder / "live", folder / "packages", ROOT]
    session.run(*run, *told, external=True)


# ---- A release: the wheel is built from the source archive, so that what the archive lacks is missed here and not by others

USE = """
from importlib import import_module
from pkgutil import walk_packages
import gecmetrics_nb
for module in walk_packages(gecmetrics_nb.__path__, "gecmetrics_nb."):
    own = module.name.endswith(("__main__", "_export", "_site")) # a program, and the hooks of nbdev, which an extra brings
    if not own: import_module(module.name) # no extra is installed
print(*(len(str(getattr(gecmetrics_nb, name))) for name in gecmetrics_nb.__all__))
"""


@nox.session(default=False)
def build(session):
    "Both packages, in dist: the wheel holds what git has, and is small"
    session.install("build[uv]>=1.2", "twine>=5")
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build", "--installer", "uv", "--outdir", "dist", ".")
    session.run("twine", "check", "--strict", *Path("dist").iterdir())
    [wheel] = Path("dist").glob("*.whl")
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    listed = session.run("git", "ls-files", "gecmetrics_nb", external=True, silent=True)
    if held != {*listed.split()}: session.error(f"the wheel is not what git has: {sorted(held ^ {*listed.split()})}")
    if wheel.stat().st_size > 2_000_000: session.error(f"{wheel.name} has {wheel.stat().st_size:,} bytes")


@nox.session(default=False, reuse_venv=False, requires=["build"])
@nox.parametrize("ending, tables", [("whl", []), ("tar.gz", ["gleu-readme/corpus"])], ids=["wheel", "archive"])
def release(session, ending, tables):
    "A package used where nothing but NumPy is installed, and no folder and no variable helps"
    session.install(*Path("dist").glob(f"*.{ending}"))
    session.run("python", "-I", "-c", USE)
    ours = dict.fromkeys(name for name in os.environ if name.startswith("GECNB_"))
    page = session.run("python", "-I", "-m", "gecmetrics_nb", "reproduce", *tables, env=ours, silent=True)
    if "left out:" in page: session.error(page) # a table that needs more than NumPy
    session.log(next((line for line in page.splitlines() if line.startswith("all: ")), tables))
