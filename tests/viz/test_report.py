"The page of `gecnb report`: every number on it computed again, rows that add up, text that is never HTML, and the page in a browser"
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
import json
import random
import re

import numpy as np
import pytest

from gecmetrics_nb import CLEME, CLEME2, ERRANT, GLEU, GREEN, M2, METEOR, Corpus, EditCorpus, compare_systems, rank_systems
from gecmetrics_nb.alignment.edits import edits_of, gold_from_texts, m2_lines, system_from_texts
from gecmetrics_nb.core.regions import region_counts
from gecmetrics_nb.io.m2 import Edit, apply_edits, parse_m2
from gecmetrics_nb.metrics.m2 import GoldCorpus, gold_of
from gecmetrics_nb.stats.attribution import attribute
from gecmetrics_nb.viz import report as module
from gecmetrics_nb.viz.report import _digits, report
from gecmetrics_nb.viz.sentence import occurrence_regions
import slow

MEAN = GLEU(order=2, references="mean")


class Page(HTMLParser):
    "What a reader of HTML finds: tables by section and metric, texts, links, the data of the script"
    VOID = {"meta", "input", "br"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.section, self.metric, self.tables, self.texts, self.cell = [], [], None, 0, {}, {}, None
        self.feed(text)
        self.close()
        assert self.open == [], self.open
        self.data = json.loads(self.texts["script"].split("\n")[0])

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.tags.append((tag, named))
        if tag not in self.VOID: self.open.append(tag)
        if tag == "section": self.section = named["id"]
        if "data-metric" in named: self.metric = int(named["data-metric"])
        if tag == "table": self.tables[self.section, self.metric] = []
        if tag == "tr": self.tables[self.section, self.metric].append([])
        if tag in ("th", "td"): self.tables[self.section, self.metric][-1].append("")
        self.cell = tag if tag in ("th", "td") else self.cell

    def handle_startendtag(self, tag, attributes): self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        while self.open[-1] in ("dt", "dd") and self.open[-1] != tag: self.open.pop() # their ends may be left out
        assert self.open.pop() == tag
        if tag == self.cell: self.cell = None

    def handle_data(self, text):
        where = next((tag for tag in reversed(self.open) if tag in ("script", "style", "title", "h1", "dd", "option")), self.section)
        self.texts[where] = self.texts.get(where, "") + text
        if where == self.section: self.texts[where, self.metric] = self.texts.get((where, self.metric), "") + text
        if self.cell: self.tables[self.section, self.metric][-1][-1] += text

    def rows(self, section, metric=0):
        "{title of the row: cells}; the titles of the columns are those of the row before the first"
        return {row[0]: row[1:] for row in self.tables[section, metric]}


def number(cell): return float(cell.replace(",", "").replace(" %", "").replace("−", "-"))
def groups(cells, size=3): return [cells[k:k + size] for k in range(0, len(cells), size)]


def corpus_of(seed, sentences=14, references=2):
    "Random corpus of two systems"
    sources, references, systems = slow.corpus(seed, sentences, references, 2, blanks=False)
    sources[0] = sources[0] or "a"
    for column in references: column[0] = sources[0] # one that no reference changes
    return Corpus(sources, references, systems, system_names=["one", "other"])


def applied(source, edits): return apply_edits(source.split(), [Edit(a, b, "R", tuple(words.split()), 0, 0) for a, b, words, *_ in edits])


METRICS = [(MEAN, "corpus"), (GREEN(order=2, beta=2), "corpus"), (METEOR(), "corpus"), (GREEN(order=2), "mean")]


@pytest.mark.parametrize("seed", range(4))
def test_every_number_is_computed_again(seed):
    corpus = corpus_of(seed)
    page = Page(report(corpus, METRICS, baseline="other", top=6, date="2026-01-02"))
    D, names = len(corpus), corpus.system_names
    assert page.data["names"] == list(names) and page.data["top"] == 6
    for k, (metric, per) in enumerate(METRICS):
        found = [attribute(metric, corpus, name, per=per) for name in names]
        both = Corpus(corpus.sources, corpus.references, [corpus.sources, *corpus.systems], system_names=["INPUT", *names])
        compared = compare_systems(metric, both, baseline="other", untested=["INPUT"], per=per)
        ranks = rank_systems(metric, corpus, per=per)
        scores, columns = page.rows("scores", k), page.tables["scores", k][0]
        for h, name in enumerate(["INPUT", *names]):
            row, near = dict(zip(columns[1:], scores[name], strict=True)), pytest.approx
            cells = [row["score"], *row["95 % interval"].split(" to ")]
            assert list(map(number, cells)) == near(100 * np.array([compared.values[h], *compared.intervals[h]]), abs=.0051)
            if name == "other": assert row["difference to other"] == "baseline" and not row["95 % interval of the difference"]
            else:
                cells = [row["difference to other"], *row["95 % interval of the difference"].split(" to ")]
                gap = 100 * np.array([compared.differences[h], *compared.gaps[h]])
                assert list(map(number, cells)) == near(gap, abs=.0051)
            if name == "one": assert number(row["p (Holm)"].lstrip("<")) == near(compared.holm[h], abs=6e-5)
            if name == "INPUT": continue
            one, place = found[h - 1], ranks.places[ranks.names.index(name)].tolist()
            assert list(map(int, row["sure places"].split(" to "))) == sorted(set(place))
            gain = 100 * (compared.values[h] - compared.values[0])
            assert number(row["score less source"]) == near(gain, abs=.0051)
            worths = np.concatenate(one.worths)
            counts = [int(row[what]) for what in ("changes", "helpful", "harmful")]
            assert counts == [len(worths), (worths > 1e-12).sum(), (worths < -1e-12).sum()]
        above = page.texts[None, k] # the first part, which has no title
        assert f"2 systems, {D} sentences, 2 references" in above and all(line in above for line in compared.warnings)
        assert "← worse than other" in above and "better →" in above
        assert compared.signature in page.texts["scores", k] and ranks.test_signature in page.texts["scores", k]
        helpful = [sum((worths > 1e-12).sum() for worths in one.worths) for one in found]
        assert list(map(int, page.rows("made", k)["all"][1::3])) == helpful
        check_tables(page, k, corpus, found)
        check_sentences(page, k, corpus, found, 10 ** (2 + _digits(D)))
    assert not any(re.search(r"-[\d.]", cell) for rows in page.tables.values() for row in rows for cell in row[1:]) # a minus sign has its own letter
    assert page.texts["dd"].count("2026-01-02") == 1 and f"{D}" in page.texts["dd"]


def parts_of(page, k=0):
    "Of the table of types: its rows, their sum, what is worth of no change, and score less source"
    lines = page.tables["made", k][2:]
    at = [line[0] for line in lines].index("all") if lines[0][0] != "score less source" else 0
    return lines[:at], *lines[at:]


def check_tables(page, k, corpus, found):
    "What made the score, and the changes made most often"
    made, (rows, last, *_, whole) = page.rows("made", k), parts_of(page, k)
    assert whole[0] == "score less source" and [number(x[2]) for x in groups(whole[1:])] == pytest.approx([100 * one.difference for one in found], abs=.0051)
    assert len(rows) == len({edit.type for one in found for edits in one.changes for edit in edits})
    for h, one in enumerate(found):
        types = one.by("type")
        for kind, name in (("M", "put in"), ("U", "taken out"), ("R", "replaced")):
            count, worth = types.get(kind, (0, 0))
            if name in made: assert [number(x) for x in groups(made[name])[h]][::2] == pytest.approx([count, 100 * worth], abs=.0051)
            else: assert not count
        mine = [[number(x) for x in groups(row[1:])[h]] for row in rows]
        assert np.sum(mine, axis=0) == pytest.approx([number(x) for x in groups(last[1:])[h]], abs=.0051 * (len(rows) + 1))
        assert number(groups(last[1:])[h][2]) == pytest.approx(100 * one.total, abs=.0051)
    often, seen = page.tables["often", k][2:], {}
    for one in found:
        for words, (count, _) in one.by("words").items(): seen[words] = seen.get(words, 0) + count
    assert [seen[row[0]] for row in often] == sorted(seen.values(), reverse=True)[:6]
    for words, *cells in often:
        for one, three in zip(found, groups(cells), strict=True):
            count, worth = one.by("words").get(words, (0, 0))
            if count: assert [number(x) for x in three] == pytest.approx([count, 100 * worth, 100 * worth / count], abs=.0051)
            else: assert three == ["", "", ""]


def check_sentences(page, k, corpus, found, scale):
    "The data of the script make the texts, and have the worths"
    data = page.data
    assert data["numbers"] == list(range(1, len(corpus) + 1)) and data["sources"] == [" ".join(text.split()) for text in corpus.sources]
    for r, column in enumerate(corpus.references):
        assert [applied(*pair) for pair in zip(data["sources"], data["references"][r], strict=True)] == list(map(str.split, column))
    for h, one in enumerate(found):
        assert [applied(*pair) for pair in zip(data["sources"], data["changes"][h], strict=True)] == list(map(str.split, corpus.systems[h]))
        for edits, worths in zip(data["changes"][h], one.worths, strict=True):
            assert [edit[4 + k] for edit in edits] == pytest.approx((scale * worths).tolist(), abs=.51)
        if one.chosen is not None: assert data["against"][k][h] == one.chosen.tolist()


def same_place(*edits):
    "Gaps and words of a sentence are numbered in turn: two edits share a word, or a gap that one of them fills"
    first, other = (set(range(2 * edit.start, 2 * edit.end + 1)) for edit in edits)
    return any(place % 2 or 1 in (len(first), len(other)) for place in first & other)


def test_the_test_set_is_named_once_or_by_its_corpus():
    corpus = corpus_of(0)
    for on, named in ("made", corpus), ("", replace(corpus, on="made")): assert "|on:made|" in report(named, [MEAN], on=on)


def test_an_output_that_is_named_as_the_source_is_tested():
    corpus = Corpus(["a b"] * 2, [["a c"] * 2], [["a c"] * 2, ["a b"] * 2], system_names=["INPUT", "B"])
    page = Page(report(corpus, [MEAN], baseline="B"))
    assert dict(zip(page.tables["scores", 0][0][1:], page.rows("scores")["INPUT"], strict=True))["p (Holm)"] == "0.5000" # of 4 exchanges 2 are as large


def test_a_word_beside_a_changed_one_can_be_missed():
    corpus = Corpus(["He like the tea ."], [["He likes tea ."]], [["He likes the tea ."], ["He like tea ."]])
    rows = {row[0]: row[1::3] for row in Page(report(corpus, [MEAN])).tables["missed", 0][2:]}
    assert rows == {"the → nothing": ["1", ""], "like → likes": ["", "1"]}
    beside = module.missed_by(edits_of("a b", "x b"), edits_of("a b", "a c b")) # c may be a part of what became x
    assert beside == () and module.missed_by(edits_of("a b c", "x b c"), edits_of("a b c", "a b d c"))


def test_what_was_missed_by_both_is_worth_more_than_what_one_missed():
    "Two words twice, then three words once"
    corpus = Corpus(["a b k l m", "c d e f g"], [["x y k l m", "u v w f g"]], [["a b k l m", "c d e f g"], ["a b k l m", "u v w f g"]])
    assert [row[0] for row in Page(report(corpus, [GREEN(order=1)])).tables["missed", 0][2:]] == ["a b → x y", "c d e → u v w"]


@pytest.mark.parametrize("seed", range(4))
def test_missed_corrections_make_the_score_that_is_said(seed):
    corpus = corpus_of(seed, 10)
    page = Page(report(corpus, [MEAN], top=1000))
    wanted = [[edits_of(*pair) for pair in zip(corpus.sources, column, strict=True)] for column in corpus.references]
    score = lambda texts: 100 * float(MEAN.corpus_score(sources=corpus.sources, hypotheses=list(texts), references=corpus.references))
    rows, said = page.tables["missed", 0][2:], page.texts["missed", 0]
    for h, name in enumerate(corpus.system_names):
        complete, many = [], 0
        for d, (source, text) in enumerate(zip(corpus.sources, corpus.systems[h], strict=True)):
            mine, theirs = edits_of(source, text), [column[d] for column in wanted]
            key = lambda edit: (edit.start, edit.end, edit.correction)
            apart = [len(set(map(key, mine)) ^ set(map(key, each))) for each in theirs]
            more = [e for e in theirs[apart.index(min(apart))] if not any(same_place(e, own) for own in mine)]
            complete.append(" ".join(apply_edits(source.split(), sorted([*mine, *more]))))
            many += len(more)
        counted, after, now = re.search(rf"{name} missed ([\d,]+): with all of them it would have ([\d.]+), not ([\d.]+)\.", said).groups()
        assert number(counted) == many and [float(after), float(now)] == pytest.approx([score(complete), score(corpus.systems[h])], abs=.0051)
        cells = [three for row in rows if (three := groups(row[1:])[h])[0]]
        assert sum(number(three[0]) for three in cells) == many
        assert sum(number(three[1]) for three in cells) == pytest.approx(score(complete) - score(corpus.systems[h]), abs=.0051 * (len(cells) + 2))
    cut = report(corpus, [MEAN], top=3)
    for name in "often", "missed":
        every, table = len(page.tables[name, 0]) - 2, Page(cut).tables[name, 0][2:]
        assert len(table) == min(every, 3) and (f" (first 3 of {every})</bdi></caption>" in cut) == (every > 3)


def test_over_correction_is_where_no_reference_changes_anything():
    corpus = Corpus(["a b", "c d", "e f", "g h"], [["a b", "c d", "e x", "g h"], ["a b", None, "e f", "g y"]],
                    [["a b", "c x", "e y", "z h"], ["a x y", "c d", "e f", "g h"]], system_names=["A", "B"])
    page, metric = Page(report(corpus, [GREEN(order=2)])), GREEN(order=2)
    rows = page.rows("needless")
    assert [rows["A"][:4], rows["B"][:4]] == [["2", "1", "50.0 %", "1"], ["2", "1", "50.0 %", "1"]]
    for name, d in ("A", 1), ("B", 0):
        assert number(rows[name][4]) == pytest.approx(100 * attribute(metric, corpus, name).worths[d].sum(), abs=.0051)
    assert page.data["references"][1][1] is None
    never = Page(report(Corpus(["a"], [["b"]], [["c"]]), [MEAN]))
    assert list(never.rows("needless").values())[1][:4] == ["0", "0", "", "0"]


def test_a_large_corpus_keeps_what_matters_most(monkeypatch):
    corpus = corpus_of(3, 30)
    whole = Page(report(corpus, [MEAN]))
    monkeypatch.setattr(module, "ALL", 20)
    monkeypatch.setattr(module, "KEPT", 5)
    page = Page(report(corpus, [MEAN]))
    assert page.tables == whole.tables and "Of 30 sentences these are the 5 in which most is at stake." in page.texts["sentences"]
    monkeypatch.setattr(module, "ALL", 30)
    assert len(Page(report(corpus, [MEAN])).data["numbers"]) == 30
    stake = np.sum([[np.abs(worths).sum() for worths in attribute(MEAN, corpus, name).worths] for name in corpus.system_names], axis=0)
    assert page.data["numbers"] == sorted((np.argsort(-stake, kind="stable")[:5] + 1).tolist())
    kept = [d - 1 for d in page.data["numbers"]]
    assert page.data["changes"] == [[column[d] for d in kept] for column in whole.data["changes"]]
    assert page.data["against"] == [[[column[d] for d in kept] for column in columns] for columns in whole.data["against"]]


def test_types_below_the_first_twenty_are_one_row():
    "22 types of two systems: those of least worth are added up, and nothing is lost"
    table = {f"T{k:02}": [[k, 1, -k / 10], [1, 0, 0.]] for k in range(22)}
    ordered = module._ordered_types(table)
    assert list(ordered) == [*(f"T{k:02}" for k in range(21, 1, -1)), "others"]
    assert ordered["others"] == [[1, 2, -.1], [2, 0, 0.]]


def test_titles_short_names_and_the_colour_of_a_worth():
    "What is 0 where it is printed has no sign and no colour"
    assert module._title("ABCD") == "What A, B, C and D changed" and module._title([*"ABCDE"]) == "What A, B, C and 2 others changed"
    assert [module._short(size * "x") for size in (17, 18)] == [17 * "x", 16 * "x" + "…"]
    cells = [module._value_cell(worth) for worth in (.0123, 0., -4e-5, -.5)]
    assert cells == ['<td class="up">+1.23</td>', "<td>0.00</td>", "<td>0.00</td>", '<td class="down">-50.00</td>']


# ---- metrics that compare edits

def test_metrics_of_edits_are_beside_those_of_texts():
    corpus = corpus_of(2)
    gold = gold_from_texts(corpus.sources, corpus.references)
    systems = {name: system_from_texts(corpus.sources, texts) for name, texts in zip(corpus.system_names, corpus.systems, strict=True)}
    also = [EditCorpus(gold, systems), GoldCorpus(gold_of(gold), corpus.systems, corpus.system_names)]
    page = Page(report(corpus, [MEAN, M2(), ERRANT()], also=also))
    for k, (metric, its) in enumerate([(MEAN, corpus), (M2(), also[1]), (ERRANT(), also[0])]):
        for h, name in enumerate(corpus.system_names):
            found = attribute(metric, its, name)
            assert number(parts_of(page, k)[1][1 + 3 * h + 2]) == pytest.approx(100 * found.total, abs=.0051)
            row = dict(zip(page.tables["scores", k][0][1:], page.rows("scores", k)[name], strict=True))
            assert ("P and R are precision and recall" in page.texts["scores", k]) == bool(k)
            assert number(row["F" if k else "score"]) == pytest.approx(100 * found.score, abs=.0051)
            if not k: continue
            given = metric.corpus_score(gold=gold, hypotheses=corpus.systems[h] if k == 1 else systems[name])
            assert [number(row[rate]) for rate in "PR"] == pytest.approx([100 * float(x) for x in metric.rates(given.totals).values()], abs=.0051)
    numbered = {name: [s._replace(edits=tuple(e._replace(annotator=1) for e in s.edits)) for s in each] for name, each in systems.items()}
    assert Page(report(corpus, [MEAN, M2(), ERRANT()], also=[EditCorpus(gold, numbered), also[1]])).tables == page.tables


def m2_of(*sentences):
    "Sentences of (source, {annotator: edits (start, end, correction)})"
    lines = []
    for source, wanted in sentences:
        lines += [f"S {source}", *(f"A {a} {b}|||R|||{words}|||REQUIRED|||-NONE-|||{who}" for who, edits in wanted.items() for a, b, words in edits), ""]
    return parse_m2(lines)


GOLD = m2_of(("a b c d", {0: [(0, 1, "x")], 1: [(2, 3, "z")]}), ("e f g", {0: [(0, 1, "q")], 1: [(1, 2, "w")]}))
TEXTS = ["a b c d", "e f g"], [["x b c d", "q f g"], ["a b z d", "e w g"]], [["a b z d", "e w g"], ["x b z d", "e f g"]] # sources, the annotators' texts, A and B


def beside(gold, sources, outputs):
    "Corpora of A and B for metrics that compare edits"
    systems = {name: system_from_texts(sources, texts) for name, texts in zip("AB", outputs, strict=True)}
    return [GoldCorpus(gold_of(gold), outputs, ["A", "B"]), EditCorpus(gold, systems)]


def judged(page, k, h):
    "What a card of each sentence says: who judges, and what the judge's text is"
    data = page.data
    return [(data["labels"][r], " ".join(applied(source, data["references"][r][d])))
            for d, (source, r) in enumerate(zip(data["sources"], data["against"][k][h], strict=True))]


@pytest.mark.parametrize("order", [(1,), (1, 0)], ids=str)
def test_an_annotator_is_not_a_file_of_references(order):
    "Edit metrics are judged by the two annotators, texts by files: one, or two in another order"
    sources, people, outputs = TEXTS
    corpus = Corpus(sources, [people[r] for r in order], outputs, system_names=["A", "B"])
    page = Page(report(corpus, [MEAN, M2(), ERRANT(), CLEME()], also=beside(GOLD, sources, outputs)))
    for k in (1, 2, 3):
        assert [page.data["labels"][r] for r in page.data["judges"][k]] == ["annotator 0", "annotator 1"] and page.data["chose"][k]
        assert judged(page, k, 0) == [("annotator 1", "a b z d"), ("annotator 1", "e w g")]
        assert judged(page, k, 1)[0] in [("annotator 0", "x b c d"), ("annotator 1", "a b z d")]
    for h in (0, 1):
        for d, (label, text) in enumerate(judged(page, 0, h)): assert text == corpus.references[int(label[10:] or 1) - 1][d]


def test_annotators_who_did_not_see_a_sentence():
    "Numbers 0 and 2, and a sentence that 0 did not see; CLEME's program takes 0 and 2 for one"
    gold = m2_of(("a b c d", {0: [(0, 1, "x")], 2: [(2, 3, "z")]}), ("e f", {2: [(1, 2, "w")]}))
    sources, outputs = ["a b c d", "e f"], [["a b z d", "e w"], ["x b c d", "e f"]]
    corpus = Corpus(sources, [sources], outputs, system_names=["A", "B"])
    page = Page(report(corpus, [M2(), ERRANT(), CLEME()], also=beside(gold, sources, outputs)))
    for k in (0, 1):
        assert judged(page, k, 0) == [("annotator 2", "a b z d"), ("annotator 2", "e w")]
        assert judged(page, k, 1) == [("annotator 0", "x b c d"), ("annotator 2", "e w")]
        assert page.data["references"][page.data["judges"][k][0]][1] is None
    assert judged(page, 2, 0) == [("annotators 0 and 2", "x b z d"), ("annotator 2", "e w")]
    assert page.rows("needless", 0)["A"][0] == "0"


def test_a_gap_is_a_row_with_its_reason():
    "CLEME2: over-correction is .05 times a rate, which is 0 of 0 for the source"
    sources, people, _ = TEXTS
    outputs = ["x b c y", "e f g"]
    gold, system = m2_of(("a b c d", {0: [(0, 1, "x")]}), ("e f g", {0: [(0, 1, "q")]})), system_from_texts(sources, outputs)
    corpus = Corpus(sources, people[:1], [outputs], system_names=["A"])
    _, last, jumps, whole = parts_of(Page(report(corpus, [CLEME2()], also=[EditCorpus(gold, {"A": system})])))
    assert jumps[0] == "jumps of the score" and number(jumps[3]) == pytest.approx(-5 / 2, abs=.0051) # one change of two is needless
    assert number(last[3]) + number(jumps[3]) == pytest.approx(number(whole[3]), abs=.0151)


def change(start, end, words): return Edit(start, end, "R:X", tuple(words.split()), 0, 0)


def test_what_is_missed_is_cut_as_what_is_changed_or_the_list_says_so():
    """The reference puts `a b` at the beginning right by one edit that goes over both words; letters cut it in two

    System A corrects the end alone, and so misses the beginning: one correction, or two."""
    corpus = Corpus(["x y c d e"], [["a b c d f"]], [["x y c d f"]], system_names=["A"])
    edits, theirs = {"A": [[change(4, 5, "f")]]}, [[[change(0, 2, "a b"), change(4, 5, "f")]]]
    missed = lambda page: [row[0] for row in page.tables["missed", 0][2:]]
    plain, mixed, one = (Page(report(corpus, [MEAN], **given)) for given in
                         ({}, {"edits": edits}, {"edits": edits, "reference_edits": theirs}))
    by_letters = [f"{' '.join(['x y c d e'.split()[k] for k in range(e.start, e.end)])} → {' '.join(e.correction)}"
                  for e in edits_of("x y c d e", "a b c d f") if e.end < 4]
    assert sorted(missed(plain)) == sorted(missed(mixed)) == sorted(by_letters) and missed(one) == ["x y → a b"]
    assert one.data["references"] == [[[[0, 2, "a b"], [4, 5, "f"]]]]
    assert ["as they were given" in page.texts["missed", 0] for page in (plain, mixed, one)] == [False, True, False]
    with pytest.raises(ValueError, match="sentence 1: the edits make 'x y c d f' of the source; the system has 'a b c d f'"):
        report(corpus, [MEAN], edits=edits, reference_edits=list(edits.values()))


def test_a_reference_that_is_missing_has_no_given_edits():
    corpus = Corpus(["a b", "a b"], [["a b", "a c"], [None, "a d"]], [["a b", "a e"]], system_names=["A"])
    theirs = [[[], [change(1, 2, "c")]], [[change(0, 1, "z")], [change(1, 2, "d")]]]
    page = Page(report(corpus, [GREEN(order=1)], edits={"A": [[], [change(1, 2, "e")]]}, reference_edits=theirs))
    assert page.data["references"] == [[[], [[1, 2, "c"]]], [None, [[1, 2, "d"]]]]


def test_errant_cuts_both_sides(files, written, monkeypatch):
    "With --errant the references are cut by the program that cuts the outputs, and its edits are the changes with their types"
    whole = lambda source, text, annotator: [change(0, len(source.split()), text)] if source != text else []
    monkeypatch.setattr("gecmetrics_nb.cli.report.cut_of", lambda args: whole)
    page = written("-s S -r R0 R1 -o A B --metrics green --errant")
    assert page.data["references"][0] == [[[0, len(source.split()), right]] for source, right in zip(files["S"], files["R0"], strict=True)]
    [first], none, _ = page.data["changes"][0] # A leaves the second sentence as it is
    assert first[:3] == [0, 4, files["A"][0]] and none == [] and "He go home . → He goes home ." in page.rows("often")
    assert page.data["types"] == ["R:X"] and "R:X" in page.rows("made") and "are cut by" not in page.texts["missed", 0]
    shown = page, written("-s S -r R0 R1 -o A B --metrics green"), written("-s S -r R0 R1 -o A.m2 B.m2 -g gold.m2 --metrics errant")
    assert ["gecnb report --errant" in each.texts["made", 0] for each in shown] == [False, True, False] # where types are put in, taken out, replaced


# ---- text is never HTML

HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "<!--", "]]>", "&amp;", "\u202eright to left\u2066", "{{data}}", "${x}",
           "tab\there", "\x00\x1b[31m", "\u2028\u2029", "'\"`", "</title>", "\ufeff", "a\u200db", "<b>", "\\u003c"]


