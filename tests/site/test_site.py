"The site: every link resolves, every page reads on a phone and a laptop, in light and dark, with nothing fetched from elsewhere"
from html import unescape
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit
import ast
import inspect
import json
import os
import re
import shutil
import sys
import time

import numpy as np
import pytest

from browser import AT_REST, CUT_OFF, complaints, contrast, paint, served, stopped, tap
from gecmetrics_nb import GREEN, METEOR
from gecmetrics_nb.corpora.conll14 import STORED, stored_counts
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.viz.plot import competition_ranks
from places import ROOT, SETTINGS, SHARED, SITE, SOURCE, notebooks, page_of

if sys.version_info < (3, 11): pytest.skip("THE SITE IS NOT TESTED: smalldocs needs Python 3.11", allow_module_level=True)
pytest.importorskip("smalldocs", reason="THE SITE IS NOT TESTED: no smalldocs")

from example_report import example_report
import docs
import docs_api
import docs_lessons
import examples
import live
import svg

WIDTHS, SCHEMES = (390, 1280), ("light", "dark")


def test_quarto_renders_the_same_project_where_it_is_installed(prepared, tmp_path, monkeypatch):
    "A stand-in on PATH writes down what it was called with"
    stand_in = tmp_path / "quarto"
    stand_in.write_text('#!/bin/sh\nmkdir -p "$2/_docs" && ls "$2" > "$2/_docs/listing.txt" && grep -c output-file "$2/core/01_units.ipynb" >> "$2/_docs/listing.txt"\n'
                        'printf "%s %s" "$1" "$3" > "$2/_docs/index.html"\n', encoding="utf-8")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert docs.render(prepared, tmp_path / "site") == ["index.html"]
    assert (tmp_path / "site/index.html").read_text(encoding="utf-8") == "render --no-execute"
    listing = (tmp_path / "site/listing.txt").read_text(encoding="utf-8").split()
    assert {"_quarto.yml", "styles.css", "index.ipynb", "metrics", "api"} <= set(listing) and listing[-1] == "0"


def test_every_lesson_is_a_page(pages):
    lessons = {page_of(p) for p in notebooks()}
    assert lessons <= set(pages)
    assert {name for name in pages if not name.startswith("api/")} == lessons | {"404.html"}


def test_there_is_a_report_to_look_at(site, pages):
    "As `report` makes it, and every page's menu leads to it"
    text = (site / docs.EXAMPLE).read_text(encoding="utf-8")
    assert text == example_report() and {"careful", "bold", "rewriter"} <= set(re.findall(r"\w+", text))
    assert all(any(link.endswith(docs.EXAMPLE) for link in page.links) for name, page in pages.items() if name != "404.html")


def test_every_link_resolves(site, pages):
    broken = []
    for name, page in pages.items():
        for link in page.links + page.assets:
            parts = urlsplit(link)
            if parts.scheme or link == "": continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            inside = target.resolve().relative_to(site.resolve()).as_posix() # ValueError: the link leaves the site
            if not target.is_file(): broken.append((name, link))
            elif parts.fragment and inside in pages and unquote(parts.fragment) not in pages[inside].anchors: broken.append((name, link))
    assert not broken


def test_links_to_source_lines_are_definitions(pages):
    links = {link for page in pages.values() for link in page.links if link.startswith(SOURCE)}
    assert len(links) > 100
    for link in links:
        path, _, line = link.removeprefix(SOURCE + "/").partition("#L")
        assert (ROOT / path).is_file(), link
        if line: assert re.match(r"(@|def |class )", (ROOT / path).read_text(encoding="utf-8").split("\n")[int(line) - 1]), link


def test_nothing_is_fetched_from_elsewhere(site, pages):
    assert not [(name, a) for name, page in pages.items() for a in page.assets if urlsplit(a).scheme or a.startswith("/")]
    for path in [*site.rglob("*.css"), *site.rglob("*.js")]:
        if path.name != "search.js": assert not re.search(r"@import|url\(['\"]?(https?:)?//|fetch\(offset", path.read_text(encoding="utf-8")), path
    assert not [name for name, page in pages.items() for link in page.links if SITE in link]


def test_pages_have_titles_and_descriptions(pages):
    for kind in "title", "description":
        values = [getattr(page, kind) for page in pages.values()]
        assert all(values) and len(set(values)) == len(values), kind


