"Papers: each is on the page of how to cite, once, with BibTeX that says the same; where a lesson names one, it is a link there"
import ast
import re

from places import ROOT, cells_of, notebooks

NAMED = re.compile(r"[A-Z][\w-]+(?: et al\.|(?:, [A-Z][\w-]+)* and [A-Z][\w-]+)(?:'s)?,? \(?(?:19|20)\d\d\b")
NUMBER = re.compile(r"[A-Z]\d\d-\d{4}|20\d\d\.[a-z]+-\w+\.\d+")
PLACES = (r"https://(aclanthology\.org/(?:[A-Z]\d\d-\d{4}|20\d\d\.[a-z]+-\w+\.\d+)/|arxiv\.org/abs/\d{4}\.\d{5}|"
          r"doi\.org/10\.\S+|openlibrary\.org/isbn/\d{10}|www\.jstor\.org/stable/\d+|proceedings\.neurips\.cc/\S+)")
ENTRIES = {m[1]: m[0] for m in re.finditer(r"^@\w+\{(\S+),\n.*?^\}$", (ROOT / "nbs/references.bib").read_text(encoding="utf-8"), re.M | re.S)}


def cited():
    "(key, heading) of each entry of the page"
    calls = (re.search(r"^paper\((.*)\)$", c["source"], re.M) for c in cells_of(ROOT / "nbs/about/01_cite.ipynb"))
    return [ast.literal_eval(f"({call[1]})")[:2] for call in calls if call]


def test_each_entry_says_one_thing_of_its_paper():
    assert sorted(key for key, _ in cited()) == sorted(ENTRIES) and len(ENTRIES) >= 30
    assert len({heading for _, heading in cited()}) == len(ENTRIES)
    for key, heading in cited():
        fields = dict(re.findall(r"^  (\w+) += \{(.*)\},$", ENTRIES[key], re.M))
        names = [author.split(",")[0] for author in fields["author"].split(" and ")]
        short = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        assert heading in (f"{short} {fields['year']}", f"{', '.join(names[:-1])} and {names[-1]} {fields['year']}"), heading
        assert re.fullmatch(PLACES, fields["url"]) and {"title", "author", "year"} < set(fields), key
        assert len(set(NUMBER.findall(fields["url"] + fields.get("doi", "")))) <= 1, key # the anthology's number is the same in link and DOI
        assert ENTRIES[key].count("{") == ENTRIES[key].count("}")


def test_every_paper_that_is_named_is_a_link_to_its_entry():
    anchors = {re.sub(r"[^\w.\- ]", "", heading.lower()).replace(" ", "-") for _, heading in cited()}
    links = []
    for path in notebooks():
        if path.stem in ("index", "01_cite"): continue # README is written from the one, the other is the page
        for c in cells_of(path):
            if c["cell_type"] != "markdown": continue
            links += re.findall(r"01_cite\.ipynb#([^)\s]+)", c["source"])
            prose = re.sub(r"```.*?```|\[[^\]]*\]\([^)]*\)|^#.*?(?:^>.*?)?$|`[^`\n]*`|^> .*?$", "", c["source"], flags=re.M | re.S)
            assert not NAMED.findall(prose), (path.stem, NAMED.findall(prose))
    assert set(links) <= anchors and len(links) > 60, set(links) - anchors