def test_hostile_text_stays_text():
    rng = random.Random(0)
    line = lambda: " ".join(rng.choices(HOSTILE, k=rng.randrange(1, 6)))
    columns = [[line() for _ in range(8)] for _ in range(4)]
    corpus = Corpus(columns[0], [columns[1]], columns[2:], reference_names=["<b>ref\n</b>"], system_names=["</script><i>\"'\n\u202e", "{{data}}<b>"])
    text = report(corpus, [MEAN], command="gecnb report -s '<script>'", title="</title><script>")
    page = Page(text)
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in Page(report(corpus_of(0), [MEAN])).tags}
    assert [tag for tag, _ in page.tags].count("script") == 2 and not {name for _, named in page.tags for name in named if name.startswith("on")}
    assert text.count("</script>") == 2 and text.count("<!--") == 0 and not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", text)
    assert page.data["sources"] == [" ".join(source.split()) for source in columns[0]]
    for h in (0, 1): assert [applied(*pair) for pair in zip(page.data["sources"], page.data["changes"][h], strict=True)] == list(map(str.split, columns[2 + h]))
    assert "</title><script>" in page.texts["title"] and "gecnb report -s '<script>'" in page.texts["dd"]


def test_the_page_loads_nothing():
    text = report(corpus_of(0), [MEAN])
    assert "default-src 'none'" in text and not re.findall(r"https?:|//[a-z]|@import|url\(|[a-z]HTML\b|eval\(|document\.write", text)
    named = [named for _, named in Page(text).tags]
    assert not any("src" in each for each in named) and all(each["href"].startswith("#") for each in named if "href" in each)
    places = {each["id"] for each in named if "id" in each}
    assert {each["href"][1:] for each in named if "href" in each} <= places


