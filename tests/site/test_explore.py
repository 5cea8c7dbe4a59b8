"The explorer of the site, a second writing of the formulas in JavaScript: held to the first, number by number"
from collections import Counter
from itertools import chain
from random import Random
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, GoogleGLEU
from gecmetrics_nb.alignment.search import TooManyAlignments, align, chunk_links
from browser import CUT_OFF, complaints
from gecmetrics_nb.metrics.i_measure import COUNTS, alignment_counts, improvement, weighted_accuracy
from gecmetrics_nb.metrics.meteor import meteor_parts
from gecmetrics_nb.core.token_ids import unit_functions
from gecmetrics_nb.viz.sentence import occurrence_regions, sentence_metrics
from places import ROOT
import slow

NODE = shutil.which("node")
pytestmark = [pytest.mark.skipif(not NODE, reason="no Node.js, which runs the explorer's script without a page"),
              pytest.mark.xdist_group("explorer")] # one process, so that ten thousand cases are scored once

def answers(script, data):
    "What a script gives that has the explorer's as `explorer`, and the data as `data`"
    given = 'const explorer = require(process.argv[1]), data = JSON.parse(require("fs").readFileSync(0, "utf8"));'
    words = [NODE, "-e", f"{given}\nconsole.log(JSON.stringify((() => {{ {script} }})()))", str(ROOT / "nbs" / "explore.js")]
    return json.loads(subprocess.run(words, input=json.dumps(data), capture_output=True, text=True, check=True).stdout)


RUN = """
const { METRICS, evaluate, fates } = explorer;
const answer = (one) => {
  const { texts, scores } = evaluate(one);
  const three = { source: texts.source, reference: texts.references[0], hypothesis: texts.hypothesis };
  return { scores: Object.fromEntries(Object.entries(scores).map(([k, v]) => [k, Number.isNaN(v) ? null : v])),
           fates: [1, 2, 3].map((n) => fates(three, n)) };
};
return { names: Object.keys(METRICS), answers: data.map(answer) };
""" # its metrics, and for each case scores, fates of words


LETTERS = "a b c the of . grün 東京 👩‍👩‍👧 e\u0301 x\u00a0y ".split(" ")
BLANKS = [" ", "  ", "\u2003", "\u00a0", "\x1c", "\x85", "\ufeff"] # the last is none to Python


def random_text(random, words):
    text = "".join(random.choice(words) + random.choice(BLANKS if random.random() < .05 else [" "]) for _ in range(random.randrange(10)))
    return text if random.random() < .3 else text.strip()


def random_case(random):
    "Texts that have much in common, now and then an empty one; any order, unit and beta"
    words = random.sample(LETTERS, random.choice([2, 3, 5, 8]))
    texts = [random_text(random, words) for _ in range(2 + random.choice([1, 1, 1, 2, 3]))]
    for i in range(1, len(texts)):
        if random.random() < .3: texts[i] = random.choice(texts[:i])
    random.shuffle(texts)
    return {"source": texts[0], "hypothesis": texts[1], "references": texts[2:], "order": random.choice([1, 2, 3, 4, 4, 6, 9]),
            "unit": random.choice(["word", "word", "char"]), "beta": random.choice([0, .1, .5, 1, 2, 3.7])}


def metrics_of(order, unit, beta):
    "The metrics of the script, by its names"
    greens = {f"GREEN, beta {beta:g}": GREEN(order=order, unit=unit, beta=beta) for beta in (.5, 1, 2)}
    gleus = {f"GLEU, {variant}": GLEU(order=order, unit=unit, variant=variant) for variant in ("code", "paper", "2015")}
    return {**gleus, **greens, "Google-GLEU": GoogleGLEU(order=order, unit=unit), "BLEU": BLEU(order=order, unit=unit),
            "GREEN": GREEN(order=order, unit=unit, beta=beta), "METEOR": METEOR(),
            "GREEN, union": GREEN(order=order, unit=unit, beta=beta, references="union")}


