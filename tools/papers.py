"The papers that the pages name: nbs/about/01_cite.ipynb holds them, a heading each, and every page that names one links it"
from functools import cache
from pathlib import Path
import json
import re

PAGE = Path(__file__).parent.parent / "nbs" / "about/01_cite.ipynb"
ENTRY = re.compile(r"^### (?P<name>.+) (?P<year>\d{4})\n\n\[(?P<title>.+?)\]\((?P<url>\S+?)\), .+?\n\n"
                   r"```bibtex\n(?P<bibtex>@.+?^\})\n```$", re.MULTILINE | re.DOTALL)
UNTOUCHED = r"```.*?```|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|\$\$.*?\$\$|\$[^$\n]+\$|<[^>\n]*>|^#.*?$|^:::.*?$"


@cache
def papers():
    "The entries of the page, in its order: name, year, title, url, bibtex"
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    return [found.groupdict() for c in cells for found in [ENTRY.match("".join(c["source"]))] if found]


def bibtex_fields(paper): return dict(re.findall(r"^  (\w+) += \{(.*)\},$", paper["bibtex"], re.MULTILINE))


def families(paper):
    "Family names of its authors, as many as it gives"
    return [author.split(",")[0] for author in bibtex_fields(paper)["author"].split(" and ")]


def written(paper):
    "A pattern of the ways to name it: by its authors, some or all, and the year; by its title, in italics"
    *first, last = families(paper)
    names = {paper["name"], f"{', '.join(first)} and {last}" if first else last}
    titles = {paper["title"], paper["title"].split(":")[0]} - {"METEOR", "TrueSkill", "BLEU", "JFLEG", "gec-metrics", "CLEME", "CLEME2.0"}
    return "|".join([rf"(?:{'|'.join(map(re.escape, sorted(names)))})(?:'s)?,? (?:\({paper['year']}\)|{paper['year']}(?!\d))",
                     *(rf"\*{re.escape(title)}\*" for title in sorted(titles))])


@cache
def pattern():
    "A pattern of what holds no papers, and of each paper by its number"
    named = "|".join(f"(?P<p{i}>{written(paper)})" for i, paper in enumerate(papers()))
    return re.compile(f"{UNTOUCHED}|{named}", re.MULTILINE | re.DOTALL)


def link_papers(text):
    "Markdown in which each paper that is named is a link; code, formulas, headings and links stay"
    def link(found): return f"[{found[0]}]({papers()[int(found.lastgroup[1:])]['url']})" if found.lastgroup else found[0]
    return pattern().sub(link, text)