# ---- what is refused

TWO = Corpus(["a b"], [["a c"]], [["a c"], ["a b"]], system_names=("A", "B"))


def gold_like(*sources, **outputs):
    return GoldCorpus(gold_of(gold_from_texts(sources, [["a c"] * len(sources)])), outputs.values(), [*outputs])


@pytest.mark.parametrize("call,error,says", [
    (lambda: report(TWO, GLEU()), TypeError, "metrics is GLEU"), (lambda: report(TWO, []), ValueError, "metrics is empty"),
    (lambda: report(TWO, ["gleu"]), TypeError, "metric is 'gleu': give a metric, such as GLEU()"), (lambda: report(TWO, [GLEU()], top=0), ValueError, "top is 0: give a whole number"),
    (lambda: report(TWO, [GLEU()], baseline="another"), ValueError, "baseline 'another' is none of the systems: use one of INPUT, A, B"),
    (lambda: report(gold_like("a b", A=["a c"]), [M2()]), TypeError, "corpus is GoldCorpus: give a Corpus, whose"),
    (lambda: report(TWO, [GLEU()], edits=[[]]), TypeError, "edits is list; give a mapping, {system: its Sentences}"),
    (lambda: report(TWO, [GLEU()], edits={"Z": [[]]}), ValueError, "a system of edits is 'Z': use one of A, B"),
    (lambda: report(TWO, [GLEU()], reference_edits=[[[]]] * 2), ValueError, "reference_edits has 2 columns for 1 references: give each one"),
    (lambda: report(TWO, [GLEU()], also=["x"]), TypeError, "also holds str; give a GoldCorpus or an EditCorpus"),
    (lambda: report(TWO, [GLEU()], also=GoldCorpus(gold_of(GOLD), TEXTS[2])), TypeError, "also is GoldCorpus"),
    *((lambda name=name: report(TWO, [GLEU()], **{name: np.zeros(3)}), TypeError, f"{name} is ndarray; give a string")
      for name in ("title", "command", "date", "baseline")),
    (lambda: report(TWO, [GLEU()], edits={"A": [[]]}), ValueError, "A: sentence 1: the edits make 'a b' of the source; the system has 'a c'"),
    (lambda: report(TWO, [M2()], also=[gold_like("a d", A=["a c"], B=["a b"])]), ValueError, "sentence 1: GoldCorpus has another source"),
    (lambda: report(TWO, [M2()], also=[gold_like("a b", A=["a c"])]), ValueError, "GoldCorpus has other systems"),
    (lambda: report(TWO, [M2()], also=[gold_like("a b", "d", A=["a c", "d"], B=["a b", "d"])]),
     ValueError, "corpus has 1, GoldCorpus has 2"),
    (lambda: report(TWO, [ERRANT()], also=[EditCorpus(m2_of(("a b", {0: [(0, 2, "c"), (1, 2, "d")]})),
                                                      {name: system_from_texts(["a b"], [text]) for name, [text] in zip("AB", TWO.systems, strict=True)})]),
     ValueError, "gold: sentence 1: line 2: edit 0 2 overlaps another edit of annotator 0"),
    ],
    ids=lambda x: x if isinstance(x, str) else "")