def in_python(cases):
    "{name: score} of each case from the library; those with equal settings are scored as one corpus"
    alike, found = {}, [{} for _ in cases]
    for i, case in enumerate(cases):
        alike.setdefault((case["order"], case["unit"], case["beta"], len(case["references"])), []).append(i)
    for (*settings, _), group in alike.items():
        for name, metric in metrics_of(*settings).items():
            for i, score in zip(group, scores_of(metric, [cases[i] for i in group]), strict=True): found[i][name] = score
    return found


def scores_of(metric, cases):
    "Scores of some cases, None where METEOR refuses one"
    references = list(zip(*(case["references"] for case in cases), strict=True))
    texts = dict(sources=[c["source"] for c in cases], hypotheses=[c["hypothesis"] for c in cases], references=references)
    try: return metric.sentence_scores(**texts).tolist()
    except TooManyAlignments: return [None] if len(cases) == 1 else [x for case in cases for x in scores_of(metric, [case])]


@pytest.fixture(scope="module")
def both():
    random = Random(0)
    cases = [random_case(random) for _ in range(10_000)]
    return cases, answers(RUN, cases)


def test_every_score_is_that_of_the_library(both):
    cases, found = both
    silent = 0
    for case, answer, expected in zip(cases, found["answers"], in_python(cases), strict=True):
        assert set(expected) == set(answer["scores"])
        for name, score in answer["scores"].items():
            if score is None: silent += 1; assert name == "METEOR"
            else: assert expected[name] is not None and abs(score - expected[name]) < 1e-12, (name, case)
    assert silent < 50, silent # the script tries all alignments, and says so where they are too many


def test_every_ngram_has_the_region_of_the_library(both):
    cases, found = both
    for case, answer in zip(cases, found["answers"], strict=True):
        see, cut = unit_functions(case["unit"])
        texts = {role: cut(see(text)) for role, text in (("source", case["source"]), ("reference", case["references"][0]), ("hypothesis", case["hypothesis"]))}
        for n, fates in enumerate(answer["fates"], 1):
            assert fates == {role: [["\0".join(gram), region] for gram, region in row] for role, row in occurrence_regions(texts, n).items()}, (n, case)


@pytest.mark.parametrize("words", [700, 2500])
def test_a_long_text_has_the_regions_of_the_library(words):
    "Some are aligned, and longer ones are not"
    random = Random(words)
    source = random.choices("abcdefgh", k=words)
    hypothesis = [word for word in source for word in random.choice([[word]] * 8 + [[], [word, "a"]])]
    hypothesis = ["x", *hypothesis, "y"]
    texts = {"source": source, "reference": source[1:], "hypothesis": hypothesis}
    case = {"source": " ".join(source), "references": [" ".join(source[1:])], "hypothesis": " ".join(hypothesis), "order": 1, "unit": "word", "beta": 1}
    [answer] = answers(RUN, [case])["answers"]
    rows = {role: [[gram[0], region] for gram, region in row] for role, row in occurrence_regions(texts, 1).items()}
    assert rows == answer["fates"][0]


def test_it_knows_every_metric_that_a_sentence_is_shown_under(both):
    assert set(sentence_metrics(4)) <= set(both[1]["names"])


PARTS = """return data.map(([h, r]) => {
    const found = explorer.meteorParts(h, r);
    return { ...found, chunks: explorer.chunksOf(found.lines) };
});"""


def test_the_drawn_chunks_and_factors_are_those_of_the_library():
    random = Random(1)
    pairs = [[random.choices("abcdef", k=random.randrange(8)) for _ in range(2)] for _ in range(2000)]
    for (h, r), found in zip(pairs, answers(PARTS, pairs), strict=True):
        pieces = [[tuple(line) for line in lines] for lines in found["chunks"]]
        lines = sorted(line for piece in pieces for line in piece)
        assert pieces == chunk_links(lines) and len(pieces) == found["pieces"] == len(chunk_links(align(h, r)))
        assert len(lines) == len(align(h, r)) and all(h[i] == r[j] for i, j in lines)
        factors = meteor_parts([[len(lines), len(pieces), len(h), len(r)]])
        assert np.allclose([found[name] for name in ("precision", "recall", "mean", "penalty")], factors, rtol=0, atol=1e-12), (h, r)


