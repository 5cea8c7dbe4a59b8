"Check what `make release-check` has built in dist, and use it where nothing but NumPy is installed"
from pathlib import Path
from zipfile import ZipFile
import os
import re
import subprocess
import sys
import tempfile
import venv

ROOT = Path(__file__).parent.parent
HOUSE = {"docs", "test", "lessons", "adapters", "lab", "release", "verl", "lint"} # extras of those who work on it
USE = """
from importlib import import_module
from pkgutil import walk_packages
import gecmetrics_nb
for module in walk_packages(gecmetrics_nb.__path__, "gecmetrics_nb."):
    if not module.name.endswith("__main__"): import_module(module.name) # no extra is installed
print(*(len(str(getattr(gecmetrics_nb, name))) for name in gecmetrics_nb.__all__), gecmetrics_nb.__file__)
"""


def run(*command, cwd=ROOT):
    "What a command prints; it must succeed"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith("GECNB_")}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=cwd)
    if done.returncode: sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with status {done.returncode}")
    return done.stdout


def check_sizes(wheel, package=2_000_000, file=1_000_000):
    "What is too large in a wheel, with its bytes; \"\" if nothing is"
    sizes = [(wheel.name, wheel.stat().st_size, package), *((i.filename, i.file_size, file) for i in ZipFile(wheel).infolist())]
    return "; ".join(f"{name} has {size:,} bytes, above {limit:,}" for name, size, limit in sizes if size > limit)


def check_wheel(wheel):
    "The wheel is small, holds what git has, and offers each extra that an error of the package names"
    texts = {name: ZipFile(wheel).read(name).decode("utf-8", "replace") for name in ZipFile(wheel).namelist()}
    held = {name for name in texts if ".dist-info/" not in name}
    tracked = {*run("git", "ls-files", "gecmetrics_nb").split()}
    offered = {*re.findall(r"^Provides-Extra: (\S+)", "".join(t for n, t in texts.items() if n.endswith("/METADATA")), re.M)} - HOUSE
    named = {*re.findall(r"""require_extra\([^,\n]+, "(\w+)"|'gecmetrics_nb\[(\w+)\]'""", "".join(t for n, t in texts.items() if n.endswith(".py")))}
    named = {first or second for first, second in named}
    if check_sizes(wheel): sys.exit(check_sizes(wheel))
    if held != tracked: sys.exit(f"the wheel does not hold what git has: {sorted(held ^ tracked)}")
    if offered != named: sys.exit(f"extras that are offered, or named by an error, and not both: {sorted(offered ^ named)}")


if __name__ == "__main__":
    check_wheel(*(ROOT / "dist").glob("*.whl"))
    for package in sorted((ROOT / "dist").iterdir()):
        with tempfile.TemporaryDirectory(dir=Path(tempfile.gettempdir()).resolve()) as folder:
            python = Path(folder) / "bin/python"
            venv.create(folder, with_pip=True)
            run(python, "-m", "pip", "--disable-pip-version-check", "-q", "install", package)
            place = run(python, "-c", USE, cwd=folder).split()[-1]
            if not place.startswith(folder): sys.exit(f"imported from {place}")
            table = ["gleu-readme/corpus"] if package.suffix == ".gz" else [] # the wheel was made of the archive
            said = run(python, "-m", "gecmetrics_nb", "reproduce", *table, cwd=folder)
            print(package.name, f"{package.stat().st_size // 1024} KiB", *re.findall("^all: .*", said, re.M), sep=", ")