def test_what_is_refused(call, error, says):
    with pytest.raises(error, match=re.escape(says)): call()


# ---- the command

@pytest.fixture
def files(write):
    "Three sentences, two references, two systems, and their edits"
    texts = {"S": ["He go home .", "I likes tea .", "It rain ."], "R0": ["He goes home .", "I like tea .", "It rains ."],
             "R1": ["He went home .", "I like tea .", "It rains ."], "A": ["He goes home .", "I likes tea .", "It rains ."], "B": ["He go to home .", "I like tea .", "It rain ."]}
    typed = {f"{name}.m2": "\n".join(m2_lines(system_from_texts(texts["S"], texts[name]))).replace("|R|", "|R:VERB|") + "\n" for name in "AB"}
    write({**texts, **typed, "gold.m2": m2_lines(gold_from_texts(texts["S"], [texts["R0"], texts["R1"]]))})
    return texts


@pytest.fixture
def written(printed):
    "The page of a command"
    def run(line):
        assert printed(f"report {line} -O page.html {'-i 100' if '--test' in line else ''}") == ""
        return Page(Path("page.html").read_text(encoding="utf-8"))
    return run


def test_the_command_is_the_function(files, written):
    page = written("-s S -r R0 R1 -o A name=B --metrics green:beta=2,order=2 gleu:references=mean --baseline name --top 7")
    corpus = Corpus(files["S"], [files["R0"], files["R1"]], [files["A"], files["B"]], system_names=["A", "name"])
    same = Page(report(corpus, [GREEN(beta=2, order=2), GLEU(references="mean")], baseline="name", top=7))
    assert page.tables == same.tables and page.data == same.data
    assert "gecnb report -s S -r R0 R1 -o A name=B --metrics green:beta=2,order=2" in page.texts["dd"]
    alone = written("-s S -r R0 -o A")
    assert "by GLEU references=mean, times 100" in alone.texts["scores"]
    chooses = [any(named.get("id") == "metric" for _, named in each.tags) for each in (page, alone)]
    assert chooses == [True, False]