def test_columns_and_improvement_are_those_of_the_library():
    "Classes of columns, W, B and I of three nonsense texts of up to seven words"
    random = Random(2)
    triples = [[tuple(random.choices(range(1, 6), k=random.randrange(8))) for _ in range(3)] for _ in range(2000)]
    tallies = [alignment_counts(some) for some in (triples, [(s, s, r) for s, _, r in triples])]
    W, B = map(weighted_accuracy, tallies)
    found = answers("return data.map((texts) => explorer.improvement(...texts));", triples)
    classes = [Counter(name for one in each["classes"] for name in (("FP", "FN", "FPN") if one == "FPN" else [one])) for each in found]
    assert [[each[name] for name in COUNTS] for each in classes] == tallies[0].tolist()
    numbers = [[each[name] for each in found] for name in "WBI"]
    assert np.allclose(numbers, [W, B, improvement(W, B)], rtol=0, atol=1e-12)


LINKS = "return data.map((hash) => [explorer.fromLink(hash), explorer.evaluate(explorer.fromLink(hash)).scores]);"
ODD = ["toString", "constructor", "__proto__"] # every object has them
ODD = [f"{name}={x}" for name in ("unit", "lens", "order", "beta") for x in ("", "x", "-3", "NaN", *ODD)] + ["beta=Infinity", "__proto__=x"]


def test_an_address_cannot_ask_for_a_setting_that_there_is_not():
    hashes = [f"#explore&source=a+b&reference=a+c&hypothesis=a+c&{odd}" for odd in ODD]
    usual = {"source": "a b", "references": ["a c"], "hypothesis": "a c", "order": 4, "unit": "word", "beta": 2, "lens": "GLEU, code"}
    for odd, (state, scores) in zip(ODD, answers(LINKS, hashes), strict=True):
        assert state == usual | ({"order": 1} if odd == "order=-3" else {}) and scores["GLEU, code"] == 1, odd
    asked = "#explore&source=a&reference=b&reference=c&hypothesis=d&order=12&unit=char&beta=0.5&lens=GREEN%2C+recall"
    assert answers(LINKS, [asked])[0][0] == {"source": "a", "references": ["b", "c"], "hypothesis": "d", "order": 9,
                                             "unit": "char", "beta": .5, "lens": "GREEN, recall"}


COUNTED = """
const { LENSES, evaluate, shareOf, signsOf } = explorer;
return data.map((one) => {
  const { texts, counts } = evaluate(one);
  const three = { source: texts.source, reference: texts.references[0], hypothesis: texts.hypothesis };
  const orders = (name) => counts.map((order, i) => [shareOf(name, order.each[0]), signsOf(three, name, i + 1)]);
  return Object.fromEntries(Object.keys(LENSES).map((name) => [name, orders(name)]));
});
"""


def shares_of(source, reference, hypothesis, n):
    "(numerator, denominator) of each metric at one order, by the slow definitions"
    s, r, h = (slow.grams(text, n) for text in (source, reference, hypothesis))
    match, paper = (h & r).total(), slow.gleu_counts("paper", s, r, h)[0]
    tp, fp, fn = slow.green_counts(source, [reference], hypothesis, n)
    return {"BLEU": (match, h.total()), "Google-GLEU": (match, max(h.total(), r.total())),
            "GLEU, paper": (max(0, paper), h.total()), "GLEU, code": slow.gleu_counts("code", s, r, h),
            "GREEN, precision": (tp, tp + fp), "GREEN, recall": (tp, tp + fn)}


def test_each_metric_counts_the_ngrams_that_are_shown_for_it():
    "Its fraction is that of its paper; the signs of the n-grams add up to it, and in Google-GLEU to the matches alone"
    random = Random(2)
    cases = [random_case(random) | {"unit": "word"} for _ in range(500)]
    for case, answer in zip(cases, answers(COUNTED, cases), strict=True):
        for n in range(case["order"]):
            expected = shares_of(case["source"], case["references"][0], case["hypothesis"], n + 1)
            assert set(expected) == set(answer)
            for name, orders in answer.items():
                share, grams = orders[n]
                signs = Counter(sign for _, _, sign in grams)
                assert (share["part"], share["whole"]) == expected[name], (name, case)
                assert (signs["+"], signs["−"]) == (share["for"], share["off"]), (name, case)
                if name != "Google-GLEU": assert len(grams) == share["whole"], (name, case)


