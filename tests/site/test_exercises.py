"The exercises at the ends of lessons: not solved as they stand, solved by the answer folded below"
from contextlib import redirect_stdout
from io import StringIO
import re

import pytest

from places import ROOT, cells_of

MARK = '#| code-summary: "One answer"\n'
CHANGE = re.compile(r"^(\w+) *=.*# (?:change this line|change these|two lines)$", re.MULTILINE)


def exercises():
    "The sources (imports, task, answer) of each lesson that has an exercise"
    for path in sorted((ROOT / "nbs").rglob("[0-9]*.ipynb")):
        sources = [c["source"] for c in cells_of(path) if c["cell_type"] == "code"]
        for i, source in enumerate(sources):
            if MARK in source: yield pytest.param(*sources[i - 2:i + 1], id=path.stem)


def run(code, names):
    "What code prints; its names are kept in names"
    with redirect_stdout(StringIO()) as printed: exec(code, names)
    return printed.getvalue()


@pytest.mark.parametrize("imports, task, answer", list(exercises()))
def test_the_answer_solves_the_exercise_and_the_lines_as_they_stand_do_not(imports, task, answer):
    names: dict = {}
    run(imports, names)
    assert run(task, names).endswith("not yet\n")
    run(answer, names)
    solved = CHANGE.sub(lambda line: f"{line[1]} = {names[line[1]]!r}", task)
    assert solved != task and run(solved, names).endswith("solved\n")


def test_ten_lessons_have_an_exercise(): assert len(list(exercises())) == 10