def test_the_command_reads_edits(files, written):
    page = written("-s S -r R0 R1 -o A.m2 B.m2 -g gold.m2 --metrics gleu:references=mean m2 errant")
    assert "R:VERB" in page.data["types"] and page.data["names"] == ["A", "B"]
    texts = written("-s S -r R0 R1 -o A B -g gold.m2 --metrics gleu:references=mean m2 errant")
    for k in range(3): assert page.tables["scores", k] == texts.tables["scores", k]
    alone = written("-o A B -g gold.m2")
    assert alone.tables["scores", 0] == texts.tables["scores", 1]
    for name, column in zip(("R0", "R1"), alone.data["references"], strict=True):
        assert [applied(*pair) for pair in zip(alone.data["sources"], column, strict=True)] == list(map(str.split, files[name]))


@pytest.mark.parametrize("line,says", [
    ("-s S -r R0 -o A B.m2 -O page.html", "B is an M2 file, and A is text"),
    ("-s S -r S -o A --metrics cleme -O page.html", "CLEME: no reference changes anything"),
    ("-s S.html -r R0 -o A -O S.html", "S.html is read here, as S.html"),
    ("-s S -r R0 -o A -O link.html", "link.html is read here, as A"),
    ("-s S -r R0 -o A -O page.html --model x", "--model is ERRANT's; add --errant")])
