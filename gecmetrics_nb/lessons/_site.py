"What nbdev asks for when it makes the pages: `renderer` and `doc_procs` of pyproject.toml; they are in tools/docs.py"
from pathlib import Path
import sys

sys.path.append(str(Path(__file__).parents[2] / "tools"))

from docs import Lesson, Renderer # noqa: E402, F401