def test_pictures_have_words(pages):
    assert not [(name, page.silent) for name, page in pages.items() if page.silent]
    assert "Eleven words are kept, three are corrected" in pages["index.html"].text


def test_formulas_are_mathml(pages):
    lessons = {page_of(p): p for p in notebooks()}
    for name, page in pages.items():
        body = re.sub(r"<(pre|code|script|math)\b.*?</\1>", "", page.text, flags=re.DOTALL)
        assert not re.search(r"\$\$|\\\(|\\\[|math (inline|display)|katex", body), name
        if name not in lessons: continue
        prose = "\n".join("".join(c["source"]) for c in json.loads(lessons[name].read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "markdown")
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", prose, flags=re.DOTALL)
        assert page.text.count("<math") == len(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", prose, re.DOTALL)), name


def test_one_page_leads_to_the_next(pages):
    "From the front page, next leads through every lesson once, what is read first before what is used, and through the API"
    name, seen = "index.html", []
    while name:
        seen.append(name)
        follow = re.search(r'class="nav-page nav-page-next"><a href="([^"]+)"', pages[name].text)
        name = os.path.normpath(Path(name).parent / follow[1]) if follow else None
    assert sorted(seen) == sorted(set(pages) - {"404.html"}) # a lesson that the sidebar does not name has no next
    path = ["core/regions", "metrics/bleu", "metrics/google_gleu", "metrics/gleu", "metrics/green", "metrics/meteor", "metrics/m2", "metrics/i_measure",
            "metrics/family", "metrics/conventions", "studies/people", "tutorials/compare", "reproduce/gleu_readme", "cli/command_line", "adapters/references", "core/counts"]
    places = [seen.index(f"{page}.html") for page in path]
    assert places == sorted(places)


def test_api_has_every_public_name_with_its_comments(pages):
    plain = lambda text: re.sub(r"[^a-zA-Z0-9]+", "", unescape(re.sub(r"<[^>]+>", "", text)))
    for module, _ in docs_api.modules(ROOT):
        name, symbols = f"api/{docs_api.api_name(docs_api.dotted(module, ROOT))}.html", docs_api.public(docs_api.dotted(module, ROOT))
        assert (name in pages) == bool(symbols) # what a module keeps for itself has no page
        text = plain(pages[name].text) if symbols else ""
        for symbol, it in symbols.items():
            assert symbol in pages[name].anchors and f'{Path(name).name}#{symbol}"' in pages["api/index.html"].text
            rows = docs_api.parameters(it)
            for parameter, *_, about in rows: assert plain(about.replace("<", "&lt;")) in text, (symbol, parameter)
            mine = [kind + about for parameter, kind, _, about in rows if parameter != "returns"] # a class of ours says enough
            if module.parent.name == "metrics" and inspect.isfunction(it): assert all(mine), symbol


def test_api_knows_every_function_and_class_that_is_written():
    "What is read in the modules is what is loaded from them"
    for module, _ in docs_api.modules(ROOT):
        written = {node.name for node in ast.parse(module.read_text(encoding="utf-8")).body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")}
        assert set(docs_api.defined(docs_api.dotted(module, ROOT))) == written, module


def test_api_shows_types_results_and_inherited_fields(pages):
    row = lambda *cells: "".join(f"<td>{cell}</td>\n" for cell in cells)
    code = lambda text: f"<code>{text}</code>"
    for page in "metrics/bleu", "metrics/gleu", "metrics/green":
        assert row(code("order: int = 4"), "largest n") in pages[f"api/{page.replace('/', '-')}.html"].text, page
    assert row(code("sentences: int"), "how many") in pages["api/core-score.html"].text
    assert row(f"returns {code('Iterator')}", "of Counts of successive sentences") in pages["api/core-counts.html"].text


def test_the_same_bytes_twice(site, built, tmp_path):
    "Another worker may have built it, too"
    if "GECNB_SITE" in os.environ: pytest.skip("the site was built once, by make docs: make test without GECNB_SITE")
    sites = map(Path, built.read_text(encoding="utf-8").splitlines())
    again = next((other for other in sites if other != site), tmp_path / "again")
    if not again.exists(): docs.build(again)
    files = lambda folder: {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    first, second = files(site), files(again)
    assert set(first) == set(second)
    assert not [name for name in first if first[name] != second[name]]


# ---- in a browser

STATE = f"""({{
    wide: document.documentElement.scrollWidth - innerWidth, cut: {CUT_OFF},
    broken: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src),
    flat: [...document.querySelectorAll('main math')].filter(m => m.offsetParent !== null && m.getBoundingClientRect().height < 4).length,
    paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.querySelector('main')).color,
    figure: [...document.querySelectorAll('main svg.figure-ink')].map(s => getComputedStyle(s).fill),
}})"""


def test_every_page_in_a_browser(site, pages, browser):
    wrong = []
    for name in sorted(pages.keys() - {"404.html"}): # which is served, never opened from disk
        browser.show(WIDTHS[-1])
        browser.visit((site / name).as_uri())
        for width, scheme in (WIDTHS[-1], "light"), (WIDTHS[0], "light"), (WIDTHS[0], "dark"):
            paint(browser, width, scheme)
            state = browser.run(STATE)
            bad = {k: v for k, v in state.items() if k in ("wide", "cut", "broken", "flat") and v}
            low = [ink for ink in [state["ink"], *state["figure"]] if contrast(ink, state["paper"]) < 7]
            if low: bad["contrast"] = low
            if bad: wrong.append((name, width, scheme, bad))
        wrong += [(name, said) for said in complaints(browser)]
    assert not wrong


def test_role_colours_stand_out(browser, site):
    "3 : 1 against the page, the least for graphics, in both schemes"
    browser.visit((site / "index.html").as_uri())
    for scheme in SCHEMES:
        paint(browser, 1280, scheme)
        paper = browser.run("getComputedStyle(document.body).backgroundColor")
        for role in svg.ROLES.values():
            colour = browser.run(f"(() => {{ const e = document.createElement('i'); e.style.color = 'var(--{role})'; document.body.append(e); return getComputedStyle(e).color }})()")
            if role != "second" or scheme == "dark": assert contrast(colour, paper) > 3, (role, scheme)


SLIDE = """(k => {
    const slider = document.querySelector("#try-green input");
    slider.value = k; slider.dispatchEvent(new Event("input"));
    const rows = [...document.querySelectorAll("#try-green > div:last-child > div")].map(row => [...row.children].map(cell => cell.textContent));
    return [document.querySelector("#try-green [aria-live]").textContent, rows];
})"""


def test_the_slider_of_beta_shows_the_scores_of_the_library(site, browser):
    browser.show(1280)
    browser.visit(f"{site.as_uri()}/metrics/green.html")
    names, counts = STORED["word"][0][:13], stored_counts()
    for k, beta in (0, .25), (8, 1), (12, 2), (16, 4):
        said, rows = browser.run(f"{SLIDE}({k})")
        scores = np.array(score_corpus(GREEN(beta=beta), [counts])[:13])
        assert [row[1] for row in rows] == list(names) and [int(row[0]) for row in rows] == competition_ranks(scores).tolist()
        assert [float(row[2]) for row in rows] == pytest.approx(100 * scores, abs=.006)
        assert said.startswith(f"GREEN, beta {beta:.2f}: INPUT on place {competition_ranks(scores)[-1]} of 13")
    assert not list(complaints(browser))


FIND = """new Promise(done => {
    const box = [...document.querySelectorAll('.smalldocs-search')].find(b => b.querySelector('input'));
    const input = box.querySelector('input');
    input.focus(); input.value = 'brevity penalty'; input.dispatchEvent(new Event('input', {bubbles: true}));
    const end = Date.now() + 25000;
    const look = () => { const hits = [...box.querySelectorAll('a.search-result')].map(a => a.href); hits.length || Date.now() > end ? done(hits) : setTimeout(look, 50) };
    look();
})"""


MOVE = """(() => {
    const word = (k) => document.querySelectorAll(".align-word")[k], says = () => [...document.querySelectorAll(".align-says output")].at(-1).textContent;
    const before = says();
    word(0).focus();
    word(0).dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    return [before, word(0).textContent, word(1) === document.activeElement, says(), document.querySelectorAll(".align-chunk").length];
})()"""


def test_words_of_a_hypothesis_can_be_moved(browser, site):
    "Yesterday I went to ... becomes I Yesterday went to ...: two chunks more"
    h, r = "Yesterday I went to library and borrow two books about a history of science .", "Yesterday I went to the library and borrowed two books about the history of science ."
    moved = h.replace("Yesterday I", "I Yesterday")
    browser.visit((site / "metrics/meteor.html").as_uri())
    scores = METEOR().sentence_scores(hypotheses=[h, moved], references=[[r, r]])
    assert browser.run(MOVE) == [f"{scores[0]:.4f}", "I", True, f"{scores[1]:.4f}", 6]
    assert not list(complaints(browser))


def test_search_works_from_disk_and_under_a_base_path(site, pages, browser, tmp_path):
    (tmp_path / "base").symlink_to(site)
    server = served(tmp_path)
    try:
        for root in site.as_uri(), f"http://127.0.0.1:{server.server_port}/base":
            browser.show(1280)
            browser.visit(f"{root}/metrics/gleu.html")
            hits = browser.run(FIND)
            assert any("core/formulas.html" in hit for hit in hits)
            for hit in hits: assert hit.startswith(root + "/") and urlsplit(hit).path.removeprefix(urlsplit(root).path + "/") in pages
            assert not list(complaints(browser))
    finally: stopped(server)


def in_two_parts(self, source, output):
    "A page whose last lines come half a second after the others"
    text = source.read()
    output.write(text[:-50])
    output.flush()
    if self.path.endswith(".html"): time.sleep(.5)
    output.write(text[-50:])


CLICK = """(text => {
    const cell = [...document.querySelectorAll("main .cell")].find(c => c.textContent.includes(text));
    cell.id = "mine";
    cell.querySelector(".live-run").click();
})"""
EDIT = """((from, to) => {
    const code = document.querySelector("#mine code");
    code.textContent = code.textContent.replace(from, to);
    code.dispatchEvent(new Event("input", { bubbles: true }));
    code.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", shiftKey: true, bubbles: true }));
})"""


def test_scripts_wait_for_the_end_of_a_page(site, browser, tmp_path):
    "The cells to run stand in the last lines, and scripts may be at hand before them"
    shutil.copytree(site, tmp_path / "site")
    live.add_cells(tmp_path / "site")
    server = served(tmp_path / "site", copyfile=in_two_parts)
    try:
        browser.visit(f"http://127.0.0.1:{server.server_port}/metrics/gleu.html")
        assert browser.run("document.querySelectorAll('.live-run').length") > 20
    finally: stopped(server)


def test_a_cell_runs_in_the_page(site, browser, tmp_path, monkeypatch):
    "GLEU's fifteen lines: run, changed, broken, reset; nothing is fetched before the click, nothing from elsewhere after it"
    pyodide = Path(os.environ.get("GECNB_PYODIDE") or SHARED / "live")
    if not (pyodide / live.NUMPY).exists(): pytest.skip(f"PYTHON IN THE PAGES IS NOT TESTED: no Pyodide in {pyodide}")
    monkeypatch.setenv("GECNB_PYODIDE", str(pyodide))
    shutil.copytree(site, tmp_path / "site")
    assert live.add_live(tmp_path / "site", "0.1.0") == ""
    server = served(tmp_path / "site")
    asked = lambda: [e["request"]["url"] for e in browser.reported("Network.requestWillBeSent") if re.search("/live[/-]", e["request"]["url"])]
    says = lambda: browser.run("document.querySelector('#mine .live-output')?.innerText")
    try:
        browser.show(1280)
        browser.visit(f"http://127.0.0.1:{server.server_port}/metrics/gleu.html")
        assert browser.run("document.querySelectorAll('.live-run').length") > 20 and not asked()
        browser.run(f"{CLICK}('for numerator in paper, matches')")
        browser._until(says, "the cell gave nothing")
        assert says().split()[:4] == ["paper", "27.71", "matches", "40.67"] and browser.run("document.documentElement.dataset.live") == "ready" and asked()
        for change, result in ("'.2f', '.0f'", "paper 28 matches 41"), ("'[hypothesis]', '[nobody]'", "line 4: NameError: name 'nobody' is not defined"):
            browser.run(f"{EDIT}({change})")
            browser._until(lambda wanted=result: " ".join(says().split()).startswith(wanted), f"not {result!r}")
        browser.run("document.querySelector('#mine .live-reset').click()")
        assert browser.run("document.querySelector('#mine .cell-output').innerText").split()[1] == "27.71" and says() is None
        assert not list(complaints(browser))
        browser.visit(f"http://127.0.0.1:{server.server_port}/metrics/bleu.html") # above stands a cell with nothing for a page
        browser._until(lambda: browser.run("document.querySelectorAll('.live-run').length"), "no button")
        browser.run(f"{CLICK}('same_words = sorted')")
        browser._until(says, "the exercise gave nothing")
        browser.run(f"""{EDIT}('"Yesterday I went to the library ." #', '"the Yesterday library went . to I" #')""")
        browser._until(lambda: says().endswith("\nsolved"), "the exercise is not solved")
        browser.visit((tmp_path / "site/metrics/gleu.html").as_uri())
        assert browser.run("document.querySelectorAll('.live-run').length") == 0 and not list(complaints(browser))
    finally: stopped(server)


def test_the_menu_shows_where_one_is_and_the_page_begins_at_its_top(site, browser):
    browser.show(1280, height=900)
    for name in "index.html", "about/cite.html", "cli/jobs.html":
        browser.visit((site / name).as_uri())
        top, menu = browser.run("[document.querySelector('#quarto-sidebar a.active').getBoundingClientRect().top, scrollY]")
        assert 0 < top < 900 and menu == 0, name


def test_no_such_page_works_from_any_depth(site, browser, tmp_path):
    "As GitHub answers: 404.html stands for every address that there is not, for deep ones, too"
    root = f"{SETTINGS['doc_baseurl']}/"
    def found_or_lost(self):
        if not Path(self.translate_path(self.path)).exists(): self.path = f"{root}404.html"
        return SimpleHTTPRequestHandler.send_head(self)
    (tmp_path / root.strip("/")).symlink_to(site)
    server = served(tmp_path, send_head=found_or_lost)
    home = f"http://127.0.0.1:{server.server_port}{root}"
    try:
        for lost in "gone.html", "metrics/gone.html", "a/b/c/gone":
            browser.show(1280)
            browser.visit(home + lost)
            assert browser.run("document.querySelector('h1').textContent") == "No such page"
            links = browser.run("[...document.querySelectorAll('main a')].map(a => a.href)")
            assert links == [home + page for page in ("index.html", "cli/command_line.html", "api/index.html")]
            assert browser.run("getComputedStyle(document.querySelector('#quarto-sidebar')).position") == "sticky" # the styles are here
            assert not list(complaints(browser))
    finally: stopped(server)


# ---- the API

def test_api_has_a_signature_an_example_and_the_calls_of_its_bases(pages):
    import gecmetrics_nb
    plain = lambda text: unescape(re.sub(r"<[^>]+>", "", text))
    api_of = {symbol: f"api/{docs_api.api_name(docs_api.dotted(module, ROOT))}.html" for module, _ in docs_api.modules(ROOT)
               for symbol in docs_api.public(docs_api.dotted(module, ROOT)).values()}
    assert set(examples.EXAMPLES) == set(gecmetrics_nb.__all__) - {"__version__"}
    for name in examples.EXAMPLES:
        symbol = getattr(gecmetrics_nb, name)
        source, output = examples.example_of(name)
        text = plain(pages[api_of[symbol]].text)
        assert re.search(rf"\b{name}\b", source.split("\n\n", 1)[1] + output) or name in ("parse_m2", "Corpus", "Score"), name
        assert source in text and output in text and f"{name}(" in text, name
    gleu = plain(pages["api/metrics-gleu.html"].text)
    assert "variant='code'" in gleu and gleu.index("corpus_score(") < gleu.rindex("gleu_score(")


def test_no_backslash_is_left_in_names(pages):
    found = [(name, m[0]) for name, page in pages.items() for m in re.finditer(r"<code>[^<\n]*\\[_*$|<][^<\n]*</code>", page.text)]
    assert not found


# ---- what is handed to a renderer: Quarto itself is not installed here, and took none of these well

def cells_of(prepared):
    "(page, cell) of every lesson that a renderer reads"
    for path in sorted(prepared.rglob("*.ipynb")):
        for c in json.loads(path.read_text(encoding="utf-8"))["cells"]: yield path.relative_to(prepared).as_posix(), c


def test_every_source_is_a_list(prepared):
    "Quarto prints the front matter of a page as its first paragraph where its source is a string"
    assert not [(page, c["cell_type"]) for page, c in cells_of(prepared) if not isinstance(c["source"], list)]


def test_no_output_asks_for_scripts_from_elsewhere(prepared):
    "Quarto takes text/html and JavaScript for widgets, and fetches jQuery and require.js from a foreign host"
    kinds = {kind for _, c in cells_of(prepared) for o in c.get("outputs", []) for kind in o.get("data", {})}
    assert kinds and not kinds & {"text/html", "application/javascript"}


def test_headings_stand_outside_of_outputs(prepared):
    "Quarto lists in the contents only what stands there"
    texts = [(page, "".join(o.get("data", {}).get("text/markdown", ""))) for page, c in cells_of(prepared) for o in c.get("outputs", [])]
    assert not [page for page, text in texts if re.search(r"^#+ ", text, re.MULTILINE) and "{=html}" not in text]


def test_no_link_goes_to_the_public_host(prepared):
    texts = [path.read_text(encoding="utf-8") for pattern in ("*.ipynb", "*.qmd") for path in prepared.rglob(pattern)]
    assert len(texts) > 60 and not [text for text in texts if SITE in text]


def test_a_name_of_two_pages_leads_to_the_metric(pages):
    "GLEU in the text is the metric, not the class of an adapter that bears its name"
    text = pages["studies/people.html"].text
    assert not re.search(r'href="[^"]*adapters/gec_metrics.html#gleu"', text) and 'metrics/gleu.html#gleu"' in text


def test_rules_of_pipe_tables_are_as_long_as_their_cells(prepared):
    "pandoc divides a wide table as its rule is divided: three dashes each make equal columns of a name and a sentence"
    texts = ["".join(c["source"]) for _, c in cells_of(prepared) if c["cell_type"] == "markdown"]
    texts += [path.read_text(encoding="utf-8") for path in prepared.rglob("*.qmd")]
    rules = [line for text in texts for line in text.split("\n") if docs_lessons.RULE.match(line)]
    wide = [rule for rule in rules if len(rule) > 60]
    assert len(wide) > 50 and docs_lessons.even_columns("| a | what it is |\n|---|--:|\n| b | c\\|d |") == "| a | what it is |\n|---|------------:|\n| b | c\\|d |"
    for text in texts: assert docs_lessons.even_columns(text) == text


def test_the_configuration_is_what_quarto_knows(prepared):
    "Page options by Quarto's own schema; roles change colour on its dark pages, whose class stands on the body"
    from smalldocs.quarto_keys import QUARTO_PAGE_OPTIONS
    import yaml
    settings = yaml.safe_load((prepared / "_quarto.yml").read_text(encoding="utf-8"))
    unprepared = {place: yaml.safe_load((place / "_quarto.yml").read_text(encoding="utf-8")) for place in (ROOT, ROOT / "nbs")}
    assert all((place / found["project"]["pre-render"]).is_file() for place, found in unprepared.items()) # which says what to run
    assert unprepared[ROOT / "nbs"] == settings | {"project": settings["project"] | {"pre-render": "../tools/make_docs.lua"}}
    options = settings["format"]["html"]
    assert set(settings) <= {"project", "format", "website"}
    assert set(options) - {"max-width"} <= QUARTO_PAGE_OPTIONS # that one is smalldocs': Quarto has `grid`
    assert options["grid"]["body-width"] == options["max-width"]
    assert (options["html-math-method"], options["html-table-processing"]) == ("mathml", "none")
    css = (prepared / "styles.css").read_text(encoding="utf-8")
    assert re.search(r"^\.quarto-dark \{[^}]*--source", css, re.MULTILINE) and "html.quarto-dark" not in css


# ---- to be read by whoever does not see the page, or has no mouse

class Outline(HTMLParser):
    "Ids, levels of headings, headers of tables without words, buttons and links without a name"

    def __init__(self, text):
        super().__init__()
        self.ids, self.levels, self.silent, self._open = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if a.get("id"): self.ids.append(a["id"])
        if re.fullmatch("h[1-6]", tag) and a.get("id") != "toc-title": self.levels.append(int(tag[1]))
        if tag in ("th", "button", "a"): self._open = [tag, a, a.get("aria-label") or a.get("title") or ""]
        elif self._open and tag in ("img", "svg"): self._open[2] += a.get("alt") or a.get("aria-label") or ""

    def handle_data(self, data):
        if self._open: self._open[2] += data

    def handle_endtag(self, tag):
        if not self._open or tag != self._open[0]: return
        named = self._open[2].strip() or tag == "a" and "href" not in self._open[1]
        if not named and "quarto-color-scheme-toggle" not in self._open[1].get("class", ""): self.silent.append(self._open)
        self._open = None


def test_pages_have_an_order(pages):
    "Ids once, no level of headings left out, a name for each header of a table, each button and each link"
    for name, page in pages.items():
        outline = Outline(page.text)
        twice = {i for i in outline.ids if outline.ids.count(i) > 1}
        jumps = [(a, b) for a, b in zip(outline.levels, outline.levels[1:], strict=False) if b > a + 1]
        assert not twice and not jumps and not outline.silent and outline.levels[0] == 1, name


READS = """(() => {
    const brush = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    const rgb = (text) => { brush.clearRect(0, 0, 1, 1); brush.fillStyle = text; brush.fillRect(0, 0, 1, 1); return [...brush.getImageData(0, 0, 1, 1).data]; };
    const paper = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 127) return c; } return [255, 255, 255]; };
    const light = (c) => c.slice(0, 3).reduce((sum, v, i) => sum + [.2126, .7152, .0722][i] * ((v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4), 0);
    const low = new Map();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const e = walk.currentNode.parentElement, style = getComputedStyle(e);
        if (!walk.currentNode.data.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest("svg, math, script, style, .skip-link")) continue;
        const [a, b] = [light(rgb(style.color)), light(paper(e))].sort((x, y) => x - y);
        if ((b + .05) / (a + .05) < 4.5) low.set(`${e.tagName}.${e.className} ${style.color}`, walk.currentNode.data.trim().slice(0, 30));
    }
    const names = [...document.querySelectorAll("button, input, select, [role=button], a[href]")].filter((e) => e.checkVisibility())
        .filter((e) => !(e.getAttribute("aria-label") || e.title || e.textContent.trim() || e.labels?.length || e.querySelector("img[alt], svg[aria-label]"))).map((e) => e.outerHTML.slice(0, 90));
    const stuck = [...document.querySelectorAll("main *")].filter((e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
        && e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0 && !e.querySelector("a, button, input, [tabindex]")).map((e) => e.outerHTML.slice(0, 90));
    return { low: [...low], names, stuck };
})()"""
KINDS = ("index", "metrics/gleu", "metrics/green", "metrics/meteor", "studies/people", "reproduce/gleu_2016",
         "tutorials/compare", "viz/sentence", "core/regions", "api/index", "api/metrics-gleu")


def each_view(browser, site, names=KINDS):
    "Every kind of page, in both schemes, on a laptop and on a phone"
    for name in names:
        browser.visit((site / f"{name}.html").as_uri())
        for scheme in SCHEMES:
            for width in 1440, 390:
                paint(browser, width, scheme)
                browser.run(AT_REST)
                yield name, width, scheme


def test_words_stand_out_and_all_can_be_reached(site, browser):
    "4.5 : 1 for every word; a name for what can be pressed; the keyboard reaches what scrolls"
    wrong = [(view, found) for view in each_view(browser, site) if any((found := browser.run(READS)).values())]
    assert not wrong


def test_axe_finds_nothing_serious(site, browser):
    axe = Path(os.environ.get("GECNB_AXE") or "axe.min.js") # of the package axe-core of npm
    if not axe.is_file(): pytest.skip("AXE IS NOT RUN: GECNB_AXE=.../node_modules/axe-core/axe.min.js")
    rules = "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => [v.impact, v.id, v.nodes[0].html]))"
    wrong = []
    for view in each_view(browser, site):
        browser.run(axe.read_text(encoding="utf-8") + "; 0")
        wrong += [(view, found) for found in browser.run(rules) if found[0] in ("serious", "critical")]
    assert not wrong


# ---- on a phone, and what is asked

MENU = """(() => {
    const links = [...document.querySelectorAll("#quarto-sidebar a[href]:not([href='#'])")].filter((a) => a.checkVisibility());
    const reached = (a) => { const b = a.getBoundingClientRect(); return a.contains(document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2)); };
    return links.map((a) => [a.href, reached(a)]);
})()"""


SIDEBAR = "document.querySelector('#quarto-sidebar')"
HELD = .2 # seconds that a finger rests before it goes: the page does not glide on


def swipe(browser, begin, end):
    "A finger that goes up and rests, and the page that comes to rest with it"
    browser.run(f"window.ended = new Promise((done) => {SIDEBAR}.addEventListener('scrollend', done, {{ once: true }})); 0")
    for y in range(begin, end - 1, -20):
        kind = "touchStart" if y == begin else "touchMove"
        browser.send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": 150, "y": y}])
    time.sleep(HELD)
    browser.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    browser.run("ended.then(() => 0)")


def test_a_finger_reaches_every_page_of_the_menu(site, pages, browser):
    browser.send("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        browser.show(390, height=844)
        browser.visit((site / "metrics/gleu.html").as_uri())
        top = browser.run("(() => { const b = document.querySelector('.contents-on-top').getBoundingClientRect(); return [b.top, b.height] })()")
        assert top[0] < 400 and top[1] > 10 # the contents stand above the text
        tap(browser, ".quarto-btn-toggle")
        for section in browser.run("[...document.querySelectorAll('#quarto-sidebar .collapse:not(.show)')].map(e => e.id)"):
            browser.run(f"document.querySelector('[data-bs-target=\"#{section}\"]').scrollIntoView({{block: 'center'}})")
            tap(browser, f'[data-bs-target="#{section}"]')
        seen, everything, place = set(), set(), f"{SIDEBAR}.scrollTop"
        browser.run(f"{place} = 0")
        while True:
            links, before = browser.run(MENU), browser.run(place)
            everything |= {href for href, _ in links}
            seen |= {href for href, reached in links if reached}
            if browser.run(f"{before} + {SIDEBAR}.clientHeight > {SIDEBAR}.scrollHeight - 1"): break # the end of the menu
            swipe(browser, 700, 500)
            assert browser.run(place) > before
        wanted = {(site / name).as_uri() for name in {*pages, docs.EXAMPLE} - {"404.html"}}
        mine = {href.partition("#")[0] for href in everything if href.startswith("file:")}
        assert mine == wanted and seen == everything
    finally: browser.send("Emulation.setTouchEmulationEnabled", enabled=False)


# ---- what the pages show of what a lesson gives

def test_what_has_html_is_shown_once():
    "The notebook of a table holds it twice, as HTML and as text; each table scrolls in a box of its own"
    both = {"data": {"text/html": ["<p>a</p><table>", "</table><table></table>"], "text/plain": ["a  b"]}}
    assert docs_lessons.as_html(both, "", "") == '<p>a</p><div class="printed"><table></table></div><div class="printed"><table></table></div>'
    assert docs_lessons.as_html({"data": {"text/plain": ["a  b"]}}, "", "") is None
    assert docs_lessons.as_html({"output_type": "stream", "text": ["a  b"]}, "", "") is None


def test_marks_have_signs(site, browser):
    "equal, near, differs: a sign before each, beside the word"
    browser.visit((site / "reproduce/tables.html").as_uri())
    sign = "kind => getComputedStyle(document.querySelector(`td.mark-${kind}`), '::before').content.trim()"
    assert browser.run(f"['equal', 'near', 'differs'].map({sign})") == ['"\u2713 "', '"\u2248 "', '"\u2260 "'] # a blank ends the escape


def test_no_line_of_code_is_cut(site, browser):
    "Code and what it printed wraps on a laptop and on a phone"
    cut = "[...document.querySelectorAll('main pre')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).length"
    assert not [view for view in each_view(browser, site, KINDS[:-2]) if browser.run(cut)]


def test_every_icon_that_a_page_shows_is_in_the_font(site):
    "The font holds those alone, and so does its style sheet"
    pytest.importorskip("matplotlib") # which brings fontTools
    from fontTools.ttLib import TTFont
    folder = site / "site_libs"
    sheet = (folder / "bootstrap-icons/bootstrap-icons.min.css").read_text(encoding="utf-8")
    shown = {name for page in site.rglob("*.html") for name in re.findall(r"\bbi-[\w-]+", page.read_text(encoding="utf-8"))}
    rules = dict(re.findall(r'\.(bi-[\w-]+)::before\{content:"\\(\w+)"\}', sheet))
    assert set(rules) == shown
    theme = (folder / "smalldocs.css").read_text(encoding="utf-8")
    drawn = set(TTFont(folder / "bootstrap-icons/fonts/icons-subset.woff").getBestCmap())
    assert {int(code, 16) for code in [*rules.values(), *re.findall(r"\\(f\w{3})\b", theme)]} <= drawn
