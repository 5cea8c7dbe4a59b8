"Search: the right page and the right place for what one types"
import json
import re
import shutil
import subprocess

import pytest

from browser import complaints, served, stopped

NODE = shutil.which("node")
ASK = """
import { readFileSync } from "node:fs";
const [site, ...questions] = process.argv.slice(1);
const { default: { TokenSearch } } = await import(`${site}/site.js`);
const search = new TokenSearch([], {}); // as Quarto's script calls it
JSON.parse(readFileSync(new URL(`${site}/search.json`), "utf8")).forEach((item) => search.add(item));
console.log(JSON.stringify(questions.map((question) => search.search(question, { limit: 20 }).map((hit) => hit.item))));
"""
QUESTIONS = { # what one types: the places of which one must come first
    "gleu": "metrics/gleu.html", "errant": "metrics/errant.html", "bleu": "metrics/bleu.html", "meteor": "metrics/meteor.html", "green": "metrics/green.html",
    "m2": "metrics/m2.html", "maxmatch": "metrics/m2.html", "i-measure": "metrics/i_measure.html", "cleme": "metrics/cleme.html", "google-gleu": "metrics/google_gleu.html",
    "command line": "cli/command_line.html", "cli": "cli/command_line.html", "terminal": "cli/command_line.html",
    "how to cite": "about/cite.html", "bibtex": "about/cite.html", "install": "index.html#install", "speed": "about/speed.html",
    "gelu": "metrics/gleu.html", "metoer": "metrics/meteor.html", "brevety penalty": "start/words.html#brevity-penalty", "signifcance": "stats/significance.html",
    "bootstrap": "stats/significance.html#the-paired-bootstrap", "jackknife": ("stats/significance.html#jackknife", "start/words.html#jackknife"), "pvalue": "stats/significance.html",
    "confidence interval": ("stats/significance.html#what-an-interval-promises", "stats/significance.html#interval", "start/words.html#interval"), "kendall": ("stats/", "studies/", "start/words.html#pearson-and-spearman"), "lambda": ("metrics/", "reproduce/gleu_2016.html#gleu0"),
    "tokenizer": "core/token_ids.html", "dataframe": ("io/batch.html#data-frames", "core/corpus.html#columns-of-a-data-frame"), "download": "corpora/registry.html",
    "is the difference significant": ("tutorials/compare.html#is-the-difference-real", "stats/significance"), "compare two systems": "tutorials/compare.html",
    "which gleu should i report": ("metrics/gleu.html#what-to-report", "index.html#which-gleu"),
    "which GLEU should I report, with what command": ("index.html#which-gleu", "cli/command_line", "metrics/gleu.html#what-to-report"),
    "write a metric": "tutorials/own_metric", "add my own metric": "tutorials/own_metric", "what does beta do": "metrics/green",
    "score without references for some sentences": "core/corpus.html#score-without-references",
    "print a signature": "cli/command_line.html#the-signature", "human judgments": "stats/human.html", "test sets": "corpora/test_sets.html",
    "latex table": "tutorials/compare.html#a-latex-table-for-a-paper", "api": "api/index.html", "api gleu": "api/metrics.html",
    "OD": "core/regions.html", "what does OD mean": "core/regions.html", "UI": "core/regions.html", "LLM": "reproduce/llm_2026.html",
    "chatgpt": "reproduce/llm_2026.html", "huggingface": "adapters/huggingface.html", "glue": "metrics/gleu.html", "errrant": "metrics/errant.html",
    "reward": "tutorials/reward.html", "sentence_scores": "start/words.html#corpus-score-and-sentence-score", "significance test": "stats/significance.html", "how do I compare two systems": "tutorials/compare.html", "BibTeX for GREEN": "about/cite.html",
}


def unnumbered(item): return item | {"href": re.sub(r"(?<![\w-])\d\d_(?=[a-z])", "", item["href"])}


def index_of(site): return list(map(unnumbered, json.loads((site / "search.json").read_text(encoding="utf-8"))))


