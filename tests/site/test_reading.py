"How pages read: on a phone, on a dark page, on paper, by ear, and after a cell was run"
from pathlib import Path
import json
import os
import re
import shutil

import pytest

from browser import AT_REST, complaints, contrast, luminance, paint, served, stopped, tap
from places import SETTINGS, SHARED
import docs_lessons
import live


def cells_of(prepared):
    "(page, cell) of every lesson that a renderer reads"
    for path in sorted(prepared.rglob("*.ipynb")):
        for c in json.loads(path.read_text(encoding="utf-8"))["cells"]: yield path.relative_to(prepared).as_posix(), c


def test_no_cell_says_a_directive_twice(prepared):
    "Quarto stops at a key that is said twice; what the lesson says comes first, what nbdev adds after it"
    keys = [(page, re.findall(r"^#\|\s*([\w-]+):", "".join(c["source"]), re.MULTILINE)) for page, c in cells_of(prepared)]
    assert not [(page, said) for page, said in keys if len(set(said)) < len(said)]
    assert docs_lessons.once("#| code-fold: show\n#| code-summary: a\n#| code-fold: true\nx") == "#| code-fold: show\n#| code-summary: a\nx"


# ---- Run

@pytest.fixture(scope="module")
def home(site, tmp_path_factory):
    "The address of the site with Python in its pages"
    pyodide = Path(os.environ.get("GECNB_PYODIDE") or SHARED / "live")
    if not (pyodide / live.NUMPY).exists(): pytest.skip(f"PYTHON IN THE PAGES IS NOT TESTED: no Pyodide in {pyodide}")
    folder = tmp_path_factory.mktemp("live") / "site"
    shutil.copytree(site, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GECNB_PYODIDE", str(pyodide))
        assert live.add_live(folder, "0.1.0") == ""
    server = served(folder)
    yield f"http://127.0.0.1:{server.server_port}"
    stopped(server)


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


def test_run_keeps_explorers_and_tables(home, browser):
    "The explorer has its fields after Run, and a table is one, in the same box; Python goes with the page"
    browser.show(1280)
    browser.visit(f"{home}/metrics/gleu.html")
    explorer = "document.querySelector('.explore')"
    before = browser.run(f"{explorer}.innerText")
    run_cell(browser, explorer)
    assert browser.run("document.querySelector('#mine .live-output .explore').innerText") == before
    assert browser.run("document.querySelectorAll('#mine .explore input').length") > 2
    browser.visit(f"{home}/stats/comparison.html")
    browser._until(lambda: browser.run("document.querySelectorAll('.live-run').length"), "no button")
    table = "[...document.querySelectorAll('.cell .cell-output .printed')].find((box) => box.closest('.cell').querySelector('.live-run'))"
    cells = lambda html: re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", html)
    before = cells(browser.run(f"{table}.outerHTML"))
    run_cell(browser, table)
    after = browser.run("document.querySelector('#mine .live-output .printed').outerHTML")
    assert cells(after) == before != [] and after.startswith('<div class="printed"><table')
    assert browser.run("document.documentElement.dataset.live") == "ready"
    browser.run("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert browser.run("document.documentElement.dataset.live") is None
    assert not list(complaints(browser))


def test_long_and_slow_outputs(home, browser):
    "What a cell prints is seen while it runs, and cut where it is long; it cannot ask; the slider of beta is there after Run"
    browser.show(1280)
    browser.visit(f"{home}/metrics/green.html")
    run_cell(browser, "document.querySelector('.live-run')")
    says = lambda: browser.run("document.querySelector('#mine .live-output')?.innerText ?? ''")
    browser.run(f"{EDITED}('print(\"a\" * 2_000_000)')")
    browser._until(lambda: "letters more" in says(), "not cut")
    assert 20_000 < len(says()) < 21_000 and says().endswith("... and 1,980,001 letters more")
    browser.run(f"{EDITED}('import time\\nprint(\"first\")\\ntime.sleep(.5)\\nprint(\"second\")\\ntime.sleep(3600)')")
    browser._until(lambda: "first" in says(), "nothing is said before the end")
    assert browser.run("document.querySelector('#mine .live-run').textContent") == "Stop"
    browser.run("document.querySelector('#mine .live-run').click()")
    browser._until(lambda: browser.run("document.querySelector('#mine .live-run').textContent == 'Run'"), "it does not stop")
    browser.run(f"{EDITED}('input(\"name?\")')")
    browser._until(lambda: "no input" in says(), "it asks")


# ---- dark, and on paper

FIELDS = """[...document.querySelectorAll("main :is(input:not([type=range]), select)")].filter((e) => e.checkVisibility())
    .map((e) => getComputedStyle(e)).flatMap((style) => [style.backgroundColor, style.borderTopColor])"""


def test_a_dark_page_has_no_white_fields(site, browser):
    for name in "index", "metrics/gleu", "metrics/meteor":
        browser.visit((site / f"{name}.html").as_uri())
        paint(browser, 1280, "dark")
        browser.run(AT_REST)
        assert browser.run("getComputedStyle(document.documentElement).colorScheme") == "dark"
        bright = [colour for colour in browser.run(FIELDS) if luminance(colour) > .5]
        rules = browser.run("[...document.querySelectorAll('#TOC a, .toc-actions, main h2')].flatMap(e => { const s = getComputedStyle(e); return [[s.borderLeftWidth, s.borderLeftColor], [s.borderBottomWidth, s.borderBottomColor]].filter(([width]) => parseFloat(width)).map(([, colour]) => colour) })")
        assert not bright and not [colour for colour in rules if luminance(colour) > .8], name


PAPER = """[...document.querySelectorAll("main :is(p, li, td, th, blockquote, summary, math, pre code, figcaption, h1, h2)")]
    .filter((e) => e.checkVisibility() && e.textContent.trim()).map((e) => getComputedStyle(e).color)"""


def test_a_dark_page_is_printed_dark_on_white(site, browser):
    for name in "index", "metrics/gleu", "studies/people":
        browser.visit((site / f"{name}.html").as_uri())
        paint(browser, 1280, "dark")
        browser.send("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        try:
            colours = set(browser.run(PAPER))
            assert colours and not [c for c in colours if contrast(c, "rgb(255, 255, 255)") < 4.5], name
            fills = set(browser.run("[...document.querySelectorAll('main svg.figure-ink')].flatMap(s => [getComputedStyle(s).fill, getComputedStyle(s).backgroundColor])"))
            assert fills <= {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}
            pressed = "document.querySelectorAll('.live-bar, .explore .btn, details.code-fold:not([open])')"
            assert browser.run(f"[...{pressed}].filter(e => e.checkVisibility()).length") == 0
        finally: browser.send("Emulation.setEmulatedMedia", media="")


# ---- on a phone

SMALL = """[...document.querySelectorAll("main svg.figure-ink")].filter((s) => s.checkVisibility()).flatMap((svg) => {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return [...svg.querySelectorAll("text")].map((t) => parseFloat(getComputedStyle(t).fontSize) * scale);
}).filter((size) => size < 7.95).length"""
TORN = """[...document.querySelectorAll("main :is(p, li, td, th) > code")].filter((e) => e.checkVisibility() && e.getClientRects().length > 1).length"""
CROSSED = """[...document.querySelectorAll(".explore-chip")].filter((c) => c.querySelector("small"))
    .filter((c) => c.querySelector("span").getBoundingClientRect().bottom > c.querySelector("small").getBoundingClientRect().top + 1).length"""


def test_letters_on_a_phone(site, pages, browser):
    "Those of figures have 8 pixels; code in a line is in one piece; no rule crosses the letters of a region"
    wrong = []
    browser.show(390)
    for name in sorted(name for name in pages if not name.startswith(("api/", "404"))):
        browser.visit((site / name).as_uri())
        found = browser.run(f"[{SMALL}, {TORN}, {CROSSED}]")
        if any(found): wrong.append((name, found))
    assert not wrong


def test_a_view_takes_the_whole_phone(site, browser):
    browser.show(390)
    browser.visit((site / "core/regions.html").as_uri())
    columns = browser.run("[...document.querySelectorAll('main div[style*=\"6.5em 1fr\"]')].map(e => getComputedStyle(e).gridTemplateColumns.split(' ').length)")
    assert columns and set(columns) == {1}


def test_nothing_moves_while_a_page_comes(site, pages, browser):
    "The contents above the text are in the page, not put in by a script; the font of formulas is asked for at once"
    for name, page in pages.items():
        assert ('id="TOC"' in page.text) == ('class="contents-on-top"' in page.text), name
        assert ("<math" in page.text) == ('rel: "preload"' in page.text), name
    server = served(site)
    try:
        for name in "index", "metrics/gleu", "studies/people":
            browser.show(390)
            browser.visit(f"http://127.0.0.1:{server.server_port}/{name}.html")
            moved = """new Promise((done) => { let sum = 0;
                new PerformanceObserver((list) => list.getEntries().forEach((e) => { sum += e.value; })).observe({ type: "layout-shift", buffered: true });
                setTimeout(() => done(sum), 500); })"""
            assert browser.run(moved) < .05, name
    finally: stopped(server)


# ---- names and places

def test_long_contents_follow_the_reader(site, browser):
    browser.show(1440, height=840)
    for name in "metrics/m2", "studies/people_appendix", "alignment/search":
        browser.visit((site / f"{name}.html").as_uri())
        browser.run("new Promise((done) => { addEventListener('scroll', () => setTimeout(done, 100), { once: true }); scrollTo(0, document.body.scrollHeight); })")
        place = "document.querySelector('#TOC a.active').getBoundingClientRect()"
        assert browser.run(f"{place}.top > 0 && {place}.bottom < innerHeight"), name


def test_no_name_is_said_twice(pages):
    "Not in the path above a page, nor in an API page's title and description"
    for name, page in pages.items():
        path = re.search(r'<ol class="breadcrumb.*?</ol>', page.text, re.DOTALL)
        words = re.findall(r">([^<>]+)<", path[0]) if path else []
        assert len(set(words)) == len(words), name
        if name.startswith("api/"): assert not page.description.startswith(page.title.split(" – ")[0] + ":"), name
    assert 'another name now' not in pages["404.html"].text.partition('<main')[2].partition('</header>')[2]


def test_contents_and_headers_have_names(site, pages, browser):
    "Of formulas alone, too"
    assert not [name for name, page in pages.items() if re.search(r"<th(?![^>]*aria-label)[^>]*>\s*<math[^>]*>((?!</math>).)*</math>\s*</th>", page.text, re.DOTALL)]
    browser.show(1280)
    browser.visit((site / "metrics/meteor.html").as_uri())
    assert browser.run("document.querySelector('#TOC').getAttribute('aria-label')") == "On this page"


PRESS = {"Tab": 9, "Enter": 13, " ": 32}


def press(browser, key):
    text = {"Enter": "\r", " ": " "}.get(key, "")
    browser.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=PRESS[key])
    browser.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=PRESS[key])


def test_the_menu_is_opened_with_the_keyboard(site, browser):
    "Tab comes to each section, Enter opens it and Tab leads into it, Space shuts it"
    browser.show(1280)
    browser.visit((site / "index.html").as_uri())
    focused = "document.activeElement.textContent.trim()"
    browser._until(lambda: browser.run("document.querySelectorAll('#quarto-sidebar [data-bs-toggle][tabindex=\"0\"]').length"), "no section for the keyboard")
    browser.run("document.querySelector('#quarto-sidebar a.sidebar-link[href*=example-report]').focus()")
    met = []
    for _ in range(3): press(browser, "Tab"); met.append(browser.run(focused))
    assert met == ["The path", "Tutorials", "Studies"]
    browser.run("[...document.querySelectorAll('#quarto-sidebar [data-bs-toggle]')].find(e => e.textContent.trim() == 'Tutorials').focus()")
    opened = "document.activeElement.getAttribute('aria-expanded')"
    press(browser, "Enter")
    browser._until(lambda: browser.run(opened) == "true" and not browser.run("document.querySelectorAll('.collapsing').length"), "it does not open")
    press(browser, "Tab")
    assert browser.run(focused) == "Compare two systems"
    browser.run("[...document.querySelectorAll('#quarto-sidebar [data-bs-toggle]')].find(e => e.textContent.trim() == 'Tutorials').focus()")
    press(browser, " ")
    browser._until(lambda: browser.run(opened) == "false", "it does not shut")


# ---- the first minute

INSIDE = "(place => [...document.querySelectorAll(place)].every(e => { const b = e.getBoundingClientRect(); return b.height && b.bottom <= innerHeight; }))"


def test_the_first_screen_has_an_explorer(site, browser):
    "Three fields and a bar for each metric, on a laptop and on a phone; an edit moves them"
    for width, height in (1440, 900), (390, 844):
        browser.show(width, height=height)
        browser.visit((site / "index.html").as_uri())
        assert browser.run("document.querySelectorAll('.explore-first input').length") == 3
        assert browser.run("document.querySelectorAll('.explore-first .explore-bar').length") >= 7
        for place in ".explore-first input", ".explore-first .explore-track": assert browser.run(f"{INSIDE}('{place}')"), (place, width)
    whole = "document.querySelectorAll('.explore')[1]"
    scores = "[...{}.querySelectorAll('.explore-scores > output')].map(e => e.textContent)"
    assert browser.run(scores.format("document.querySelector('.explore-first')")) == browser.run(scores.format(whole))
    browser.run("(() => { const input = document.querySelectorAll('.explore-first input'); input[2].value = input[1].value; input[2].dispatchEvent(new Event('input')); })()")
    assert set(browser.run(scores.format("document.querySelector('.explore-first')"))[:5]) == {"100.00"}
    assert not list(complaints(browser))


def test_the_bar_has_what_one_looks_for_first(site, pages, browser):
    "On a laptop as words, on a phone above all pages in the one menu; the version is that of the package"
    words = ["Install", "Guide", "API", "Command line", "Cite", SETTINGS["version"], "Source"]
    shown = "[...document.querySelectorAll('{} a.nav-link')].filter(e => e.checkVisibility()).map(e => e.textContent.trim()).filter(Boolean)"
    browser.show(1280)
    browser.visit((site / "metrics/gleu.html").as_uri())
    assert browser.run(shown.format("#quarto-header")) == words
    browser.send("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        browser.show(390, height=844)
        browser.visit((site / "metrics/gleu.html").as_uri())
        buttons = "[...document.querySelectorAll('#quarto-header button')].filter(e => e.checkVisibility()).map(e => e.getAttribute('aria-label'))"
        assert browser.run(buttons) == ["Menu"]
        field = "document.querySelector('#quarto-header input')"
        assert browser.run(f"{field}.checkVisibility() && {field}.getBoundingClientRect().width > 80 && {field}.getBoundingClientRect().bottom < 70")
        assert browser.run("document.documentElement.scrollWidth") == 390
        tap(browser, ".quarto-btn-toggle")
        assert browser.run(shown.format("#quarto-sidebar")) == words
        assert browser.run("document.querySelector('.quarto-btn-toggle').getAttribute('aria-expanded')") == "true"
    finally: browser.send("Emulation.setTouchEmulationEnabled", enabled=False)
    for name, page in pages.items():
        if name.startswith(("api/", "404")): continue
        opened = re.findall(r'class="collapse list-unstyled sidebar-section depth1 show"', page.text)
        assert len(opened) == (name != "index.html"), name
        assert page.text.count('class="collapse list-unstyled sidebar-section') > len(opened)


def test_commands_are_shown_as_in_a_shell(pages, site, browser):
    "Not as calls of Python, whose cells are folded; the sign before a command is not copied"
    page = pages["cli/command_line.html"].text
    assert page.index("The five sentences as files") < page.index("gecnb gleu -s INPUT") and page.count('class="shell"') > 20
    browser.show(1280)
    browser.visit((site / "cli/command_line.html").as_uri())
    calls = "[...document.querySelectorAll('main pre')].filter(e => e.checkVisibility() && /gecnb\\(|^files = /m.test(e.textContent)).length"
    assert browser.run(calls) == 0
    first = "document.querySelector('.shell code')"
    assert browser.run(f"getComputedStyle({first}, '::before').content") == '"$ "' and browser.run(f"{first}.innerText.trim()") == "gecnb gleu -s INPUT -r REF0 REF1 -o A B"
    assert docs_lessons.commands_of('gecnb("a b")\ngecnb("c")') == (["a b", "c"], True) and docs_lessons.commands_of('x = 1\ngecnb("c")') == (["c"], False)
    assert docs_lessons.commands_of('gecnb(f"{x}")') == docs_lessons.commands_of('for x in y: gecnb("c")') == docs_lessons.commands_of("f(x)") == ([], False)
