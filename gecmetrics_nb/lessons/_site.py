"""What nbdev asks for when it makes the pages: `renderer` and `doc_procs` of pyproject.toml, which are in tools/docs.py

As a program it is Quarto's filter of a notebook: `quarto preview nbs` and `quarto render` of a page give what nbdev did not prepare"""
from pathlib import Path
import sys

PREPARED = __name__ == "__main__" and "_proc" in Path.cwd().parts

if not PREPARED:
    sys.path.append(str(Path(__file__).parents[2] / "tools"))
    from docs import Lesson, Renderer # noqa: F401

if __name__ == "__main__":
    text = sys.stdin.read()
    if not PREPARED:
        from docs import filtered
        text = filtered(text)
    print(text)
