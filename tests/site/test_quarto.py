"Pages as real Quarto rendered them into the folder GECNB_QUARTO_SITE: .ci/quarto"
from pathlib import Path
import os
import re

import pytest

from browser import CUT_OFF, complaints, contrast, luminance
from places import notebooks, page_of

SITE = Path(os.environ.get("GECNB_QUARTO_SITE") or "nowhere")
pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="QUARTO'S PAGES ARE NOT LOOKED AT: .ci/quarto INSTALL FOLDER")
PAGES = "index", "metrics/gleu", "api/metrics-gleu", "cli/command_line", "studies/people", "stats/significance", "viz/plot", "tutorials/compare"


def test_all_pages_are_there_and_nothing_is_fetched_from_elsewhere():
    pages = {path.relative_to(SITE).as_posix(): path.read_text(encoding="utf-8") for path in SITE.rglob("*.html")}
    assert {page_of(path) for path in notebooks()} <= set(pages)
    assert not [name for name, text in pages.items() if re.search(r'(?:src|<link[^>]* href)="https?:', text)]
    assert not [path for path in SITE.rglob("*.css") if re.search(r"@import[^;]*https?:", path.read_text(encoding="utf-8"))]
    api = [text for name, text in pages.items() if name.startswith("api/")]
    assert len(api) > 60 and not [1 for text in api if "/nbs/api/" in text]
    assert not [name for name, text in pages.items() if re.search(r"<code>[^<]*\\\|[^<]*</code>", text)]


def test_pages_in_a_browser(browser):
    wrong = []
    for name in PAGES:
        for width in 390, 1280:
            for scheme in "light", "dark":
                browser.show(width)
                browser.visit((SITE / f"{name}.html").resolve().as_uri())
                browser._until(lambda: browser.run("typeof furnishExplorers == 'function'"), f"{name}: no scripts")
                if browser.run("document.body.classList.contains('quarto-dark')") != (scheme == "dark"): browser.run("document.querySelector('.quarto-color-scheme-toggle').click()")
                dark = lambda: luminance(browser.run("getComputedStyle(document.body).backgroundColor")) < .2
                browser._until(lambda wanted=scheme == "dark", seen=dark: seen() == wanted, f"{name} is not {scheme}")
                state = browser.run(f"[document.documentElement.scrollWidth - innerWidth, {CUT_OFF}]")
                low = contrast(*browser.run("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))"))
                if any(state) or low < 7: wrong.append((name, width, scheme, state, low))
        wrong += [(name, said) for said in complaints(browser)]
    assert not wrong


def test_what_a_reader_meets_first(browser):
    browser.show(1280)
    visit = lambda name: browser.visit((SITE / name).resolve().as_uri())
    visit("index.html")
    browser._until(lambda: browser.run("document.querySelectorAll('.explore-first textarea').length == 3"), "no explorer")
    words = browser.run("[...document.querySelectorAll('#quarto-header a.nav-link')].map(e => e.textContent.trim())")
    assert {"Install", "Guide", "API", "Command line", "Cite"} <= set(words)
    visit("metrics/gleu.html")
    assert browser.run("[...document.querySelectorAll('#TOC a')].filter(e => e.checkVisibility() && e.textContent.includes('gleu_parts')).length") == 1
    gap = "document.querySelector('.description').getBoundingClientRect().top + parseFloat(getComputedStyle(document.querySelector('.description')).paddingTop) - document.querySelector('h1.title').getBoundingClientRect().bottom"
    assert browser.run(gap) > 4
    visit("cli/command_line.html")
    assert browser.run("document.querySelectorAll('.shell').length") > 20
    assert browser.run("[...document.querySelectorAll('main pre')].filter(e => e.checkVisibility() && /^gecnb\\(/m.test(e.textContent)).length") == 0