def asked(site, questions):
    "The hits of each question, in order"
    if not NODE: pytest.skip("SEARCH IS NOT ASKED: no Node.js")
    done = subprocess.run([NODE, "--input-type=module", "-e", ASK, site.as_uri(), *questions], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]
    return {question: list(map(unnumbered, hits)) for question, hits in zip(questions, json.loads(done.stdout), strict=True)}


def test_questions_find_their_place_first(site):
    first = {question: hits[0]["href"] if hits else "" for question, hits in asked(site, [*QUESTIONS]).items()}
    assert len(QUESTIONS) >= 37 and not {question: hit for question, hit in first.items() if not hit.startswith(QUESTIONS[question])}


def test_words_of_the_glossary_lead_to_it(site):
    "First or second, after a page that is called so"
    entries = {e["section"]: e["href"] for e in index_of(site) if e["href"].startswith("start/words.html#")}
    words = lambda text: set(re.findall(r"\w+", re.sub(r"s\b", "", text.lower())))
    wrong = {}
    for word, hits in asked(site, [*entries]).items():
        places = [hit["href"] for hit in hits[:2]]
        titled = "#" not in places[0] and (words(word) <= words(hits[0]["title"]) or word in ("Texts", "Counting"))
        if places[0] != entries[word] and not (titled and entries[word] in places): wrong[word] = places
    assert len(entries) > 30 and not wrong


def test_the_api_is_marked_and_comes_after_lessons(site):
    for question, hits in asked(site, ["gleu", "significance", "token_ids", "formulas", "align"]).items():
        api = [hit["href"].startswith("api/") for hit in hits]
        assert api == sorted(api) and 0 < sum(api) < len(api), question
        assert all(hit["title"].startswith("API: ") == here for hit, here in zip(hits, api, strict=True))
    names = {name: hits[0]["section"] for name, hits in asked(site, ["token_ids", "corpus_score", "region_counts"]).items()}
    assert names["token_ids"] == "token_ids" and names["region_counts"] == "region_counts"


def test_what_is_found_is_prose(site, pages):
    "No code, nothing of a picture, and each heading of every page"
    index = index_of(site)
    code = re.compile(r"ylabel=|^from \w+ import|import numpy|plt\.|def \w+\(self", re.MULTILINE)
    assert not [e["href"] for e in index if code.search(e["text"]) or e["text"].startswith("API \u00b7")]
    for name, page in pages.items():
        if name == "404.html": continue
        name, headings = unnumbered({"href": name})["href"], set(re.findall(r'<h[2-6][^>]* data-anchor-id="([^"]+)"', page.text))
        assert headings <= {e["href"].partition("#")[2] for e in index if e["href"].partition("#")[0] == name}, name


def test_what_is_typed_into_the_field_finds_its_place(site, browser):
    "Quarto's field asks our search: the first link of what it shows; Enter leads there, and no request leaves"
    server = served(site)
    try:
        browser.show(1280)
        browser.visit(f"http://127.0.0.1:{server.server_port}/index.html")
        browser._until(lambda: browser.run("window.Fuse?.name == 'TokenSearch' && !!document.querySelector('#quarto-search :is(input, button)')"), "no search")
        browser.run("document.querySelector('.aa-DetachedSearchButton')?.click()") # where the field opens above the page
        browser._until(lambda: browser.run("!!document.querySelector('.aa-Input')"), "no field")
        browser.run("document.querySelector('.aa-Input').focus()")
        browser.send("Input.insertText", text="what does OD mean")
        first = "document.querySelector('.search-result-link')?.getAttribute('href')"
        browser._until(lambda: browser.run(first), "nothing is found")
        assert re.match(r"(\./)?core/(\d\d_)?regions\.html", browser.run(first))
        for kind in "keyDown", "keyUp": browser.send("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)
        browser._until(lambda: "regions.html" in browser.run("location.href"), "Enter leads nowhere")
        assert not list(complaints(browser))
    finally: stopped(server)
