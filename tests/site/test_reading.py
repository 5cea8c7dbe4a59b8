"How pages read in a browser: at each width and in both schemes, on a phone, on paper, by keyboard and ear, and after a cell was run"
from base64 import b64decode
from http.server import SimpleHTTPRequestHandler
from itertools import product
from pathlib import Path
import gzip
import os
import re

import numpy as np
import pytest

from browser import AT_REST, CUT_OFF, complaints, contrast, luminance, served, stopped
from gecmetrics_nb import GREEN, METEOR
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.corpora.conll14 import STORED, stored_counts
from gecmetrics_nb.viz.plot import competition_ranks
from gecmetrics_nb.viz.sentence import ScoredSentence
from places import SETTINGS

KINDS = ("index", "metrics/gleu", "metrics/green", "metrics/meteor", "studies/people", "reproduce/gleu_2016",
         "tutorials/compare", "metrics/errant", "viz/sentence", "core/regions", "cli/command_line", "api/index", "api/metrics")


# ---- every page

STATE = f"""({{
    wide: document.documentElement.scrollWidth - screen.width, cut: {CUT_OFF},
    broken: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src),
    flat: [...document.querySelectorAll('main math')].filter(m => m.offsetParent !== null && m.getBoundingClientRect().height < 4).length,
    paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.querySelector('main')).color,
    figure: [...document.querySelectorAll('main svg.figure-ink')].map(s => getComputedStyle(s).fill),
}})"""


SMALL = """[...document.querySelectorAll("main svg.figure-ink")].filter((s) => s.checkVisibility()).flatMap((svg) => {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return [...svg.querySelectorAll("text")].map((t) => parseFloat(getComputedStyle(t).fontSize) * scale);
}).filter((size) => size < 7.95).length"""
TORN = """[...document.querySelectorAll("main :is(p, li, td, th) > code")].filter((e) => e.checkVisibility() && e.getClientRects().length > 1).length"""
CROSSED = """[...document.querySelectorAll(".explore-chip")].filter((c) => c.querySelector("small"))
    .filter((c) => c.querySelector("span").getBoundingClientRect().bottom > c.querySelector("small").getBoundingClientRect().top + 1).length"""


@pytest.mark.parametrize("width,scheme", [(1280, "light"), (390, "dark")])
def test_every_page_in_a_browser(pages, browser, paint, width, scheme):
    "On a phone letters of figures have 8 pixels, code in a line is in one piece, no rule crosses the letters of a region"
    wrong, aside = [], "404" if width == 390 else ("404", "api/") # two pages of the API are among KINDS
    for name in sorted(name.removesuffix(".html") for name in pages if not name.startswith(aside)):
        paint(name, width, scheme)
        state = browser.run(STATE)
        bad = {k: v for k, v in state.items() if k in ("wide", "cut", "broken", "flat") and v}
        low = [ink for ink in [state["ink"], *state["figure"]] if contrast(ink, state["paper"]) < 7]
        if low: bad["contrast"] = low
        letters = browser.run(f"[{SMALL}, {TORN}, {CROSSED}]") if width == 390 else []
        if any(letters): bad["letters"] = letters
        wrong += [(name, bad)] * bool(bad) + [(name, said) for said in complaints(browser)]
    assert not wrong


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


RULES = "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.flatMap(v => v.nodes.map(n => [v.impact, v.id, n.html])))"


def test_words_stand_out_and_all_can_be_reached(browser, paint):
    "4.5 : 1 for every word; a name for what can be pressed; the keyboard reaches what scrolls; on a laptop and on a phone"
    axe = Path(os.environ.get("GECNB_AXE") or "axe.min.js") # of the package axe-core of npm
    wrong = []
    for view in product(KINDS, (390, 1280), ("light", "dark")):
        paint(*view)
        browser.run(AT_REST)
        if any((found := browser.run(READS)).values()): wrong.append((view, found))
        if not axe.is_file(): continue
        browser.run(axe.read_text(encoding="utf-8") + "; 0")
        wrong += [(view, found) for found in browser.run(RULES) if not re.match("<th[^>]*><math|<a .*MathML", found[2])] # which axe does not read
    assert not wrong
    if not axe.is_file(): pytest.skip("ALL BUT AXE HOLDS, WHICH IS NOT RUN: GECNB_AXE=.../node_modules/axe-core/axe.min.js")