# ---- in a page

@pytest.fixture
def opened(site, browser):
    "Open a page anew in a window of a width, and wait until something is there"
    def opened(page, ready, width=390):
        browser.show(width)
        browser.send("Page.navigate", url="about:blank") # another place of the same page would not load it
        browser.visit(f"{site.as_uri()}/{page}")
        browser._until(lambda: browser.run(ready), f"{page}: not {ready}")
    return opened


def buttons(place): return f"[...document.querySelectorAll('{place} button')]"


def test_a_shared_link_leads_to_its_explorer(opened, browser):
    "Its sentence is in sight and whole, with the choice of metric and a legend of its marks; it is what the button copies"
    asked = "#explore&source=He+go+home+.&hypothesis=" + "+".join(["He", "go"] * 30) + "&reference=He+goes+home+.&order=2&lens=GREEN%2C+recall"
    for width in 1280, 390:
        box = "document.querySelector('[data-explore]').getBoundingClientRect()"
        opened("viz/sentence.html" + asked, f"!!document.querySelector('.explore textarea') && Math.abs({box}.top - 80) < 90", width)
        cut = "[...document.querySelectorAll('.explore textarea')].filter(e => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1).length"
        assert browser.run(cut) == 0
        assert browser.run("document.querySelectorAll('.explore textarea')[2].value").count("go") == 30
        select = "[...document.querySelector('.explore').querySelectorAll('select')].at(-1)"
        assert browser.run(f"{select}.value") == "GREEN, recall" and browser.run(f"{select}.labels[0].textContent").startswith("n-grams counted by")
        assert "GREEN, recall" in browser.run("document.querySelector('.explore-ribbon > p:last-child').textContent")
        legend = "document.querySelector('.explore-ribbon > p').textContent" # has the marks that are there
        assert "underlined" in browser.run(legend) and "taken off" not in browser.run(legend)
        browser.run(f"(() => {{ {select}.value = 'GLEU, paper'; {select}.dispatchEvent(new Event('change')); }})()")
        assert "GLEU, paper: brevity penalty 1.000" in browser.run("document.querySelector('.explore-ribbon > p:last-child').textContent")
        assert "underlined" not in browser.run(legend) and "taken off" in browser.run(legend)
        browser.run(f"{buttons('.explore-presets')}.find(e => e.textContent == 'copy a link').click()")
        assert "lens=GLEU%2C+paper" in browser.run("location.hash")
    assert not list(complaints(browser))


SCORES = "document.querySelectorAll('.explore-scores output').length"


def test_green_on_the_union_is_shown_where_there_are_several_references(opened, browser):
    texts = "source=He+go+home+quick+.&hypothesis=He+goes+home+fast+.&reference=He+goes+home+quickly+.&order=2&beta=1"
    rows = "Object.fromEntries([...document.querySelector('.explore-scores').querySelectorAll('output')].map(o => [o.previousElementSibling.textContent, o.textContent]))"
    for more, greens in ("", {"GREEN, beta 1": "80.18"}), ("&reference=He+went+home+fast+.", {"GREEN, beta 1": "80.18", "GREEN, beta 1, union": "83.73"}):
        opened(f"viz/sentence.html#explore&{texts}{more}", SCORES)
        assert {name: score for name, score in browser.run(rows).items() if name.startswith("GREEN")} == greens


def test_presets_and_the_front_page_part_the_two_gleus(opened, browser):
    scores = "[...document.querySelectorAll('.explore-scores')].map(e => [...e.querySelectorAll('output')].slice(0, 2).map(o => o.textContent))"
    opened("index.html", SCORES, 1280)
    [[code, paper]] = browser.run(scores)
    assert float(code) > float(paper) + 3
    browser.run(f"{buttons('[data-brief=scores]')}.find(e => e.textContent == 'banana').click()")
    [[more, as_much]] = browser.run(scores)
    assert float(more) > float(code) and as_much == more # as the page says
    opened("viz/sentence.html", f"{buttons('.explore-presets')}.length", 1280)
    browser.run(f"{buttons('.explore-presets')}.find(e => e.textContent == 'two the').click()")
    assert browser.run(scores)[0] == ["88.89", "77.78"] # 8 of 9 and 7 of 9 words