def test_bad_input_is_one_line_and_no_page(line, says, files, write, refused):
    "A page that was there stays; the lesson shows what else is refused"
    write({"S.html": files["S"], "page.html": "old"})
    Path("link.html").symlink_to("A")
    err = refused(f"report {line}")
    assert err.startswith("gecnb report: error: ") and says in err


def test_the_options_of_compare_and_no_folders_of_this_machine(files, tmp_path, written):
    texts = f"-s S -r {tmp_path / 'R0'} R1 -o A B -g {tmp_path / 'gold.m2'} --metrics m2 green"
    page = written(f"{texts} --test bootstrap --confidence .9 --seed 3 --no-input --note mine --baseline B")
    assert str(tmp_path) not in Path("page.html").read_text() and "1: R0, 2: R1" in page.texts["dd"]
    for k in range(2):
        assert "INPUT" not in page.rows("scores", k) and "90 % interval" in page.tables["scores", k][0]
        assert "|note:mine" in page.texts["scores", k] and "bootstrap|draws:100|seed:3" in page.texts["scores", k]


# ---- the page in a browser

@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    "A page of two metrics on the disk, what it holds, and what it is made of"
    corpus = corpus_of(5, 30)
    path, text = tmp_path_factory.mktemp("page") / "report.html", report(corpus, METRICS[:2], top=10)
    path.write_text(text, encoding="utf-8")
    return path, Page(text), corpus


