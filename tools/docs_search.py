"What search knows of the pages"
from html import unescape
import json
import re

from places import read, write

SILENT = re.compile(r'<(svg|script|style|button|nav|pre|header)\b.*?</\1>|<details class="contents-on-top".*?</details>'
                    r'|<div class="where[^"]*">.*?</div>', re.DOTALL)
TITLE = re.compile(r'<h1 class="title">(.*?)</h1>', re.DOTALL)
ABOUT = re.compile(r'<div class="description">(.*?)</div>', re.DOTALL)
PLACE = re.compile(r'<h[1-6][^>]* data-anchor-id="([^"]+)"[^>]*>(.*?)</h[1-6]>', re.DOTALL)


def plain(html):
    "The words of HTML, in one line"
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:code|em|strong|a|span|b|i|m\w+)\b[^>]*>", "", html))).split())


def index_of(page, site):
    "What search knows of a page: its top and each heading, with the prose below; no code, pictures and outputs"
    text = read(page)
    main = text[text.index("<main"):text.index("</main>")]
    title, about = TITLE.search(main), ABOUT.search(main)
    if not title: return []
    title, about = plain(title[1]), plain(about[1]) if about else ""
    top, *parts = PLACE.split(SILENT.sub(" ", main))
    href = page.relative_to(site).as_posix()
    entries = [{"href": href, "title": title, "section": "", "text": f"{about} {plain(top)}".strip()}]
    for place, heading, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        entries.append({"href": f"{href}#{place}", "title": title, "section": plain(heading), "text": plain(body)})
    return entries


def write_index(site, left_out):
    "The search index of all pages, as a script: a page opened from disk may load that, too"
    pages = (page for page in sorted(site.rglob("*.html")) if page.name not in left_out)
    index = [entry for page in pages for entry in index_of(page, site)]
    write(site / "search.js", f"window.searchIndex = {json.dumps(index, ensure_ascii=False)};\n")
    (site / "search.json").unlink()
