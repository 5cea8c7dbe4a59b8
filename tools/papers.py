"The papers that the pages name: nbs/08_cite.ipynb holds them, a heading each, and every page that names one links it"
from pathlib import Path
import json
import re

PAGE = Path(__file__).parent.parent / "nbs" / "08_cite.ipynb"
ENTRY = re.compile(r"^### (?P<name>.+) (?P<year>\d{4})\n\n\[(?P<title>.+?)\]\((?P<url>\S+?)\), .+?\n\n"
                   r"```bibtex\n(?P<bibtex>@.+?^\})\n```$", re.MULTILINE | re.DOTALL)
UNTOUCHED = (r"```.*?```|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|\$\$.*?\$\$|\$[^$\n]+\$|<[^>\n]*>|^#.*?$|^:::.*?$")


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
    titles = {paper["title"], paper["title"].split(":")[0]} - {"METEOR", "TrueSkill", "BLEU", "JFLEG", "gec-metrics"}
    return "|".join([rf"(?:{'|'.join(map(re.escape, sorted(names)))})(?:'s)?,? (?:\({paper['year']}\)|{paper['year']}(?!\d))",
                     *(rf"\*{re.escape(title)}\*" for title in sorted(titles))])


def linker():
    "A function from Markdown to Markdown in which each paper that is named is a link; code, formulas and links stay"
    known = papers()
    named = "|".join(f"(?P<p{i}>{written(paper)})" for i, paper in enumerate(known))
    pattern = re.compile(rf"{UNTOUCHED}|{named}", re.MULTILINE | re.DOTALL)
    def link(found):
        kind = found.lastgroup
        return f"[{found[0]}]({known[int(kind[1:])]['url']})" if kind else found[0]
    return lambda text: pattern.sub(link, text)
