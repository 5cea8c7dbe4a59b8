"What a page weighs: styles of what pages have, and nothing looks other than with all of them"
from pathlib import Path
import gzip
import re
import shutil

import pytest

from browser import AT_REST, paint, served, stopped
import docs
import smalldocs

PAGES = "index", "metrics/gleu", "cli/command_line", "api/metrics-gleu"
STYLES = """(() => {
    const sum = (text) => { let h = 0; for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) | 0; return h; };
    const name = (e) => e ? `${e.tagName}.${e.getAttribute("class") || ""}` : "", kinds = new Map(); // one element of each kind, by its and its parents' classes
    for (const e of document.querySelectorAll("body, body *:not(svg *):not(math *):not(script)")) {
        const kind = [e, e.parentElement, e.parentElement?.parentElement].map(name).join(" < ");
        if (!kinds.has(kind)) kinds.set(kind, e);
    }
    return [...kinds].map(([kind, e]) => {
        const style = getComputedStyle(e);
        return [kind, sum([...style].map((name) => style.getPropertyValue(name)).join("|"))];
    });
})()"""


@pytest.fixture(scope="module")
def whole(site, tmp_path_factory):
    "The site with all the styles of smalldocs"
    folder = tmp_path_factory.mktemp("whole") / "site"
    shutil.copytree(site, folder)
    known = {path.name: path for path in Path(smalldocs.__file__).parent.rglob("*.css")}
    sheets = [*(folder / "site_libs/themes").glob("*.css"), folder / "site_libs/smalldocs.css"]
    for sheet in sheets:
        text = docs.IMPORT.sub("", known[sheet.name].read_text(encoding="utf-8"))
        assert len(text) > 1.8 * sheet.stat().st_size, sheet.name
        sheet.write_text(text, encoding="utf-8")
    return folder


def test_slim_sheets_look_like_whole_ones(site, whole, browser):
    wrong = []
    for name in PAGES:
        for width, scheme in (1280, "light"), (390, "dark"):
            found = []
            for folder in site, whole:
                browser.show(width, scheme)
                browser.visit((folder / f"{name}.html").as_uri())
                paint(browser, width, scheme)
                browser.run(AT_REST)
                found.append(browser.run(STYLES))
            wrong += [(name, width, a[0]) for a, b in zip(*found, strict=True) if a != b][:3]
    assert not wrong


def test_a_sheet_keeps_what_pages_use():
    sheet = ("/*! a */@charset \"x\";:root{--a:1}.a,.b .c{x:1}.d:not(.gone){y:1}.gone:hover{z:1}@media (min-width:1px){.gone{a:1}.a:is(h1,h2){b:1}}"
             "@media print{.gone{a:1}}@keyframes k{0%{a:1}to{a:2}}@font-face{font-family:x}h1>a[href*=\".x\"]{c:1}")
    kept = docs.slim_sheet(sheet, {"a", "d"}).replace("\n", "")
    assert kept == (":root{--a:1}.a{x:1}.d:not(.gone){y:1}@media (min-width:1px){.a:is(h1,h2){b:1}}"
                    "@keyframes k{0%{a:1}to{a:2}}@font-face{font-family:x}h1>a[href*=\".x\"]{c:1}")


def test_a_page_is_light(site, pages):
    "All that the page of GLEU asks for, as a server with gzip sends it"
    page = pages["metrics/gleu.html"]
    files = {site / "metrics" / asset for asset in page.assets if not re.match("https?:", asset)} | {site / name for name in ("site.js", "explore.js", "live.js", docs.FORMULA_FONT)}
    files |= {site / "metrics/gleu.html", site / "site_libs/bootstrap-icons/fonts" / docs.SUBSET}
    sizes = [len(data) if path.suffix.startswith(".woff") else len(gzip.compress(data)) for path in files for data in [path.read_bytes()]]
    assert len(files) > 12 and sum(sizes) < 180 * 1024


def test_what_is_far_below_waits(site, browser):
    "It is laid out when it comes near: a phone need not do it before the first line is read"
    browser.show(390)
    browser.whole(False)
    try: browser.visit((site / "metrics/gleu.html").as_uri())
    finally: browser.whole(True)
    browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    seen = browser.run("[...document.querySelectorAll('main section.level2 > p')].map(e => e.checkVisibility({ contentVisibilityAuto: true }))")
    assert seen[0] and not seen[-1] and seen.count(False) > len(seen) / 2


def test_links_to_sections_land_there(site, browser):
    "Also where sections far away are not laid out before they are seen"
    server = served(site)
    browser.whole(False)
    try:
        for name, width in ("metrics/gleu", 1280), ("metrics/gleu", 390), ("studies/people_appendix", 1280), ("api/metrics-gleu", 390):
            browser.show(width)
            browser.visit(f"http://127.0.0.1:{server.server_port}/{name}.html")
            places = browser.run("[...document.querySelectorAll('#TOC a')].map(a => a.hash)")
            for place in places[1::max(1, len(places) // 4)]:
                browser.send("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/{name}.html?{places.index(place)}{place}")
                target = f"document.getElementById(decodeURIComponent({place!r}.slice(1)))"
                at_top = f"""(() => {{ const e = {target}; if (document.readyState !== 'complete' || !e) return false;
                    const top = e.getBoundingClientRect().top, end = scrollY + innerHeight > document.documentElement.scrollHeight - 3;
                    return top > -2 && (top < 130 || end); }})()"""
                browser._until(lambda asked=at_top: browser.run(asked), f"{name}{place} at {width}", 20)
    finally:
        browser.whole(True)
        stopped(server)
