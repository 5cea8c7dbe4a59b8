"The site as files: every link resolves, every public name is explained, nothing is fetched from elsewhere"
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit
import inspect
import os
import re

import pytest

from conftest import EXAMPLE
from places import ROOT, SITE, SOURCE, cells_of, notebooks, page_of
import docs_after
import examples

MODULES = {path: re.search(r"File to edit: (?:\.\./)+nbs/(\S+?)\.ipynb", path.read_text(encoding="utf-8"))
           for path in sorted((ROOT / "gecmetrics_nb").rglob("*.py")) if not path.name.startswith("_")}


def public_names():
    "(page of the API, its place there, object) of every function and class that a module exports for all"
    import importlib
    for path in (path for path, lesson in MODULES.items() if lesson):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        module = importlib.import_module(name)
        for each in module.__all__:
            symbol = inspect.unwrap(getattr(module, each)) if callable(getattr(module, each)) else None
            if getattr(symbol, "__module__", "") != name or not re.search(rf"^(?:def|class) {each}\b", path.read_text(encoding="utf-8"), re.M): continue
            yield f"api/{name.split('.')[1]}.html", f"{name.rpartition('.')[2]}.{each}", symbol


def test_every_lesson_is_a_page(site, pages):
    lessons = {page_of(p) for p in notebooks()}
    assert {name for name in pages if not name.startswith("api/")} == lessons | {"404.html"}
    example = (site / EXAMPLE).read_text(encoding="utf-8")
    assert {"careful", "bold", "rewriter"} <= set(re.findall(r"\w+", example)) and '<meta name="description"' in example
    assert re.search(r'href="([\w/]+\.html)"', example)[1] in pages # the way back
    assert all(any(link.endswith(EXAMPLE) for link in page.links) for name, page in pages.items() if name != "404.html")


def resolves(site, pages, name, link):
    parts = urlsplit(link)
    if parts.scheme or link == "" or name == "404.html": return True # which is opened at any depth: test_reading.py
    target = (site / name).parent / unquote(parts.path) if parts.path else site / name
    if target.is_dir(): target /= "index.html"
    inside = target.resolve().relative_to(site.resolve()).as_posix() # ValueError: the link leaves the site
    return target.is_file() and not (parts.fragment and inside in pages and unquote(parts.fragment) not in pages[inside].anchors)


def test_every_link_resolves(site, pages):
    assert not [(name, link) for name, page in pages.items() for link in page.links + page.assets if not resolves(site, pages, name, link)]
    told = [m[1] for path in MODULES for m in [re.search(rf"^Docs: {re.escape(SITE)}/(\S+?)\"*$", path.read_text(encoding="utf-8"), re.M)] if m]
    assert len(told) > 60 and not [page for page in told if not (site / page).is_file()] # the text of its page, where a module's docstring leads


def test_an_old_address_leads_to_its_page(site):
    for old, new in ("cli/gold", "inside"), ("stats/type_table", "../metrics/error_types"), ("alignment/chunk_search", "search"), ("api/stats-trueskill", "stats"):
        assert f'{{"":"{new}.html"}}' in (site / f"{old}.html").read_text(encoding="utf-8")


def test_links_to_source_lines_are_definitions(pages):
    links = {link for page in pages.values() for link in page.links if link.startswith(SOURCE)}
    assert len(links) > 100
    for path, _, line in (link.removeprefix(SOURCE + "/").partition("#L") for link in links):
        assert (ROOT / path).is_file() or path.startswith("nbs/api/"), path
        if line: assert re.match(r"(@|def |class )", (ROOT / path).read_text(encoding="utf-8").split("\n")[int(line) - 1]), (path, line)


def test_nothing_is_fetched_from_elsewhere(site, pages):
    assert not [(name, a) for name, page in pages.items() for a in page.assets if urlsplit(a).scheme and not a.startswith(SITE)]
    for path in site.rglob("*.css"): assert not re.search(r"@import|url\(['\"]?(https?:)?//", path.read_text(encoding="utf-8")), path
    assert not [(name, link) for name, page in pages.items() for link in page.links if link.startswith(SITE)]


def test_pages_have_titles_and_descriptions(pages):
    for kind in "title", "description":
        values = [getattr(page, kind) for page in pages.values()]
        assert all(values) and len(set(values)) == len(values), kind


def test_pictures_have_words(pages):
    assert not [(name, page.silent) for name, page in pages.items() if page.silent]