def test_the_page_of_gleu_begins_with_bleu_and_gleu(opened, browser):
    "A bar each, as its sentence begins, as the page says it for the untouched text, and for the reference"
    rows = "[...document.querySelectorAll('.explore-scores output')].map(o => [o.previousElementSibling.textContent, o.textContent])"
    opened("metrics/gleu.html", SCORES, 1280)
    assert browser.run(rows) == [["BLEU", "40.67"], ["GLEU, paper", "27.71"]]
    for name, bleu, gleu in ("do nothing", "35.40", "0.00"), ("copy the reference", "100.00", "100.00"):
        browser.run(f"{buttons('.explore-presets')}.find(e => e.textContent == '{name}').click()")
        assert browser.run(rows) == [["BLEU", bleu], ["GLEU, paper", gleu]]


def test_the_page_of_green_begins_with_an_error_left_alone(opened, browser):
    "On words and pairs, which an explorer counts if the page asks for it: as the page says, also for banana and an empty line"
    rows = "[...document.querySelectorAll('.explore-scores output')].map(o => [o.previousElementSibling.textContent, Math.round(Number(o.textContent))])"
    opened("metrics/green.html", SCORES, 1280)
    says = lambda *three: [[name, score] for name, score in zip(("BLEU", "GLEU, paper", "GREEN, beta 2"), three, strict=True)]
    assert browser.run(rows) == says(63, 0, 53)
    browser.run(f"{buttons('.explore-presets')}.find(e => e.textContent == 'banana').click()")
    assert browser.run(rows) == says(63, 63, 75)
    browser.run("(() => { const field = [...document.querySelectorAll('[data-brief=scores] textarea')].at(-1); field.value = ''; field.dispatchEvent(new Event('input')); })()")
    assert browser.run(rows) == says(0, 0, 45)


def test_the_regions_of_an_edited_sentence_follow(opened, browser):
    "Letters under each word and numbers of words, by Counter, of nonsense in the place of each error"
    rows = "[...document.querySelectorAll('.explore-regions tbody tr')].map(r => [...r.cells].map(c => Number(c.textContent)))"
    opened("core/regions.html", f"{rows}.length == 1", 1280)
    assert browser.run(rows) == [[1, 11, 2, 2, 1, 1, 1, 2]] # as the page counts them: TK, TD, TI, OD, OI, UD, UI
    browser.run(f"{buttons('.explore-presets')}.find(e => e.textContent == 'banana').click()")
    source, reference = ("Yesterday I {} the library and {} two {} about {}history of science .".format(*words).split()
                         for words in (("go to", "borrow", "book", ""), ("went to", "borrowed", "books", "the ")))
    S, R, H = Counter(source), Counter(reference), Counter(w if w in reference else "banana" for w in source)
    by_hand = [S & R & H, S - (R | H), (R & H) - S, (S & R) - H, H - (S | R), (S & H) - R, R - (S | H)]
    assert browser.run(rows) == [[1, *(counts.total() for counts in by_hand)]]
    letters = "[...document.querySelectorAll('.explore-words small')].map(e => e.textContent)"
    assert Counter(browser.run(letters))["OI"] == 3


def test_annotators_are_chosen_for_a_board(opened, browser):
    "One or two of ten; systems by their points, the difference that the page names"
    opened("studies/ranks.html", f"{buttons('[data-board]')}.length == 10")
    seen = "[...document.querySelectorAll('[data-board] output')].map((e) => [e.previousSibling.textContent, Number(e.textContent)])"
    pressed = "[...document.querySelectorAll('[data-board] [aria-pressed=true]')].map((e) => e.textContent).join()"
    leads = {}
    for name in "A", "A", "B", "1": # B alone, both, A alone, and with 1
        browser.run(f"{buttons('[data-board]')}.find((e) => e.textContent == '{name}').click()")
        found = browser.run(seen)
        assert found == sorted(found, key=lambda one: -one[1]) and len(found) == 13
        leads[browser.run(pressed)] = round(dict(found)["CAMB"] - dict(found)["AMU"], 2)
    assert [leads["B"], leads["A"]] == pytest.approx([2.14, -.22], abs=.011) and {*leads} == {"B", "A,B", "A", "A,1"}, leads


