"Build the site in _docs: nbdev's processing of the notebooks, then Quarto where it is installed, else smalldocs; one _quarto.yml for both"
from pathlib import Path
import os
import shutil
import subprocess
import sys

ROOT = Path(__file__).parent.parent
os.chdir(ROOT)


def main():
    from nbdev.serve import proc_nbs

    shutil.rmtree("_proc", ignore_errors=True)
    shutil.rmtree("_docs", ignore_errors=True)
    shutil.copy("_quarto.yml", "nbs/_quarto.yml")
    cache = Path(proc_nbs("nbs", n_workers=2, force=True, skip_file_re=r"(^[_.])|(\.py$)"))
    if not (cache / "_quarto.yml").exists(): shutil.copy("_quarto.yml", cache)
    quarto = shutil.which("quarto")
    command = [quarto, "render", str(cache), "--no-execute"] if quarto else [str(Path(sys.executable).parent / "smalldocs"), "render", str(cache), "--quiet"]
    subprocess.run(command, check=True)
    shutil.move(str(cache / "_docs"), "_docs")
    print(f"{len(list(Path('_docs').rglob('*.html')))} pages in _docs, rendered by {Path(command[0]).name}")


if __name__ == "__main__": main()
