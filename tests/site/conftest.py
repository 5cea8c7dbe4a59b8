"The site of the folder GECNB_SITE, as nbdev-docs made it: its pages, a server for it, and a browser"
from html.parser import HTMLParser
from pathlib import Path
import os
import re

import pytest

from browser import luminance, served, stopped

EXAMPLE = "example-report.html" # a page that is no lesson, and has a style of its own


class Page(HTMLParser):
    "What a page links to, its anchors, title and description, pictures without words; of its text ids, levels of headings, what has no name"

    def __init__(self, path):
        super().__init__()
        self.links, self.assets, self.anchors, self.silent, self.description, self.title, self._in = [], [], set(), [], "", "", None
        self.ids, self.levels, self.nameless, self._open, self._main = [], [], [], None, False
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if a.get("id"): self.anchors.add(a["id"])
        if tag == "a" and a.get("href") is not None: self.links.append(a["href"])
        self.assets += [a[k] for k in ("src", "href") if tag in ("script", "link", "img", "iframe", "source") and a.get(k)]
        if tag == "meta" and a.get("name") == "description": self.description = a["content"]
        if tag == "img" and "alt" not in a or a.get("role") == "img" and tag == "svg" and not a.get("aria-label"): self.silent.append(a)
        if tag == "svg" and a.get("role") != "img": self.silent.append(a)
        self._in = tag if tag in ("title", "script", "style") else None
        self._main |= tag == "main"
        if self._main: self._outlined(tag, a)

    def _outlined(self, tag, a):
        if a.get("id"): self.ids.append(a["id"])
        if re.fullmatch("h[1-6]", tag) and a.get("id") != "toc-title": self.levels.append(int(tag[1]))
        if tag in ("button", "a") and a.get("aria-hidden") != "true": self._open = [tag, a, a.get("aria-label") or a.get("title") or ""]
        elif self._open and tag in ("img", "svg"): self._open[2] += a.get("alt") or a.get("aria-label") or ""

    def handle_data(self, data):
        if self._in == "title": self.title += data
        if self._open: self._open[2] += data

    def handle_endtag(self, tag):
        self._in, self._main = None, self._main and tag != "main"
        if not self._open or tag != self._open[0]: return
        if not self._open[2].strip() and (tag != "a" or "href" in self._open[1]): self.nameless.append(self._open)
        self._open = None


@pytest.fixture(scope="session")
def site():
    if "GECNB_SITE" not in os.environ: pytest.skip("THE SITE IS NOT TESTED: with Quarto, make docs; then GECNB_SITE=_docs make test")
    return Path(os.environ["GECNB_SITE"]).resolve()


@pytest.fixture(scope="session")
def pages(site):
    "All but the example, and the addresses that pages had before, which lead to them"
    pages = {p.relative_to(site).as_posix(): Page(p) for p in sorted(site.rglob("*.html")) if p.name != EXAMPLE}
    return {name: page for name, page in pages.items() if page.title != "Redirect"}


@pytest.fixture(scope="session")
def home(site):
    "The address of the site"
    server = served(site)
    yield f"http://127.0.0.1:{server.server_port}"
    stopped(server)


@pytest.fixture
def paint(browser, home):
    "Open a page at a width and in a scheme, as a reader who prefers that scheme and comes for the first time"
    def paint(name, width=1280, scheme="light"):
        browser.show(width, scheme)
        browser.send("Storage.clearDataForOrigin", origin=home, storageTypes="local_storage")
        browser.visit(f"{home}/{name}.html")
        browser._until(lambda: browser.run("typeof furnishExplorers == 'function'"), f"{name}: no scripts")
        dark = lambda: luminance(browser.run("getComputedStyle(document.body).backgroundColor")) < .2
        browser._until(lambda: dark() == (scheme == "dark"), f"{name} is not {scheme}")
    return paint
