"The site of the folder GECNB_SITE, else built once by each worker that needs it; its pages, and a browser"
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
import os
import sys

import pytest

from browser import CHROMIUM, Browser

if sys.version_info < (3, 11) or not find_spec("smalldocs"): collect_ignore = ["test_reading.py", "test_search.py", "test_weight.py"] # test_site says why


class Page(HTMLParser):
    "What a page links to, which anchors it has, its title and description, its pictures without words"

    def __init__(self, path):
        super().__init__()
        self.links, self.assets, self.anchors, self.silent, self.description, self.title, self._in = [], [], set(), [], "", "", None
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if a.get("id"): self.anchors.add(a["id"])
        if tag == "a" and a.get("href") is not None: self.links.append(a["href"])
        self.assets += [a[k] for k in ("src", "href") if tag in ("script", "link", "img", "iframe", "source") and a.get(k)]
        if tag == "meta" and a.get("name") == "description": self.description = a["content"]
        if tag == "img" and not a.get("alt") or a.get("role") == "img" and tag == "svg" and not a.get("aria-label"): self.silent.append(a)
        if tag == "svg" and a.get("role") != "img": self.silent.append(a)
        self._in = tag if tag in ("title", "script", "style") else None

    def handle_data(self, data):
        if self._in == "title": self.title += data

    def handle_endtag(self, tag): self._in = None


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    import docs
    return docs.prepare(tmp_path_factory.mktemp("site").resolve())


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    "A file that has a line for each site that a worker of these tests has built"
    return tmp_path_factory.getbasetemp().parent / f"built-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"


@pytest.fixture(scope="session")
def site(request, built):
    if "GECNB_SITE" in os.environ: return Path(os.environ["GECNB_SITE"]).resolve() # without Python in its pages
    import docs
    prepared = request.getfixturevalue("prepared")
    site = prepared.parent / "site"
    docs.render(prepared, site)
    with open(built, "a", encoding="utf-8") as file: file.write(f"{site}\n")
    return site


@pytest.fixture(scope="session")
def pages(site):
    import docs
    return {p.relative_to(site).as_posix(): Page(p) for p in sorted(site.rglob("*.html")) if p.name != docs.EXAMPLE}


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if not CHROMIUM: pytest.skip("PAGES ARE NOT OPENED: no chromium on this machine")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()