def test_a_page_is_light(site, home, browser, paint):
    "All that a first visit asks for, as a server with gzip sends it"
    for name in "index", "metrics/gleu", "studies/people", "api/metrics":
        paint(name)
        asked = {event["request"]["url"].removeprefix(home).partition("?")[0] for event in browser.reported("Network.requestWillBeSent")}
        files = [site / path.lstrip("/") for path in asked if path.startswith("/")]
        sizes = [len(data) if path.suffix.startswith(".woff") else len(gzip.compress(data)) for path in files for data in [path.read_bytes()]]
        assert len(files) > 11 and sum(sizes) < 200 * 1024, (name, sum(sizes))


def test_a_link_to_a_word_shows_what_it_means(browser, paint, pages):
    "By keyboard and by mouse; Esc closes it; it is in sight on a narrow window, too"
    meaning = "A person who corrects. CoNLL-2014 has A, the first (0, REF0, NUCLEA), and B, the second (1, REF1, NUCLEB)."
    card = "document.querySelector('.word-card')"
    for width in 1280, 600:
        paint("metrics/errant", width)
        browser.run("window.link = document.querySelector(\"main a[href$='words.html#annotator']\"); link.focus()")
        browser._until(lambda: browser.run(f"!{card}.hidden"), "no meaning")
        assert browser.run(f"{card}.textContent") == meaning and browser.run("link.getAttribute('aria-describedby')") == "word-card"
        assert browser.run(f"(({{ left, right }}) => left >= 0 && right <= innerWidth)({card}.getBoundingClientRect())")
        browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))")
        assert browser.run(f"{card}.hidden && !link.hasAttribute('aria-describedby')")
    browser.run("link.blur(); link.scrollIntoView({ block: 'center' })")
    x, y = browser.run("(({ left, top }) => [left + 3, top + 5])(link.getBoundingClientRect())")
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser._until(lambda: browser.run(f"!{card}.hidden"), "no meaning under the pointer")
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=400)
    browser._until(lambda: browser.run(f"{card}.hidden"), "the card stays")


# ---- Run

@pytest.fixture
def live_site(site, home):
    if not (site / "live").is_dir(): pytest.skip("PYTHON IN THE PAGES IS NOT TESTED: the site was built without it, GECNB_PYODIDE=folder make docs")
    return home


EDITED = """(text => {
    const code = document.querySelector("#mine code");
    code.textContent = text;
    code.dispatchEvent(new Event("input", { bubbles: true }));
    code.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", shiftKey: true, bubbles: true }));
})"""


def run_cell(browser, inside):
    "Press Run of the cell that something is in, and wait"
    browser._until(lambda: browser.run("document.querySelectorAll('.live-run').length"), "no button")
    browser.run(f"document.querySelector('#mine')?.removeAttribute('id'); {inside}.closest('.cell').id = 'mine'; document.querySelector('#mine .live-run').click()")
    browser._until(lambda: browser.run("document.querySelector('#mine .live-run').textContent == 'Run'"), "the cell still runs")


SAYS = "document.querySelector('#mine .live-output')?.innerText ?? ''"


