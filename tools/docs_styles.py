"Styles and icons: of those that smalldocs brings, the ones that pages have"
from difflib import SequenceMatcher
from itertools import groupby
import re
import shutil

from places import ROOT, read, write

IMPORT = re.compile(r"@import\s*(url\([^)]*\)|\"[^\"]*\");?")
ICON = re.compile(r'\.(bi-[\w-]+)::before\{content:"\\\w+"\}')
FONTS = re.compile(r"src:url\([^)]*\) format\([^)]*\)(,url\([^)]*\) format\([^)]*\))*")
SUBSET = "icons-subset.woff" # of Bootstrap Icons, MIT
NAMED = re.compile(r' (?:class|id)="([^"]*)"')
RULE_OF = re.compile(r"([^{}]+)\{((?:[^{}]|\{[^{}]*\})*)\}")


def words_of(site):
    "What a selector can name: classes and ids of all pages, and any word of a script"
    words = {word for page in site.rglob("*.html") for names in NAMED.findall(read(page)) for word in names.split()}
    scripts = (path for path in site.rglob("*.js") if path.name != "search.js")
    return words | {word for path in scripts for word in re.findall(r"[\w-]+", read(path))}


def slim_sheet(text, words):
    "A style sheet without the rules of classes and ids that no page has"
    out = []
    for head, body in RULE_OF.findall(re.sub(r"/\*.*?\*/|@charset[^;]*;", "", text, flags=re.DOTALL)):
        head = head.strip()
        if head.startswith(("@media", "@supports")): body = slim_sheet(body, words)
        elif not head.startswith("@"): head = ",".join(each for each in split_selectors(head) if is_used(each, words))
        if head and body: out.append(f"{head}{{{body}}}")
    return "\n".join(out)


def split_selectors(head):
    "At the commas outside of brackets"
    return re.findall(r"(?:[^,(]|\((?:[^()]|\([^()]*\))*\))+", head)


def rules_of(text, around=""):
    "The rules of a slim sheet in their order: (the @media around them, selectors, declarations)"
    for head, body in RULE_OF.findall(text):
        if head.strip().startswith(("@media", "@supports")): yield from rules_of(body, head.strip())
        else: yield around, head.strip(), body


SCHEMES = ":root:not([data-scheme])", ":root[data-scheme]" # light, dark


def of_scheme(rule, scheme):
    "A rule for one scheme alone, no stronger than before"
    around, head, body = rule
    if head.startswith("@"): raise SystemExit(f"tools/docs_styles.py: {head} differs between the two themes, and cannot be for one")
    inside = lambda each: re.sub(r"^(:root|html)?(?=(.*))", lambda m: f"{m[1]}:where({scheme})" if m[1] else f":where({scheme}) ", each, count=1)
    return around, ",".join(inside(each.strip()) for each in split_selectors(head)), body


def both_schemes(light, dark):
    "One sheet of two: what both say once, the rest for one scheme alone; in each scheme its rules, in their order"
    a, b = list(rules_of(light)), list(rules_of(dark))
    out = []
    for same, i, j, k, l in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if same == "equal": out += a[i:j]
        else: out += [of_scheme(rule, scheme) for rules, scheme in zip((a[i:j], b[k:l]), SCHEMES, strict=True) for rule in rules]
    texts = []
    for around, rules in groupby(out, key=lambda rule: rule[0]):
        text = "\n".join(f"{head}{{{body}}}" for _, head, body in rules)
        texts.append(f"{around}{{{text}}}" if around else text)
    return "\n".join(texts)


def is_used(selector, words):
    named = re.sub(r":(?:not|is|where|has)\(.*?\)+|\[[^\]]*\]", "", selector)
    return all(name in words for name in re.findall(r"[.#]((?:[\w-]|\\.)+)", named))


def slim_assets(site):
    "Of 2,000 icons those that pages show, of styles those of what pages have, no search program beside nbs/site.js"
    words = words_of(site)
    slim = lambda sheet: slim_sheet(IMPORT.sub("", read(sheet)), words)
    themes, rest = site / "site_libs" / "themes", site / "site_libs" / "smalldocs.css"
    write(rest, slim(rest))
    both = both_schemes(slim(themes / "cosmo.min.css"), slim(themes / "darkly.min.css"))
    shutil.rmtree(themes)
    themes.mkdir()
    write(themes / "both.css", both)
    folder = site / "site_libs" / "bootstrap-icons"
    shown = {name for page in site.rglob("*.html") for name in re.findall(r"\bbi-[\w-]+", read(page))}
    sheet = folder / "bootstrap-icons.min.css"
    text = ICON.sub(lambda m: m[0] if m[1] in shown else "", read(sheet))
    write(sheet, FONTS.sub(f'src:url("fonts/{SUBSET}") format("woff")', text))
    shutil.rmtree(folder / "fonts")
    (folder / "fonts").mkdir()
    shutil.copyfile(ROOT / "tools" / SUBSET, folder / "fonts" / SUBSET)
    shutil.rmtree(site / "site_libs" / "fuse")
