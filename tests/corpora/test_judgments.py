"The judgments in the package: those of the files, ranking by ranking; refused names"

import pytest

from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.stats.human import expected_wins, read_judgments, wins
from gecmetrics_nb.corpora.judgments import JUDGED, PAIRED, stored_judgments, stored_rankings


@pytest.mark.parametrize("name,outputs", [
    ("gjg-2015", "conll14/official_submissions/{}"), ("seeda-edit", "seeda/outputs/all/{}.txt")])
def test_sentences_are_rows_of_the_corpus(name, outputs, shared):
    "Systems that share a text in a ranking printed the same words on that row, whatever their blanks"
    words = lambda system: [line.split() for line in read_lines(shared / "data" / outputs.format(system))]
    texts = {system: words(system) for system in JUDGED[name][1]}
    first = JUDGED[name][3]
    for number, _, shown in stored_rankings(name):
        rows = [[texts[system][number - first] for system in names] for names, _ in shown]
        assert all(row.count(row[0]) == len(row) for row in rows), number
    assert {*stored_judgments(name).sentences.tolist()} <= {number - first for number, *_ in stored_rankings(name)}


@pytest.mark.parametrize("systems", [None, ("src", "CAMB", "AMU")])
def test_pairs_are_those_of_the_file(systems, shared):
    file = read_judgments(shared / "data" / PAIRED["gleu-2016"][0], systems)
    stored = stored_judgments("gleu-2016", systems=systems)
    assert stored.systems == file.systems
    for field in "pairs", "ranks", "sentences", "judges":
        assert (getattr(stored, field) == getattr(file, field)).all(), field


def test_judgments_without_a_file():
    "The first of 2015 as printed in Table 3 b; a text that several systems share is one of theirs, if not expanded"
    values = expected_wins(wins(stored_judgments())).round(3).tolist()
    scores = dict(zip(JUDGED["gjg-2015"][1], values, strict=True))
    assert max(scores, key=scores.get) == "AMU" and scores["AMU"] == .628 and scores["IPN"] == .3
    assert len(stored_judgments(expanded=False)) == 20_516


@pytest.mark.parametrize("name", [*JUDGED, *PAIRED])
@pytest.mark.parametrize("systems, said", [
    (["AMU", "AMU"], "two systems are named 'AMU'"), ([], "systems is empty"), ("AMU", "systems is one string"),
    (["XYZ"], "has no XYZ; it has ")])
def test_a_wrong_choice_of_systems_is_refused(name, systems, said):
    with pytest.raises((ValueError, TypeError), match=said): stored_judgments(name, systems=systems)