def test_a_cell_runs_in_the_page(live_site, browser, paint):
    "GLEU's fifteen lines: run, changed, broken, reset; nothing is fetched before the click, nothing from elsewhere after it"
    paint("metrics/gleu")
    asked = lambda: [e["request"]["url"] for e in browser.reported("Network.requestWillBeSent") if re.search("/live[/-]", e["request"]["url"])]
    assert browser.run("document.querySelectorAll('.live-run').length") > 15 and not asked()
    imports = "[...document.querySelectorAll('.live-run')].filter(b => [...b.closest('.live-bar').previousElementSibling.querySelector('code').textContent.split('\\n')].every(l => /^(from|import|#|$)/.test(l))).length"
    assert browser.run(imports) == 0 # a cell that only imports needs no button
    run_cell(browser, "[...document.querySelectorAll('main .cell')].find(c => c.textContent.includes('def slow_gleu')).firstElementChild")
    assert browser.run(SAYS).split() == ["27.71"] and asked()
    code = browser.run("document.querySelector('#mine code').textContent")
    for text, result in (code.replace(".2f", ".0f"), "28"), (code.replace("[hypothesis]", "[nobody]"), "line 22: NameError: name 'nobody' is not defined"):
        browser.run(f"{EDITED}({text!r})")
        browser._until(lambda wanted=result: " ".join(browser.run(SAYS).split()).startswith(wanted), f"not {result!r}")
    browser.run("document.querySelector('#mine .live-reset').click()")
    assert browser.run("document.querySelector('#mine .cell-output').innerText").split() == ["27.71"] and browser.run(SAYS) == ""
    assert not list(complaints(browser))


