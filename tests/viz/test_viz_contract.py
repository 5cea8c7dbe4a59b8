"What stays when the inside of viz is rewritten: regions of words, a page that holds the scores and escapes the text, pictures on given axes"
from collections import Counter
import re

import pytest

from gecmetrics_nb import GREEN, Corpus
from gecmetrics_nb.viz.plot import competition_ranks, rank_slopes, save_picture
from gecmetrics_nb.viz.report import report
from gecmetrics_nb.viz.sentence import ScoredSentence

TEXTS = "He go home <b> .", "He goes home .", "He goes house ."


def test_words_have_their_regions_and_metrics_their_scores():
    s, r, h = (Counter(text.split()) for text in TEXTS)
    sentence = ScoredSentence(*TEXTS, order=1)
    counts = {"TK": s & r & h, "TD": s - (r | h), "TI": (r & h) - s, "OD": (s & r) - h, "OI": h - (s | r), "UD": (s & h) - r, "UI": r - (s | h)}
    assert {name: sentence.regions[name][0] for name in counts} == {name: count.total() for name, count in counts.items()}
    rows = sentence.view().rows
    assert [region for _, region in rows["hypothesis"]] == ["TK", "TI", "OI", "TK"] and len(rows["source"]) == 5
    assert sentence.scores["GREEN, beta 1"] == pytest.approx(GREEN(order=1).sentence_scores(sources=[TEXTS[0]], references=[[TEXTS[1]]], hypotheses=[TEXTS[2]])[0])
    html = sentence._repr_html_()
    assert "&lt;b&gt;" in html and "<script" not in html


def test_a_page_holds_the_scores_and_no_foreign_html():
    corpus = Corpus([TEXTS[0], "a"], [[TEXTS[1], "a"]], {"A<i>": [TEXTS[2], "a"], "B": [TEXTS[1], "b"]})
    page, scores = report(corpus, [GREEN(order=1)], draws=100), GREEN(order=1).corpus_score(corpus)
    assert page.lstrip().lower().startswith("<!doctype html>") and all(f"{score.percent:.2f}" in page for score in scores.values())
    assert scores["B"].signature in page and "<i>" not in page and "A&lt;i&gt;" in page and not re.search("https?://", page)


def test_pictures_are_drawn_where_they_are_told(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    _, axes = plt.subplots()
    assert rank_slopes(["A", "B"], [[1, 2], [2, 1]], ["G", "H"], ax=axes) is axes
    save_picture(axes, tmp_path / "x.svg", close=True)
    words = re.findall(r">([^<>]+)</text>", (tmp_path / "x.svg").read_text(encoding="utf-8"))
    assert any("A" in word for word in words) and competition_ranks([.5, .5, 1]).tolist() == [2, 2, 1]
    with pytest.raises(ValueError, match="x.jpg"): save_picture(axes, tmp_path / "x.jpg")
