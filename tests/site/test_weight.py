"What a page weighs: styles of what pages have, and nothing looks other than with all of them"
from pathlib import Path
import gzip
import re
import shutil

import pytest

from browser import AT_REST, luminance, paint, served, stopped
import docs_pages
import docs_styles
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


ONE = re.compile(r'<link rel="stylesheet" href="([^"]*)both.css">')
TWO = (r'<link rel="stylesheet" href="\1cosmo.min.css" data-mode="light" class="quarto-color-scheme">'
       r'<link rel="stylesheet" href="\1darkly.min.css" data-mode="dark" class="quarto-color-scheme quarto-color-alternate">')


@pytest.fixture(scope="module")
def whole(site, tmp_path_factory):
    "The site with all the styles of smalldocs, a sheet a scheme"
    folder = tmp_path_factory.mktemp("whole") / "site"
    shutil.copytree(site, folder)
    known = {path.name: docs_styles.IMPORT.sub("", path.read_text(encoding="utf-8")) for path in Path(smalldocs.__file__).parent.rglob("*.css")}
    sheets = folder / "site_libs/themes/both.css", folder / "site_libs/smalldocs.css"
    for old, new in zip(sheets, (known["cosmo.min.css"] + known["darkly.min.css"], known["smalldocs.css"]), strict=True): assert len(new) > 1.3 * old.stat().st_size
    for name in "cosmo", "darkly": (folder / f"site_libs/themes/{name}.min.css").write_text(known[f"{name}.min.css"], encoding="utf-8")
    sheets[1].write_text(known["smalldocs.css"], encoding="utf-8")
    shutil.copy(Path(smalldocs.__file__).parent / "assets/smalldocs.js", folder / "site_libs")
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(ONE.sub(TWO, text).replace("if(alt)d.classList", f"{docs_pages.DARK}d.classList"), encoding="utf-8")
    return folder


def test_slim_sheets_look_like_whole_ones(site, whole, browser):
    wrong = []
    assert "cosmo" not in (site / "index.html").read_text(encoding="utf-8") and "both.css" not in (whole / "index.html").read_text(encoding="utf-8")
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
    kept = docs_styles.slim_sheet(sheet, {"a", "d"}).replace("\n", "")
    assert kept == (":root{--a:1}.a{x:1}.d:not(.gone){y:1}@media (min-width:1px){.a:is(h1,h2){b:1}}"
                    "@keyframes k{0%{a:1}to{a:2}}@font-face{font-family:x}h1>a[href*=\".x\"]{c:1}")


def test_one_sheet_has_both_schemes():
    "Each scheme has its own rules in their own order, none of them stronger than before"
    light = "a{x:1}\nb,:is(p,q){y:1}\n@media (m){c{z:1}}\n:root,[t]{k:1}"
    dark = "a{x:1}\nb,:is(p,q){y:2}\n@media (m){c{z:1}\nd{w:1}}\n:root,[t]{k:2}"
    by_day, by_night = (f":where({scheme})" for scheme in docs_styles.SCHEMES)
    assert docs_styles.both_schemes(light, dark).replace("\n", "") == (
        f"a{{x:1}}{by_day} b,{by_day} :is(p,q){{y:1}}{by_night} b,{by_night} :is(p,q){{y:2}}@media (m){{c{{z:1}}}}"
        f":root{by_day},{by_day} [t]{{k:1}}@media (m){{{by_night} d{{w:1}}}}:root{by_night},{by_night} [t]{{k:2}}")
    with pytest.raises(SystemExit, match="@font-face"): docs_styles.both_schemes("@font-face{a:1}", "@font-face{a:2}")


def test_a_reader_chooses_a_scheme(site, browser):
    "It holds on the next page, from its first lines on, and no second sheet is fetched for it"
    server = served(site)
    dark = "[document.documentElement.classList.contains('quarto-dark'), getComputedStyle(document.body).backgroundColor]"
    try:
        browser.show(1280, "light")
        for name, wanted in ("index", False), ("metrics/gleu", True), ("index", False):
            browser.visit(f"http://127.0.0.1:{server.server_port}/{name}.html")
            assert [browser.run(dark)[0], luminance(browser.run(dark)[1]) < .2] == [wanted] * 2, name
            browser.run("document.querySelector('.quarto-color-scheme-toggle').click()")
            browser._until(lambda after=not wanted: browser.run(dark)[0] == after == (luminance(browser.run(dark)[1]) < .2), f"{name}: the scheme stays")
            asked = [event["request"]["url"] for event in browser.reported("Network.requestWillBeSent")]
            assert len([url for url in asked if "/themes/" in url]) == 1
    finally:
        browser.run("localStorage.clear()")
        stopped(server)


def test_a_page_is_light(site, pages):
    "All that the page of GLEU asks for, as a server with gzip sends it"
    page = pages["metrics/gleu.html"]
    files = {site / "metrics" / asset for asset in page.assets if not re.match("https?:", asset)} | {site / name for name in ("site.js", "explore.js", "live.js", docs_pages.FORMULA_FONT)}
    files |= {site / "metrics/gleu.html", site / "site_libs/bootstrap-icons/fonts" / docs_styles.SUBSET}
    sizes = [len(data) if path.suffix.startswith(".woff") else len(gzip.compress(data)) for path in files for data in [path.read_bytes()]]
    assert len(files) > 11 and sum(sizes) < 180 * 1024


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
                browser._until(lambda asked=at_top: browser.run(asked), f"{name}{place} at {width}")
    finally:
        browser.whole(True)
        stopped(server)