def test_pages_have_what_their_notebooks_have(pages):
    "Each formula as MathML, each figure drawn in the page, each table"
    for path in notebooks():
        text, cells = pages[page_of(path)].text, cells_of(path)
        prose = "\n".join(c["source"] for c in cells if c["cell_type"] == "markdown")
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", prose, flags=re.DOTALL)
        outputs = [o.get("data", {}) for c in cells for o in c.get("outputs", [])]
        assert text.count("<math") >= len(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", prose, re.DOTALL)), path
        assert len(re.findall(r'<figure class="picture', text)) == sum("image/svg+xml" in data for data in outputs), path
        rows = sum("".join(data["text/html"]).count("<table") for data in outputs if "text/html" in data and "image/svg+xml" not in data)
        assert text.count('<div class="printed"><table') == rows, path
        body = re.sub(r"<(pre|code|script|math)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert not re.search(r"\$\$|\\\(|\\\[|katex|\]\((?:/|\.\.|http)", body), path


def test_one_page_leads_to_the_next(pages):
    "From the front page, next leads through every lesson once, what is read first before what is used, and through the API"
    name, seen = "index.html", []
    while name and name not in seen:
        seen.append(name)
        follow = re.search(r'class="nav-page nav-page-next">\s*<a href="([^"]+)"', pages[name].text)
        name = os.path.normpath(Path(name).parent / follow[1]) if follow else None
        if name == EXAMPLE: name = "start/words.html" # a page without a way on
    path = ["core/regions", "metrics/bleu", "metrics/google_gleu", "metrics/gleu", "metrics/green", "metrics/meteor", "metrics/m2", "metrics/i_measure",
            "metrics/family", "metrics/conventions", "stats/significance", "tutorials/compare", "studies/people", "reproduce/gleu_readme", "cli/command_line", "adapters/references", "core/counts"]
    places = [seen.index(f"{page}.html") for page in path]
    assert places == sorted(places) and set(pages) - {"404.html"} <= set(seen)


# ---- the API

plain = lambda text: unescape(re.sub(r"<[^>]+>", "", text))


def test_api_has_every_public_name_with_its_comments(pages):
    names = list(public_names())
    assert len(names) > 200 and {page for page, *_ in names} | {"api/index.html"} == {name for name in pages if name.startswith("api/")}
    letters = lambda text: re.sub(r"\W+", "", text)
    for page, place, symbol in names:
        assert place in pages[page].anchors and f'{page.removeprefix("api/")}#{place}"' in pages["api/index.html"].text
        text = letters(plain(pages[page].text))
        if inspect.isfunction(symbol): # what is said of each parameter
            said = re.findall(r"^    \w.*?# (.*)$", inspect.getsource(symbol).partition('"""')[0].partition('    "')[0], re.M)
            assert all(letters(each) in text for each in said), (place, said)
        assert letters((inspect.getdoc(symbol) or "").split("\n\n")[0].replace("`", "")) in text, place


def test_api_has_examples_and_the_calls_of_its_bases(pages):
    import gecmetrics_nb
    page_of_name = {symbol: page for page, _, symbol in public_names()}
    assert set(examples.EXAMPLES) == set(gecmetrics_nb.__all__) - {"__version__"}
    for name in examples.EXAMPLES:
        symbol = getattr(gecmetrics_nb, name)
        source, output = examples.example_of(name, symbol)
        text = plain(pages[page_of_name[symbol]].text)
        assert source in text and output in text, name
    assert "how many" in plain(pages["api/core.html"].text) # a field
    [gleu] = re.findall(r'(?s)<section id="gleu.GLEU".*?</section>', pages["api/metrics.html"].text)
    assert 'href="../api/core.html#metric.ReferenceMetric"' in gleu and "corpus_score(corpus" not in plain(gleu)


def test_docstrings_are_text(pages):
    "No link by accident ([i][j]), no backslash left in names, no place in memory"
    assert not [name for name, page in pages.items() if name.startswith("api/") and re.search(r"\bat 0x", page.text)]
    assert not [(name, m[0]) for name, page in pages.items() for m in re.finditer(r"<code>[^<\n]*\\[_*$|<][^<\n]*</code>", page.text)]
    own = re.compile(r'<main.*?</main>', re.DOTALL)
    wrong = {(name, link) for name, page in pages.items() if name.startswith("api/") for link in re.findall(r'<a href="([^"]*)"', own.search(page.text)[0])
             if not re.match(r"\.\./|\./|#|[\w-]+\.html|https://github\.com/", link)}
    assert not wrong


def test_a_name_of_two_pages_leads_to_the_metric(pages):
    "GLEU in the text is the metric, not the class of an adapter that bears its name"
    for name in "studies/union.html", "index.html": assert not re.search(r'href="[^"]*adapters/gec_metrics.html#gleu"', pages[name].text), name
    assert 'metrics/gleu.html#gleu"' in pages["index.html"].text


# ---- to be read by whoever does not see the page, or has no mouse

def test_pages_have_an_order(pages):
    "Ids once in the text, no level of headings left out, a name for each button and each link"
    for name, page in pages.items():
        twice = {i for i in page.ids if page.ids.count(i) > 1}
        jumps = [(a, b) for a, b in zip(page.levels, page.levels[1:], strict=False) if b > a + 1]
        assert not twice and not jumps and not page.nameless and page.levels[0] == 1, (name, twice, jumps, page.nameless)


# ---- what a page weighs, and the site without Quarto

def test_a_sheet_keeps_what_pages_use():
    sheet = ("/*! a */@charset \"x\";:root{--a:1}.a,.b .c{x:1}.d:not(.gone){y:1}.gone:hover{z:1}@media (min-width:1px){.gone{a:1}.a:is(h1,h2){b:1}}"
             "@media print{.gone{a:1}}@keyframes k{0%{a:1}to{a:2}}@font-face{font-family:x}h1>a[href*=\".x\"]{c:1}")
    kept = docs_after.slim(sheet, {"a", "d"}).replace("\n", "")
    assert kept == (":root{--a:1}.a{x:1}.d:not(.gone){y:1}@media (min-width:1px){.a:is(h1,h2){b:1}}"
                    "@keyframes k{0%{a:1}to{a:2}}@font-face{font-family:x}h1>a[href*=\".x\"]{c:1}")


def test_every_icon_that_a_page_shows_is_in_the_font(site):
    pytest.importorskip("matplotlib") # which brings fontTools
    from fontTools.ttLib import TTFont
    folder = site / "site_libs/bootstrap"
    codes = dict(re.findall(r'\.(bi-[\w-]+)::before\{\s*content:\s*"\\(\w+)"', (folder / "bootstrap-icons.css").read_text(encoding="utf-8")))
    shown = {name for page in site.rglob("*.html") for name in re.findall(r"\bbi-[\w-]+", page.read_text(encoding="utf-8"))} & set(codes)
    drawn = set(TTFont(folder / "bootstrap-icons.woff").getBestCmap())
    assert shown and {int(codes[name], 16) for name in shown} <= drawn, {name for name in shown if int(codes[name], 16) not in drawn}
