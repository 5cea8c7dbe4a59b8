"The site without Quarto: the same prepared folder, rendered by smalldocs as it comes. Plain pages, and no cells to run"
from pathlib import Path
import re
import shutil
import subprocess
import sys

from nbdev.serve import proc_nbs

if __name__ == "__main__":
    pages = proc_nbs("nbs", force=True)
    settings = pages / "_quarto.yml" # what Quarto runs after it is not for these pages
    settings.write_text(re.sub(r"  post-render: .*\n", "", settings.read_text(encoding="utf-8")), encoding="utf-8")
    subprocess.run([Path(sys.executable).parent / "smalldocs", "render", pages, "--quiet"], check=True)
    shutil.rmtree("_docs", ignore_errors=True)
    shutil.move(pages / "_docs", "_docs")
    print("plain pages in _docs: `pip install quarto-cli` (which fetches Quarto), then nbdev-docs makes the site")