def test_the_reader_is_a_judge(opened, browser):
    "Two outputs to press; then the metrics that prefer the same one, the other, neither, and another sentence"
    opened("studies/people.html", f"{buttons('[data-judge]')}.length == 3")
    press = lambda i: browser.run(f"{buttons('[data-judge]')}[{i}].click()")
    says = "document.querySelector('[data-judge] [aria-live]').textContent"
    press(1)
    first = browser.run(says)
    assert first.startswith("Like you: GREEN beta 2. The other one: GLEU of 2015, ") and "Tied: GLEU, GLEU paper. They compare" in first
    press(2)
    assert browser.run(says) == "" and not browser.run(f"{CUT_OFF}")
    press(0)
    second = browser.run(says)
    assert second.startswith("Like you: BLEU, GREEN beta 0.5. The other one: ") and "Agreed" not in second
    press(2)
    press(0)
    third = browser.run(says)
    like = [said.split(": ")[1].split(". ")[0].split(", ") for said in (first, second, third) if said.startswith("Like")]
    told = re.findall(r"Agreed with you (\d) of 3: ((?:[^.]|\.\d)*)\.", third)
    assert [*told] == sorted(told, reverse=True) and {name: int(times) for times, names in told for name in names.split(", ")} == Counter(chain(*like))


def test_columns_change_class_with_the_hypothesis(opened, browser):
    "I-measure as the page has it by hand; the source typed in has nothing but what is missed, and 0"
    opened("metrics/i_measure.html", f"{buttons('[data-columns]')}.length == 4")
    says, classes = "document.querySelector('[data-columns] > p').textContent", "[...document.querySelectorAll('.explore-columns > span')].map((box) => box.className)"
    assert browser.run(says) == "W 0.7692, B 0.7500: I = 0.0769" and Counter(browser.run(classes)) == {"TN": 11, "TP": 2, "FP": 1, "FN": 1, "FPN": 1}
    browser.run(f"{buttons('[data-columns]')}[3].click()")
    assert browser.run(says).endswith("I = \u22121.0000") and not browser.run(f"{CUT_OFF}")
    source = "Yesterday I go to the library and borrow two book about history of science ."
    browser.run(f"(() => {{ const field = document.querySelector('[data-columns] textarea'); field.value = '{source}'; field.dispatchEvent(new Event('input')); }})()")
    assert browser.run(says).endswith("I = 0.0000") and Counter(browser.run(classes)) == {"TN": 12, "FN": 4}


def test_edits_that_a_mode_takes_as_the_same_have_a_tick(opened, browser):
    "ERRANT's two sentences, whose pairs can be told by eye: words, types, places, one word in common"
    opened("metrics/errant.html", "document.querySelectorAll('.same-edits input').length == 4")
    ticked = """[...document.querySelectorAll('.same-edits tr')].flatMap((row) => [...row.querySelectorAll('span')]
        .filter((box) => getComputedStyle(box, '::after').content.includes('\u2713')).map((box) => `${row.cells[0].textContent}: ${box.textContent}`.replace(/\\s/g, ' ')))"""
    struck = """[...document.querySelectorAll('.same-edits tr')].filter((row) => getComputedStyle(row).textDecorationLine == 'line-through')
        .map((row) => row.cells[0].textContent.replace(/\\s/g, ' '))"""
    said = "[...document.querySelectorAll('.same-edits [data-mode]')].filter((line) => line.checkVisibility()).map((line) => line.textContent.split(',')[0])"
    first, both = ["system: likes", "annotator 1: liked"], ["system: the library", "annotator 0: the"]
    same = {"cs": ["system: likes", "annotator 0: likes"], "cse": [], "ds": first, "dt": first + both}
    for mode, expected in same.items():
        browser.run(f"document.querySelector('.same-edits [value={mode}]').click()")
        assert (browser.run(ticked), browser.run(said)) == (expected, [mode])
        assert browser.run(struck) == ["annotator 1" if mode == "cs" else "annotator 0"]
