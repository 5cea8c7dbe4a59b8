"Pages of smalldocs and Quarto: nothing is fetched from elsewhere when one is read, and a phone has one menu"
from html import unescape
from xml.etree import ElementTree
import re

from docs_styles import IMPORT
from places import SETTINGS, read, write

FORMULA = re.compile(r'<(span|div) class="math (inline|display)">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
KATEX = re.compile(r'<(script|link)[^>]*katex[^>]*>(</script>)?|'
                   r'<script>[^<]*renderMathInElement[^<]*</script>')


def mathml(found):
    "A formula as MathML, which browsers draw themselves; a displayed one scrolls in its own box"
    from latex2mathml.converter import convert
    display = found[2] == "display"
    made = typeset(convert(unescape(found[3]).strip(), display="block" if display else "inline"))
    return f'<div class="formula">{made}</div>' if display else made


LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
SUMS = "\u2211\u220f" # the signs of a sum and of a product
MATHML = "{http://www.w3.org/1998/Math/MathML}"
ElementTree.register_namespace("", MATHML[1:-1])


def typeset(formula):
    "MathML as TeX would set it: limits of sums below them, names in one piece, no room around a slash"
    tree = ElementTree.fromstring(formula)
    for node in tree.iter():
        kind, parts, text = node.tag.removeprefix(MATHML), list(node), node.text or ""
        if kind in LIMITS and is_sum(parts[0]): node.tag = MATHML + LIMITS[kind]
        if kind == "mo" and len(text) > 1 and text.isalpha(): node.tag = f"{MATHML}mi"
        if kind == "mo" and text == "/": node.attrib |= {"lspace": "0", "rspace": "0"}
        if kind == "mi" and "\u0391" <= text <= "\u03a9": node.set("mathvariant", "normal")
        if kind == "mrow" and len(parts) > 1 and is_letter(parts[0]) and all(map(is_upright, parts)):
            for part in parts: node.remove(part)
            ElementTree.SubElement(node, f"{MATHML}mi").text = "".join(part.text or "" for part in parts)
    return ElementTree.tostring(tree, encoding="unicode")


def is_sum(node): return node.tag == f"{MATHML}mo" and (node.text or " ") in SUMS


def is_letter(node): return node.tag == f"{MATHML}mi" and node.get("mathvariant") == "normal"


def is_upright(node): return is_letter(node) or node.tag == f"{MATHML}mn"


LOST = f"<head>\n<base href=\"{SETTINGS['doc_baseurl']}/\">" # 404.html stands for addresses of any depth


BLOCKING = re.compile(r'<script src="[^"]*fuse\.min\.js"></script>') # search of smalldocs, in whose place is ours
FOLDED = '<details class="code-fold">\n<summary>Exported source'
NO_FILE = re.compile(r'<div class="action-links"><a href="[^"]*/nbs/api/[^"]*".*?</a></div>') # to edit


CONTENTS = re.compile(r'<nav id="TOC".*?(<ul>.*</ul>)</nav>', re.DOTALL)
TITLED = re.compile(r'<main .*?<header id="title-block-header".*?</header>', re.DOTALL)
FORMULA_FONT = "latinmodern-math-subset.woff2"
ASK = ('<script>if (location.protocol !== "file:") document.head.append(Object.assign(document.createElement("link"), ' # none from disk
       '{{ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: "{}" }}))</script>')
HEADER = re.compile(r"<th([^>]*)>\s*(<math.*?</math>)\s*</th>", re.DOTALL)


def contents_on_top(text):
    "A page with its contents, folded, below its title: narrow windows show them there, and nothing moves for them"
    contents = CONTENTS.search(text)
    if not contents: return text
    copy = re.sub(r' (?:id|data-scroll-target|class)="[^"]*"', "", contents[1])
    details = f'<details class="contents-on-top"><summary>On this page</summary>{copy}</details>'
    return TITLED.sub(lambda m: m[0] + details, text, count=1)


def header_words(found):
    "The header of a column that is a formula alone, with the formula's letters as its name"
    words = " ".join(re.sub(r"<[^>]+>", " ", found[2]).split())
    return f'<th{found[1]} aria-label="{words}">{found[2]}</th>'


def with_font(text):
    "A page with formulas asks for their font at once"
    offset = re.search(r'name="smalldocs:offset" content="([^"]*)"', text)[1]
    return text.replace("</title>", f"</title>{ASK.format(offset + FORMULA_FONT)}", 1) if "<math" in text else text


TOOLS = re.compile(r'<div class="quarto-navbar-tools">.*?</div></div></div>(?=</div></div></nav>)', re.DOTALL)
SCHEME = re.compile(r'<li class="nav-item compact">(<a class="quarto-color-scheme-toggle.*?</a>)</li>', re.DOTALL)
TOGGLER = re.compile(r'<button class="navbar-toggler".*?</button>', re.DOTALL)
BAR = re.compile(r'<ul class="navbar-nav[^>]*>(.*?)</ul>', re.DOTALL)
SECOND = re.compile(r'<button type="button" class="quarto-btn-toggle btn".*?</button>', re.DOTALL)
MENU = '<div class="sidebar-menu-container">'
MENU_BUTTON = ('<button class="navbar-toggler quarto-btn-toggle" type="button" aria-controls="quarto-sidebar" '
               'aria-expanded="false" aria-label="Menu"><span class="navbar-toggler-icon"></span></button>')


def one_menu(text):
    "A phone has one menu, with the words of the bar above all pages, and search in the bar"
    tools, scheme = TOOLS.search(text), SCHEME.search(text)
    if not (tools and scheme and TOGGLER.search(text)):
        raise SystemExit("tools/docs_pages.py: smalldocs makes another bar; adapt TOOLS, SCHEME and TOGGLER")
    words = "".join(found[1] for found in BAR.finditer(SCHEME.sub("", text[:tools.start()]))).replace(' active"', '"')
    text = SCHEME.sub("", TOOLS.sub("", text), count=1)
    text = TOGGLER.sub("", SECOND.sub("", text))
    text = text.replace("</div></nav><nav class=\"quarto-secondary-nav\"", f"{tools[0]}{scheme[1]}{MENU_BUTTON}</div></nav><nav class=\"quarto-secondary-nav\"", 1)
    return text.replace(MENU, f'{MENU}<ul class="bar-words list-unstyled">{words}</ul>', 1)


SECTION = re.compile(r'id="(quarto-sidebar-section-\d+)" class="collapse list-unstyled sidebar-section depth1 show"')


def one_section(text):
    "The menu opens the section that one is in; of two that have the page, the first"
    for name in SECTION.findall(text)[1:]:
        text = text.replace(f'id="{name}" class="collapse list-unstyled sidebar-section depth1 show"',
                            f'id="{name}" class="collapse list-unstyled sidebar-section depth1"')
        text = re.sub(rf'(data-bs-target="#{name}" role="navigation" aria-expanded=)"true"', r'\1"false"', text)
        text = re.sub(rf'sidebar-item-toggle text-start(" data-bs-toggle="collapse" data-bs-target="#{name}")', r"sidebar-item-toggle text-start collapsed\1", text)
    return text


THEMES = re.compile(r'<link rel="stylesheet" href="([^"]*)cosmo.min.css"[^>]*><link rel="stylesheet" href="[^"]*darkly.min.css"[^>]*>')
DARK = "var on=ls[alt?1:0];if(on&&on.dataset.mode==='dark')"


def one_theme(text):
    "A page asks for one sheet, which has both schemes, and says which it wants before the sheet is there"
    text, found = THEMES.subn(r'<link rel="stylesheet" href="\1both.css">', text)
    if not found or DARK not in text: raise SystemExit("tools/docs_pages.py: smalldocs chooses a scheme in another way; adapt THEMES and DARK")
    return text.replace(DARK, "if(alt)")


def polish_page(page):
    "Formulas as MathML, exported source folded, no empty headers; 404.html works from any depth"
    text = KATEX.sub("", FORMULA.sub(mathml, read(page)))
    text = with_font(contents_on_top(HEADER.sub(header_words, text)))
    text = one_theme(one_section(one_menu(text)))
    text = NO_FILE.sub("", text)
    text = text.replace(FOLDED.replace("<details ", '<details open="" '), FOLDED)
    text = re.sub(r"<thead>\s*<tr>\s*(<th[^>]*></th>\s*)*</tr>\s*</thead>\n?", "", text)
    text = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", text)
    text = BLOCKING.sub("", text).replace('bootstrap.bundle.min.js"></script>', 'bootstrap.bundle.min.js" defer></script>')
    if page.name == "404.html": text = text.replace("<head>", LOST, 1)
    text = re.sub(r'(<i class="bi[^>]*) role="img"', r'\1 aria-hidden="true"', text) # words stand beside it
    write(page, text)


FETCH = 'const r = await fetch(offset + "search.json");\n      index = await r.json();'
LOAD = """await new Promise((done, failed) => {
        const script = document.createElement("script");
        [script.src, script.onload, script.onerror] = [offset + "search.js", done, failed];
        document.head.append(script);
      });
      index = window.searchIndex;"""


SHEETS = 'if ($$("link.quarto-color-scheme").length > 1) {' # with one sheet, too, a page has two schemes


def polish_script(site):
    "The program of smalldocs loads an index that a page opened from disk may load, too; no time of the build is told"
    sitemap = site / "sitemap.xml" # the time of the build would make it another file each time
    write(sitemap, re.sub(r"\s*<lastmod>.*?</lastmod>", "", read(sitemap)))
    script = site / "site_libs" / "smalldocs.js"
    text = read(script)
    if text.count(FETCH) != 1 or text.count(SHEETS) != 1:
        raise SystemExit("tools/docs_pages.py: smalldocs loads its search index in a new way, or its sheets; adapt FETCH and SHEETS")
    write(script, text.replace(FETCH, LOAD).replace(SHEETS, "if (true) {"))


ACTION = re.compile(r'<li><a href="[^"]*/nbs/api/[^"]*" class="toc-action">.*?</a></li>') # to a file that there is not
BARRED = re.compile(r"<code>[^<]*\\\|[^<]*</code>") # pandoc leaves the backslash before a bar in a table's code


def polish_quarto(site):
    "What Quarto does not do: no font from elsewhere, no link to a page's file where it has none, bars in code"
    for sheet in (site / "site_libs").rglob("*.css"):
        text = read(sheet)
        if "@import" in text: write(sheet, IMPORT.sub("", text))
    for page in site.rglob("*.html"):
        text = ACTION.sub("", read(page))
        write(page, BARRED.sub(lambda m: m[0].replace("\\|", "|"), text))


NUMBER = re.compile(r"(?<![\w-])\d\d_(?=[a-z]\w*\.html)") # of a lesson in its folder


def drop_numbers(site):
    "Pages are named as nbdev names them, without a number: an address stays when a lesson gets another place"
    for page in site.rglob("*.html"): page.rename(page.with_name(NUMBER.sub("", page.name)))
    for file in site.rglob("*"):
        if file.name in ("search.js", "sitemap.xml") or file.suffix == ".html": write(file, NUMBER.sub("", read(file)))
