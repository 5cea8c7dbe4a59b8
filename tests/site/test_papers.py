"Papers: each that the lessons name is on the page of how to cite, once, with a link and BibTeX that say the same"
import ast
import json
import re

import pytest

from places import notebooks
import papers

NAMED = re.compile(r"[A-Z][\w-]+(?: et al\.|(?:, [A-Z][\w-]+)* and [A-Z][\w-]+)(?:'s)?,? \(?(?:19|20)\d\d\b")
NUMBER = re.compile(r"[A-Z]\d\d-\d{4}|20\d\d\.[a-z]+-\w+\.\d+")
PLACES = (r"https://(aclanthology\.org/(?:[A-Z]\d\d-\d{4}|20\d\d\.[a-z]+-\w+\.\d+)/|arxiv\.org/abs/\d{4}\.\d{5}|"
          r"doi\.org/10\.\S+|openlibrary\.org/isbn/\d{10}|www\.jstor\.org/stable/\d+|proceedings\.neurips\.cc/\S+)")


def prose():
    "(lesson, text) of what a reader sees: Markdown, and what the API prints of docstrings"
    for path in notebooks():
        for c in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(c["source"])
            if c["cell_type"] == "markdown": yield path.stem, source
            elif source.startswith("#| export"):
                defined = (n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
                yield from ((path.stem, ast.get_docstring(n) or "") for n in defined)


def test_each_entry_says_one_thing_of_its_paper():
    source = papers.PAGE.read_text(encoding="utf-8")
    found = papers.papers()
    assert len(found) == source.count('"### ') == source.count("```bibtex") - 1 >= 30 # the other is the package
    known = set()
    for paper in found:
        fields, names = papers.bibtex_fields(paper), papers.families(paper)
        said = names[0] if len(names) == 1 else f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."
        if (said, paper["year"]) in known: said = f"{', '.join(names[:-1])} and {names[-1]}" # no two headings are the same
        known.add((said, paper["year"]))
        assert (paper["name"], paper["title"], paper["url"], paper["year"]) == (said, fields["title"], fields["url"], fields["year"])
        assert re.fullmatch(PLACES, paper["url"]), paper["url"]
        assert paper["bibtex"].count("{") == paper["bibtex"].count("}") and {"author"} < set(fields)
        ids = NUMBER.findall(paper["url"] + fields.get("doi", ""))
        assert len(set(ids)) <= 1, ids # the anthology's number is the same in link and DOI
    for what in "url", "title", "bibtex": assert len({paper[what] for paper in found}) == len(found)


def test_every_paper_that_is_named_is_known():
    plain = lambda text: re.sub(r"\[[^\]]*\]\([^)]*\)|^#.*$|`[^`\n]*`", "", papers.link_papers(text), flags=re.MULTILINE)
    assert not [(lesson, name) for lesson, text in prose() for name in NAMED.findall(plain(text))]
    assert sum(papers.link_papers(text) != text for _, text in prose()) > 60


@pytest.mark.parametrize("text,linked", [
    ("(Napoles et al. 2015, 2016)", "([Napoles et al. 2015](https://aclanthology.org/P15-2097/), 2016)"),
    ("Koehn (2004) counts", "[Koehn (2004)](https://aclanthology.org/W04-3250/) counts"),
    ("Deutsch, Dror and Roth (2021)", "[Deutsch, Dror and Roth (2021)](https://doi.org/10.1162/tacl_a_00417)"),
    ("Holm's (1979)", "[Holm's (1979)](https://www.jstor.org/stable/4615733)"),
    ("in *GLEU Without Tuning*,", "in [*GLEU Without Tuning*](https://arxiv.org/abs/1605.02592),"),
    ("Mogstad, Romano, Shaikh and Wilhelm 2024", "[Mogstad, Romano, Shaikh and Wilhelm 2024](https://doi.org/10.1093/restud/rdad006)")])
def test_a_paper_is_linked_where_it_is_named(text, linked): assert papers.link_papers(text) == linked


@pytest.mark.parametrize("text", ["`Koehn 2004`", "[Koehn 2004](22_resample.ipynb)", "### Koehn 2004", "Koehn 20041", "```\nKoehn 2004\n```", "Koehn", "2004"])
def test_other_text_stays(text): assert papers.link_papers(text) == text