def test_run_keeps_explorers_and_tables(live_site, browser, paint):
    "The explorer has its fields after Run, and a table is one, in the same box; Python goes with the page"
    paint("metrics/gleu")
    explorer = "document.querySelector('.explore')"
    before = browser.run(f"{explorer}.innerText")
    run_cell(browser, explorer)
    assert browser.run("document.querySelector('#mine .live-output .explore').innerText") == before
    paint("stats/comparison")
    browser._until(lambda: browser.run("document.querySelectorAll('.live-run').length"), "no button")
    table = "[...document.querySelectorAll('.cell .cell-output .printed')].find((box) => box.closest('.cell').querySelector('.live-run'))"
    cells = lambda html: re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", html)
    before = cells(browser.run(f"{table}.outerHTML"))
    run_cell(browser, table)
    after = browser.run("document.querySelector('#mine .live-output .printed').outerHTML")
    assert cells(after) == before != [] and after.startswith('<div class="printed"><table')
    browser.run("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert browser.run("document.documentElement.dataset.live") is None and not list(complaints(browser))


def test_long_and_slow_outputs(live_site, browser, paint):
    "What a cell prints is seen while it runs, and cut where it is long; it cannot ask"
    paint("metrics/green")
    run_cell(browser, "document.querySelector('.live-run')")
    browser.run(f"{EDITED}('print(\"a\" * 2_000_000)')")
    browser._until(lambda: browser.run(SAYS).endswith("... and 1,980,001 letters more"), "not cut")
    browser.run(f"{EDITED}('import time\\nprint(\"first\")\\ntime.sleep(.5)\\nprint(\"second\")\\ntime.sleep(3600)')")
    browser._until(lambda: "first" in browser.run(SAYS), "nothing is said before the end")
    assert browser.run("document.querySelector('#mine .live-run').textContent") == "Stop"
    browser.run("document.querySelector('#mine .live-run').click()")
    browser._until(lambda: browser.run("document.querySelector('#mine .live-run').textContent == 'Run'"), "it does not stop")
    browser.run(f"{EDITED}('input(\"name?\")')")
    browser._until(lambda: "no input" in browser.run(SAYS), "it asks")


def test_a_slow_cell_says_how_long(live_site, browser, paint):
    "As its lesson does, before it runs and after Reset; the button names the sum while cells above run"
    paint("tutorials/own_metric")
    said = "[...document.querySelectorAll('.live-says')].map(e => e.textContent).filter(Boolean)"
    assert browser.run(said) and all(re.fullmatch(r"about \d+ s", words) for words in browser.run(said))


# ---- dark, and on paper

FIELDS = """[...document.querySelectorAll("main :is(input:not([type=range]), textarea, select)")].filter((e) => e.checkVisibility())
    .map((e) => getComputedStyle(e)).flatMap((style) => [style.backgroundColor, style.borderTopColor])"""


def test_a_reader_chooses_a_scheme(home, browser, paint):
    "By a sign that is seen in both; it holds on the next page"
    sign = "getComputedStyle(document.querySelector('.quarto-color-scheme-toggle i'), '::before').backgroundImage"
    paint("index")
    assert "svg" in browser.run(sign)
    browser.run("document.querySelector('.quarto-color-scheme-toggle').click()")
    browser.visit(f"{home}/metrics/gleu.html")
    browser._until(lambda: luminance(browser.run("getComputedStyle(document.body).backgroundColor")) < .2, "it is forgotten")
    browser._until(lambda: "svg" in browser.run(sign), "no sign leads back")


PAPER = """[...document.querySelectorAll("main :is(p, li, td, th, blockquote, summary, math, pre code, h1, h2)")]
    .filter((e) => e.checkVisibility() && e.textContent.trim()).map((e) => getComputedStyle(e).color)"""


def test_a_dark_page_has_no_white_fields_and_is_printed_dark_on_white(browser, paint):
    for name in "index", "metrics/gleu", "metrics/meteor", "studies/people":
        paint(name, scheme="dark")
        browser.run(AT_REST)
        assert browser.run("getComputedStyle(document.documentElement).colorScheme") == "dark"
        assert not [colour for colour in browser.run(FIELDS) if luminance(colour) > .5], name
        browser.send("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        try:
            colours = set(browser.run(PAPER))
            assert colours and not [c for c in colours if contrast(c, "rgb(255, 255, 255)") < 4.5], name
            pressed = "document.querySelectorAll('.live-bar, .explore .btn, details.code-fold:not([open])')"
            assert browser.run(f"[...{pressed}].filter(e => e.checkVisibility()).length") == 0
            assert b64decode(browser.send("Page.printToPDF")["data"]).startswith(b"%PDF")
        finally: browser.send("Emulation.setEmulatedMedia", media="")


# ---- on a phone

WIDER = """[...document.querySelectorAll("main table, main svg.figure-ink, main .fan svg")].filter((e) => e.checkVisibility())
    .map((e) => [e, e.closest(".printed, .picture-box") || e]).filter(([e, box]) => Math.max(e.scrollWidth, e.getBoundingClientRect().width) > box.clientWidth + 1)"""


def test_tables_and_figures_are_whole(browser, paint):
    "At 1280 pixels and on paper; on a phone they scroll under what is said of them, with a shade where more is to come"
    for name in "index", "tutorials/compare", "metrics/family", "metrics/meteor":
        paint(name)
        assert browser.run(f"{WIDER}.map(([e]) => e.tagName + e.textContent.slice(0, 60))") == [], name
        browser.show(390)
        assert browser.run("document.documentElement.scrollWidth") == 390
        assert browser.run("[...document.querySelectorAll('.printed caption')].filter(e => e.getBoundingClientRect().right > innerWidth).length") == 0, name
        boxes = browser.run(f"""{WIDER}.map(([e, box]) => [getComputedStyle(box).overflowX, getComputedStyle(box).backgroundImage.includes('gradient') || box === e,
            e.tagName === 'TABLE' || getComputedStyle(e.querySelector('path')).fill === 'none'])""") # no white of a figure is before the shade
        assert all(box == ["auto", True, True] for box in boxes), (name, boxes)
        browser.show(760)
        browser.send("Emulation.setEmulatedMedia", media="print")
        try: assert browser.run(f"{WIDER}.map(([e]) => e.tagName + e.textContent.slice(0, 60))") == [], f"{name} on paper"
        finally: browser.send("Emulation.setEmulatedMedia", media="")


FAR = """[...document.querySelectorAll("main td")].filter((e) => e.textContent.trim().split(/\\s+/).length > 3 && e.getBoundingClientRect().right > innerWidth + 1)
    .map((e) => e.textContent)"""
NOTES = """(() => {
    const code = [...document.querySelectorAll(".cell-output pre code")].find((e) => e.textContent.includes("Scores times 100")), range = document.createRange();
    const notes = [...code.childNodes].filter((e) => e.nodeType === Node.TEXT_NODE && e.textContent.trim());
    const inSight = (e) => { range.selectNodeContents(e); return range.getBoundingClientRect().right <= innerWidth; };
    return [notes.length > 0 && notes.every(inSight), [...code.querySelectorAll(".table-row")].map((e) => e.getClientRects().length)];
})()"""


def test_words_are_read_on_a_phone_without_scrolling(browser, paint):
    "Those in tables wrap, and those printed below one; its rows keep their columns"
    for name in "tutorials/compare", "cli/command_line", "corpora/test_sets", "core/regions":
        paint(name, 390)
        assert [cell for cell in browser.run(FAR) if "gecnb" not in cell and "..." not in cell] == [], name
        if name == "cli/command_line": assert browser.run(NOTES) == [True, [1] * 6]


MOVED = """new Promise((done) => { let sum = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((e) => { sum += e.value; })).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 500); })"""


def test_nothing_moves_while_a_page_comes_and_the_words_of_the_bar_open(browser, paint):
    for name in "studies/people", "metrics/gleu", "index":
        paint(name, 390)
        assert browser.run(MOVED) < .05, name
    browser.run("document.querySelector('.navbar-toggler').click()")
    browser._until(lambda: browser.run("!document.querySelectorAll('.collapsing').length && !!document.querySelector('#navbarCollapse.show')"), "the bar stays shut")
    words = browser.run("[...document.querySelectorAll('#navbarCollapse a')].filter(e => e.checkVisibility()).map(e => e.textContent.trim())")
    assert words[:5] == ["Install", "Guide", "API", "Command line", "Cite"]
    assert browser.run("document.documentElement.scrollWidth") == 390 and browser.run(f"{CUT_OFF}") == []


def test_the_fields_of_a_phone_leave_no_blank_band(browser, paint):
    "What a page keeps free for them is what they need, so nothing moves when they come"
    band = "(() => { const box = document.querySelector('[data-brief=scores]'), high = () => box.getBoundingClientRect().height, kept = high(); box.style.minHeight = 0; return kept - high(); })()"
    for name in "metrics/bleu", "metrics/gleu", "metrics/green", "index":
        paint(name, 390)
        assert browser.run(MOVED) < .05 and browser.run(band) < 16, name


# ---- names, places and keys

def test_long_contents_follow_the_reader(browser, paint):
    for name in "metrics/m2", "studies/people_appendix", "alignment/search":
        paint(name, 1440)
        browser.run("new Promise((done) => { addEventListener('scroll', () => setTimeout(done, 100), { once: true }); scrollTo(0, document.body.scrollHeight); })")
        place = "document.querySelector('#TOC a.active').getBoundingClientRect()"
        assert browser.run(f"{place}.top > 0 && {place}.bottom < innerHeight"), name


PRESS = {"Tab": 9, "Enter": 13, " ": 32}


def press(browser, key):
    text = {"Enter": "\r", " ": " "}.get(key, "")
    browser.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=PRESS[key])
    browser.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=PRESS[key])