@pytest.fixture
def opened(browser, shown):
    "The page, opened on a laptop: what it holds, and what it is made of"
    browser.show(1200)
    browser.visit(shown[0].as_uri())
    return shown[1:]


CARDS = "[...document.querySelectorAll('.card')]"


def test_cards_of_an_edit_metric_show_annotators(browser, files, written):
    Path("gap.m2").write_text("\n".join(m2_lines(m2_of(("He go home .", {0: [(1, 2, "goes")], 2: [(1, 2, "went")]}), ("I likes tea .", {2: [(1, 2, "like")]}), ("It rain .", {0: [(1, 2, "rains")]})))) + "\n")
    for line, metric in ("-s S -r R0 -o A B -g gap.m2 --metrics gleu errant", 1), ("-o A B -g gap.m2 --metrics m2", 0):
        written(line)
        browser.visit(Path("page.html").resolve().as_uri())
        said = browser.run(f"metric = {metric}; chosen(); [...document.querySelectorAll('.who')].map((each) => each.textContent)")
        assert not browser.reported("Runtime.exceptionThrown") and "annotator 2" in said and not any("reference" in who for who in said)
        assert sum(who.startswith("A ") and who.endswith((" · annotator 0", " · annotator 2")) for who in said) == 3


@pytest.mark.parametrize("width,scheme", [(1200, "light"), (390, "dark")])
def test_it_opens_from_a_disk(width, scheme, browser, shown):
    browser.show(width, scheme)
    browser.visit(shown[0].as_uri())
    assert not browser.reported("Runtime.exceptionThrown") and not browser.reported("Log.entryAdded")
    assert {e["request"]["url"] for e in browser.reported("Network.requestWillBeSent")} == {shown[0].as_uri()}
    assert browser.run("document.documentElement.scrollWidth") <= width and browser.run(f"{CARDS}.length") == 10


def test_words_are_underlined_by_their_region(browser, opened):
    "Of each output, against the reference that its line names; words that were not touched are kept words first"
    read = """[...Array(data.sources.length).keys()].map((d) => names.map((_, h) => {
      const pieces = systemOf(h, d), found = regions(wordsOf(d), data.references[data.against[metric][h][d]][d], pieces);
      return pieces.map((piece) => [piece.word, found.get(piece), Boolean(piece.edit)]); }))"""
    seen, (page, corpus), turned = browser.run(read), opened, 0
    data = page.data
    for d, outputs in enumerate(seen):
        for h, words in enumerate(outputs):
            assert [word for word, *_ in words] == corpus.systems[h][d].split()
            reference = corpus.references[data["against"][0][h][d]][d]
            texts = {"source": corpus.sources[d].split(), "reference": reference.split(), "hypothesis": corpus.systems[h][d].split()}
            rows = occurrence_regions(texts, 1)["hypothesis"]
            assert sorted((word,) + (region,) for word, region, _ in words) == sorted((gram[0], region) for gram, region in rows)
            for word in {word for word, *_ in words}:
                untouched = [region for each, region, touched in words if each == word and not touched]
                numbers = region_counts(*(texts[role].count(word) for role in texts))
                assert untouched.count("TK") == min(numbers["TK"], len(untouched))
                turned += len({region for each, region, _ in words if each == word}) > 1
    assert turned > 5


