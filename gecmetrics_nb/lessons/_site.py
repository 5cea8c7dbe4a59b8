"""What nbdev asks for when it makes the pages: `renderer` and `doc_procs` of pyproject.toml, which are in tools/docs.py

As a program it is Quarto's filter of a notebook: `quarto preview nbs` and `quarto render` of a page show it as nbdev prepares it"""
from pathlib import Path
import subprocess
import sys

if __name__ != "__main__":
    sys.path.append(str(Path(__file__).parents[2] / "tools"))
    from docs import Lesson, Renderer # noqa: F401


def prepared(text: str) -> str:
    "The notebook of this folder with this text, as nbdev has it in _proc; all that changed are prepared at once, since Quarto asks for each title"
    lesson = next(path for path in Path.cwd().glob("*.ipynb") if path.read_text(encoding="utf-8") == text)
    root = Path(__file__).parents[2]
    made = root / "_proc" / lesson.relative_to(root / "nbs")
    if not made.exists() or made.stat().st_mtime < lesson.stat().st_mtime:
        subprocess.run("nbdev-proc-nbs", stdout=sys.stderr, check=True) # noqa: S607
    return made.read_text(encoding="utf-8")


if __name__ == "__main__":
    text = sys.stdin.read()
    print(text if "_proc" in Path.cwd().parts else prepared(text))
