"After Quarto rendered all pages (its post-render): they ask for the styles and icons that they have, and search knows their prose"
from html import unescape
from pathlib import Path
import json
import os
import re
import shutil

from places import ROOT, read, write

RULE_OF = re.compile(r"\s*([^{}]+?)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
COMMA = re.compile(r",(?![^(]*\))") # outside of brackets


def slim(sheet, words):
    "A style sheet without the rules whose classes and ids no page and no script has"
    out = []
    for head, body in RULE_OF.findall(re.sub(r"/\*.*?\*/|@charset[^;]*;", "", sheet, flags=re.DOTALL)):
        if head.startswith(("@media", "@supports")): body = slim(body, words)
        elif not head.startswith("@"): head = ",".join(each for each in COMMA.split(head) if is_used(each, words))
        if head and body: out.append(f"{head}{{{body}}}")
    return "\n".join(out)


def is_used(selector, words):
    named = re.sub(r":(?:not|is|where|has)\(.*?\)+|\[[^\]]*\]", "", selector)
    return all(name in words for name in re.findall(r"[.#]((?:[\w-]|\\.)+)", named))


# Search is ours, nothing opens a text above a link, no line of code is a place, and Quarto takes every page for one of the API
UNUSED = (r'<a href="#cb[^"]*" aria-hidden="true" tabindex="-1"></a>|(?<=<span) id="cb[\d-]+"|(?<=class="nav-link) active(?=")| aria-current="page"'
          r'| data-(?:execution|jupyter)="[^"]*"|<script src="[^"]*/(?:fuse|popper|tippy\.umd)\.min\.js"></script>|<link href="[^"]*/tippy\.css"[^>]*>')


def lighten(site):
    "Of 2,000 icons those that pages show, of styles those of what they have; the other scheme's when it is chosen; nbs/site.js searches"
    for page in site.rglob("*.html"):
        text = read(page).replace('rel="prefetch"', 'rel="disabled-stylesheet"').replace("rel = 'prefetch'", "rel = 'disabled-stylesheet'")
        text = re.sub(rf'<annotation .*?</annotation>|{UNUSED}', "", text, flags=re.DOTALL)
        text = re.sub(r"<th\b([^>]*)></th>", r"<td\1></td>", text) # which heads nothing
        write(page, text.replace('<script src="', '<script defer src="')) # words are shown before scripts come
    named = re.compile(r' (?:class|id)="([^"]*)"|<script\b(?![^>]*json)[^>]*>(.*?)</script>', re.DOTALL)
    words = {word for page in site.rglob("*.html") for parts in named.findall(read(page)) for word in re.findall(r"[\w-]+", " ".join(parts))}
    words |= {word for path in site.rglob("*.js") for word in re.findall(r"[\w-]+", read(path))}
    for sheet in (site / "site_libs").rglob("*.css"): write(sheet, slim(read(sheet), words))
    shutil.copyfile(ROOT / "tools" / "icons-subset.woff", site / "site_libs/bootstrap/bootstrap-icons.woff") # of Bootstrap Icons, MIT


SILENT = re.compile(r'<(svg|script|style|button|nav|pre|header)\b.*?</\1>|<div class="where">.*?</div>', re.DOTALL)
PLACE = re.compile(r'<h[1-6][^>]* data-anchor-id="([^"]+)"[^>]*>(.*?)</h[1-6]>', re.DOTALL)


def plain(html):
    "The words of HTML, in one line"
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:code|em|strong|a|span|b|i|m\w+)\b[^>]*>", "", html))).split())


def index_of(page, site):
    "What search knows of a page: its top and each heading, with the prose below; no code, pictures and outputs"
    main, href = re.search(r"<main[^>]*>(.*)</main>", read(page), re.DOTALL)[1], page.relative_to(site).as_posix()
    title, about = (re.search(rf'class="{name}">(.*?)</(?:h1|div)>', main, re.DOTALL) for name in ("title", "description"))
    top, *parts = PLACE.split(SILENT.sub(" ", main))
    entries = [(href, "", f"{plain(about[1]) if about else ''} {plain(top)}")]
    entries += [(f"{href}#{place}", plain(heading), plain(body)) for place, heading, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)]
    return [{"objectID": place, "href": place, "title": plain(title[1]), "section": heading, "text": text} for place, heading, text in entries if title]


if __name__ == "__main__" and os.environ.get("QUARTO_PROJECT_RENDER_ALL"):
    site = Path(os.environ["QUARTO_PROJECT_OUTPUT_DIR"])
    lighten(site)
    index = [entry for page in sorted(site.rglob("*.html")) if page.name != "404.html" and "<main" in read(page) for entry in index_of(page, site)]
    write(site / "search.json", json.dumps(index, ensure_ascii=False))