def test_of_equal_words_that_one_is_underlined_which_the_reference_takes_out(browser, opened):
    seen = browser.run("""[[[0, 1, "", 0]], [[2, 3, "", 0]], [[0, 1, "", 0], [1, 2, "", 0]]].map((wanted) => {
      const pieces = applied(words("will I will go"), []), found = regions(words("will I will go"), wanted, pieces);
      return pieces.map((piece) => found.get(piece)).join(" "); })""")
    assert seen == ["UD TK TK TK", "TK TK UD TK", "UD UD TK TK"]


def test_a_gap_stands_where_the_reference_puts_words_in_and_the_output_changes_nothing(browser, opened):
    seen = browser.run("""[...Array(data.sources.length).keys()].map((d) => names.map((_, h) =>
      line("", outputLine(h, d)).textContent.split(" ").filter((word) => word.startsWith("\\u2003")).length))""")
    data, found = opened[0].data, 0
    for d, gaps in enumerate(seen):
        for h, many in enumerate(gaps):
            places = {place for start, end, *_ in data["changes"][h][d] for place in range(start, end + 1)}
            wanted = [start for start, end, *_ in data["references"][data["against"][0][h][d]][d] if start == end]
            assert many == len([place for place in wanted if place not in places])
            found += many
    assert found > 3


def test_a_card_prints_a_worth_as_the_tables_do(browser, opened):
    page, same = opened[0], 0
    for k in (0, 1):
        assert browser.run("[2, 0, -1].map(tone)") == ["up", "zero", "down"]
        printed = browser.run(f"metric = {k}; data.changes.map((column) => column.map((edits) => edits.map((edit) => signed(worth(edit)))))")
        rows = page.rows("often", k)
        for h, column in enumerate(page.data["changes"]):
            for source, edits, texts in zip(page.data["sources"], column, printed[h], strict=True):
                for (start, end, put, *_), text in zip(edits, texts, strict=True):
                    words = f"{' '.join(source.split()[start:end]) or 'nothing'} → {put or 'nothing'}"
                    if words not in rows or (three := groups(rows[words])[h])[0] != "1": continue
                    assert three[1:] == [text, text]
                    same += 1
    assert same > 5


def test_order_filter_metric_and_more(browser, opened):
    page, corpus = opened
    data = page.data
    worth = lambda k, h, d: sum(edit[4 + k] for edit in data["changes"][h][d])
    numbers = lambda: browser.run(f"{CARDS}.map((card) => Number(card.querySelector('h3').textContent.split(' ')[1]) - 1)")
    choose = lambda name, value: browser.run(f"{{ const field = document.getElementById('{name}'); field.value = {json.dumps(value)}; "
                                             f"field.dispatchEvent(new Event('{'input' if name == 'words' else 'change'}')) }}")
    every = range(len(corpus))
    for k in (0, 1):
        choose("metric", str(k))
        orders = {"difference": lambda d, k=k: -abs(worth(k, 0, d) - worth(k, 1, d)), "gain 0": lambda d, k=k: -worth(k, 0, d), "loss 1": lambda d, k=k: worth(k, 1, d),
                  "harm": lambda d, k=k: min([0, *(edit[4 + k] for h in (0, 1) for edit in data["changes"][h][d])]), "text": lambda d: d}
        for value, key in orders.items():
            choose("order", value)
            assert numbers() == sorted(every, key=lambda d, key=key: (key(d), d))[:10], (k, value)
        visible = browser.run("[...document.querySelectorAll('[data-metric]')].filter((part) => part.offsetParent).map((part) => Number(part.dataset.metric))")
        assert set(visible) == {k} and len(visible) == 6 and browser.run("![...document.querySelectorAll('[data-metric] > h3')].some((title) => title.offsetParent)")
    browser.run("document.getElementById('more').click()")
    assert numbers() == list(range(20)) and browser.run("document.activeElement.querySelector('h3').textContent") == "Sentence 11"
    word = corpus.systems[1][3].split()[0] if corpus.systems[1][3].split() else corpus.sources[0].split()[0]
    choose("words", word.upper())
    texts = [[" ".join(column[d].split()) for column in (corpus.sources, *corpus.references, *corpus.systems)] for d in every]
    assert browser.run("list") == [d for d in every if any(word.lower() in text.lower() for text in texts[d])]
    choose("words", "")
    choose("type", "0")
    assert browser.run("list") == [d for d in every if any(edit[3] == 0 for h in (0, 1) for edit in data["changes"][h][d])]
    assert browser.run("document.getElementById('found').textContent").endswith(f" of {len(browser.run('list'))} sentences")


def test_it_can_be_read_without_eyes_and_without_a_mouse(browser, opened):
    def every(what, holds): return browser.run(f"[...document.querySelectorAll('{what}')].every((each) => {holds})")
    assert every("select, input", "each.labels.length && each.labels[0].textContent.trim()")
    assert every("table", "each.caption && each.querySelector('th[scope=col]') && each.querySelector('th[scope=row]')")
    assert every(".scroll", "each.tabIndex === 0 && each.getAttribute('aria-label')")
    assert browser.run("document.documentElement.lang") == "en" and browser.run("document.querySelectorAll('h1').length") == 1


def test_hostile_text_in_a_browser(browser, tmp_path):
    sources, references, outputs = ([" ".join(HOSTILE[k + a:k + b]) for k in range(10)] for a, b in ((0, 3), (0, 2), (1, 4)))
    corpus = Corpus(sources, [references], [outputs], system_names=["</script><b>"])
    (tmp_path / "page.html").write_text(report(corpus, [MEAN]), encoding="utf-8")
    browser.visit((tmp_path / "page.html").as_uri())
    assert not browser.reported("Runtime.exceptionThrown") and browser.run(f"{CARDS}.length") == 10
    assert browser.run("document.querySelectorAll('main b b, main img, main i, main script').length") == 0
    assert browser.run("textOf(systemOf(0, 0)).join(' ')") == " ".join(outputs[0].split())
