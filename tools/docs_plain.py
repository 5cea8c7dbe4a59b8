"The site without Quarto: the same prepared folder, rendered by smalldocs as it comes. Plain pages, and no cells to run"
from pathlib import Path
import shutil
import subprocess
import sys

from nbdev.serve import proc_nbs

if __name__ == "__main__":
    pages = proc_nbs("nbs", force=True)
    subprocess.run([Path(sys.executable).parent / "smalldocs", "render", pages, "--quiet"], check=True)
    shutil.rmtree("_docs", ignore_errors=True)
    shutil.move(pages / "_docs", "_docs")
    print("plain pages in _docs: `pip install quarto-cli` (which fetches Quarto), then nbdev-docs makes the site")