def test_the_menu_is_opened_with_the_keyboard(browser, paint):
    "Tab comes to each section, Enter opens it and Tab leads into it, Space shuts it"
    paint("index")
    focused = "document.activeElement.textContent.trim()"
    browser._until(lambda: browser.run("document.querySelectorAll('#quarto-sidebar [data-bs-toggle][tabindex=\"0\"]').length"), "no section for the keyboard")
    browser.run("document.querySelector('#quarto-sidebar a.sidebar-link[href*=words]').focus()")
    met = []
    for _ in range(3): press(browser, "Tab"); met.append(browser.run(focused))
    assert met == ["The path", "Tutorials", "Studies"]
    browser.run("[...document.querySelectorAll('#quarto-sidebar [data-bs-toggle]')].find(e => e.textContent.trim() == 'Tutorials').focus()")
    opened = "document.activeElement.getAttribute('aria-expanded')"
    for key, state in (" ", "true"), (" ", "false"), ("Enter", "true"):
        press(browser, key)
        browser._until(lambda wanted=state: browser.run(opened) == wanted and not browser.run("document.querySelectorAll('.collapsing').length"), f"not {state}")
    press(browser, "Tab")
    assert browser.run(focused) == "Compare two systems"


LANDED = """(id => {
    const heading = document.getElementById(decodeURIComponent(id))?.querySelector("h1, h2, h3, h4");
    if (document.readyState !== "complete" || !heading) return false;
    const top = heading.getBoundingClientRect().top, bars = Math.max(0, document.querySelector("#quarto-header").getBoundingClientRect().bottom);
    const end = scrollY + innerHeight > document.documentElement.scrollHeight - 3;
    return top > bars - 2 && (top < bars + 130 || end && top < innerHeight);
})"""


def test_links_to_sections_land_there(home, browser):
    "Opened from elsewhere and pressed in the contents: below the bars, also where sections far away are not laid out before they are seen"
    browser.whole(False)
    try:
        for name, width in ("metrics/gleu", 1280), ("metrics/gleu", 390), ("studies/people_appendix", 1280):
            browser.show(width)
            browser.visit(f"{home}/{name}.html")
            places = browser.run("[...document.querySelectorAll('#TOC a[data-scroll-target]')].map(a => a.hash)")
            for place in places[1::max(1, len(places) // 4)]:
                browser.send("Page.navigate", url=f"{home}/{name}.html?{places.index(place)}{place}")
                landed = f"{LANDED}({place[1:]!r})"
                browser._until(lambda asked=landed: browser.run(asked), f"{name}{place} at {width}", 60)
                browser.visit(f"{home}/{name}.html?pressed{places.index(place)}")
                browser.run(f"[...document.querySelectorAll('#TOC a, .contents-on-top a')].findLast(a => a.hash == {place!r}).click()")
                browser._until(lambda asked=landed: browser.run(asked), f"{name}{place} pressed at {width}", 60)
    finally: browser.whole(True)


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
            links = browser.run("[...document.querySelectorAll('main a')].map(a => a.href.replace(/index\\.html$/, ''))") # which Quarto's script leaves out
            assert links == [home + page for page in ("", "cli/command_line.html", "api/")]
            assert browser.run("getComputedStyle(document.querySelector('#quarto-sidebar')).position") == "sticky" # the styles are here
            assert not list(complaints(browser))
    finally: stopped(server)


# ---- the first minute, and what moves

INSIDE = "(place => [...document.querySelectorAll(place)].every(e => { const b = e.getBoundingClientRect(); return b.height && b.bottom <= innerHeight; }))"


def test_the_first_screen_has_an_explorer(browser, paint):
    "Three fields and a bar for each metric, on a laptop and on a phone; the scores of the library"
    for width in 1440, 390:
        paint("index", width)
        assert browser.run("document.querySelectorAll('[data-brief=scores] :is(input, textarea)').length") == 3
        assert browser.run("document.querySelectorAll('[data-brief=scores] .explore-bar').length") >= 7
        for place in "[data-brief=scores] :is(input, textarea)", "[data-brief=scores] .explore-track": assert browser.run(f"{INSIDE}('{place}')"), (place, width)
    texts = browser.run("[...document.querySelectorAll('[data-brief=scores] textarea')].map(e => e.value)")
    scores = browser.run("[...document.querySelectorAll('[data-brief=scores] output')].map(e => [e.previousElementSibling.textContent, Number(e.textContent)])")
    ours = ScoredSentence(*texts).scores
    assert dict(scores) == {name: pytest.approx(100 * ours[name], abs=.006) for name, _ in scores} and not list(complaints(browser))


SLIDE = """(k => {
    const slider = document.querySelector("#try-green input");
    slider.value = k; slider.dispatchEvent(new Event("input"));
    const rows = [...document.querySelectorAll("#try-green > div:last-child > div")].map(row => [...row.children].map(cell => cell.textContent));
    return [document.querySelector("#try-green [aria-live]").textContent, rows];
})"""


def test_the_slider_of_beta_shows_the_scores_of_the_library(browser, paint):
    paint("metrics/green")
    names, counts = STORED["word"][0][:13], stored_counts()
    for k, beta in (0, .25), (8, 1), (12, 2), (16, 4):
        said, rows = browser.run(f"{SLIDE}({k})")
        scores = np.array(score_corpus(GREEN(beta=beta), [counts])[:13])
        assert [row[1] for row in rows] == list(names) and [int(row[0]) for row in rows] == competition_ranks(scores).tolist()
        assert [float(row[2]) for row in rows] == pytest.approx(100 * scores, abs=.006)
        assert browser.run("document.querySelector('#try-green input').ariaValueText") == f"beta {beta:.2f}"
        assert said.startswith(f"GREEN, beta {beta:.2f}: INPUT on place {competition_ranks(scores)[-1]} of 13")
    assert not list(complaints(browser))


MOVE = """(() => {
    const word = (k) => document.querySelectorAll(".align-word")[k], says = () => [...document.querySelectorAll(".align-says output")].at(-1).textContent;
    const before = says();
    word(0).focus();
    word(0).dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    return [before, word(0).textContent, word(1) === document.activeElement, says(), document.querySelectorAll(".align-chunk").length];
})()"""


def test_words_of_a_hypothesis_can_be_moved(browser, paint):
    "The reference backwards is sixteen chunks; with its last two words in order again it is fifteen"
    reference = "Yesterday I went to the library and borrowed two books about the history of science ."
    h = " ".join(reversed(reference.split()))
    moved = h.replace(". science", "science .")
    paint("metrics/meteor")
    scores = METEOR().sentence_scores(hypotheses=[h, moved], references=[[reference] * 2])
    assert browser.run(MOVE) == [f"{scores[0]:.4f}", "science", True, f"{scores[1]:.4f}", 15]
    assert not list(complaints(browser))


def test_changes_are_ticked_one_by_one(browser, paint):
    "First about → on gains 9.64 points, last it costs 1.06"
    paint("viz/report")
    tick = lambda *places: browser.run(f"{[*places]}.map(k => {{ document.querySelectorAll('#tick input')[k].click(); return document.querySelector('#tick output').textContent; }})")[-1]
    names = browser.run("[...document.querySelectorAll('#tick label')].map(e => e.textContent.trim())")
    wrong = names.index("about → on")
    assert tick(wrong).endswith("+9.64 by this tick") and tick(wrong).startswith("31.50 points")
    first = [k for k, name in enumerate(names) if k != wrong and name in ("the", "borrow → borrowed", "book → books")]
    tick(*(k for k in range(len(names)) if k not in (*first, wrong)))
    tick(*first)
    assert tick(wrong) == "68.59 points, −1.06 by this tick" and not list(complaints(browser))


def test_outputs_are_exchanged(browser, paint):
    "A coin leaves each sentence's two outputs or exchanges them; the lead that is told is that of the words shown, and those of 5 points are counted"
    paint("stats/significance")
    numbers = lambda row: list(map(int, browser.run(f"[...document.querySelectorAll('#exchange [data-row={row}]')].map(e => e.textContent)")))
    before, large = list(zip(numbers("X"), numbers("Y"), strict=True)), 0
    for many in range(1, 4):
        browser.run("document.querySelector('#exchange button').click()")
        x, y = numbers("X"), numbers("Y")
        lead = 100 * (sum(x) - sum(y)) / 80
        large += abs(lead) >= 5
        assert len(x) == 8 and all(shown in (outputs, outputs[::-1]) for shown, outputs in zip(zip(x, y, strict=True), before, strict=True))
        leads = f"{'X' if lead > 0 else 'Y'} leads by {abs(lead):.2f} points" if lead else "Nobody leads"
        assert browser.run("document.querySelector('#exchange output').textContent") == f"{leads}. 5 or more: {large} of {many}."
        assert browser.run("document.querySelectorAll('#exchange rect').length") == many
    assert not list(complaints(browser))
