"""Build the site in _docs: nbdev's processing of the notebooks, pages for the API,
Quarto where it is installed, else smalldocs and what makes its pages stand alone"""
from configparser import ConfigParser
from dataclasses import MISSING, fields, is_dataclass
from difflib import SequenceMatcher
from html import unescape
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree
import ast
import inspect
import json
import re
import shutil
import subprocess
import sys
import tempfile

from fastcore.docments import docments, sig_source

from gecmetrics_nb.core.metric import comments_of
from example_report import example_report
from live import add_live
from papers import link_papers
from svg import caption_of, figure, pictured
import examples

ROOT = Path(__file__).parent.parent
SETTINGS = ConfigParser(delimiters=["="])
SETTINGS.read(ROOT / "settings.ini", encoding="utf-8")
SETTINGS = SETTINGS["DEFAULT"]
SOURCE = f"{SETTINGS['git_url']}/blob/{SETTINGS['branch']}"
SITE = SETTINGS["doc_host"] + SETTINGS["doc_baseurl"]


def read(path): return path.read_text(encoding="utf-8")


def write(path, text): path.write_text(text, encoding="utf-8")


def cells_of(path): return json.loads(read(path))["cells"]


# ---- the API: what fastcore reads in signatures, and the library in the fields of classes

def lesson_of(module):
    "The notebook that a module is written from, below nbs"
    return re.search(r"File to edit: (?:\.\./)+nbs/(\S+?)\.ipynb", read(module))[1]


ROOMS = "core io alignment metrics stats corpora reproduce viz adapters cli".split() # the folders of lessons, in reading order


def reading_place(pair):
    "Where a (module, lesson) comes among all: by its room, then by its number there"
    room, _, name = pair[1].rpartition("/")
    return ROOMS.index(room) if room in ROOMS else len(ROOMS), name


def modules(root):
    "Modules and their lessons, in reading order"
    files = (p for p in (root / "gecmetrics_nb").rglob("*.py") if not p.name.startswith("_"))
    return sorted(((p, lesson_of(p)) for p in files if "File to edit" in read(p)), key=reading_place)


def dotted(module, root): return ".".join(module.relative_to(root).with_suffix("").parts)


def api_name(name):
    "The page of a module, below api: gecmetrics_nb.core.units has core-units"
    return name.removeprefix("gecmetrics_nb.").replace(".", "-")


def public(name):
    "Public functions and classes of a module by name; named tuples of one line are left to the lesson"
    module = import_module(name)
    source = inspect.getsource(module)
    names = (each for each in module.__all__ if not each.startswith("_"))
    found = {each: inspect.unwrap(getattr(module, each)) for each in names}
    shown = lambda each, it: inspect.isfunction(it) or inspect.isclass(it) and f"\nclass {each}" in source
    return {each: it for each, it in found.items() if shown(each, it)}


def line_of(symbol): return inspect.getsourcelines(symbol)[1]


def about(symbol):
    "The first paragraph of a docstring"
    return (inspect.getdoc(symbol) or "").split("\n\n")[0]


def type_name(annotation):
    "A type as one writes it, without its module"
    if annotation is inspect.Parameter.empty: return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b\w+\.(?=\w)", "", text)


def default_text(value, module):
    "A default; what has no short text by its name there, or by its type"
    if value in (inspect.Parameter.empty, MISSING): return ""
    text = repr(value)
    if len(text) <= 40 and not callable(value): return text
    names = (name for name, it in vars(sys.modules[module]).items() if it is value)
    named = getattr(value, "__name__", "") or next(names, "")
    return named if named.isidentifier() else type(value).__name__


STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def parameters(symbol):
    "Rows (name, type, default, what it is) of a function's parameters and its result, or of a class's fields"
    if is_dataclass(symbol) or hasattr(symbol, "_fields") or "__new__" in vars(symbol): return field_rows(symbol)
    if inspect.isclass(symbol) and not inspect.isfunction(symbol.__init__): return []
    said, call = docments(symbol, args_kwargs=True), inspect.signature(symbol)
    default = lambda p: default_text(p.default, symbol.__module__)
    kind = lambda p: type_name(p.annotation) or simple_type(p.default)
    rows = [(STARS.get(p.kind, "") + p.name, kind(p), default(p), said.get(p.name) or "")
            for p in call.parameters.values()]
    if call.return_annotation is call.empty: return rows
    return [*rows, ("returns", type_name(call.return_annotation), "", said.get("return") or "")]


def field_rows(symbol):
    "The rows of a class's fields, inherited ones too"
    said = comments_of(symbol)
    if is_dataclass(symbol):
        default = {f.name: f.default for f in fields(symbol)}
        names = default
    elif hasattr(symbol, "_fields"): default, names = symbol._field_defaults, symbol._fields
    else: default, names = {}, inspect.get_annotations(symbol)
    written = lambda name: default_text(default.get(name, MISSING), symbol.__module__)
    kind = lambda name: type_name(_annotation(symbol, name))
    return [(name, kind(name), written(name), said.get(name, "")) for name in names]


def _annotation(kind, field):
    return next(found[field] for found in map(inspect.get_annotations, kind.__mro__) if field in found)


def simple_type(value):
    return type(value).__name__ if isinstance(value, (bool, int, float, str, tuple)) else ""


def written(name, symbol):
    "The call of a function or class, as it is written or as it would be"
    if inspect.isfunction(symbol): return sig_source(symbol).strip()
    return f"{name}{inspect.signature(symbol)}" if parameters(symbol) else f"class {name}"


MARKED = { # what Markdown would take for something else
    "|": "\\|", "<": "&lt;", "*": "\\*", "_": "\\_", "$": "\\$", "\n": "<br>"}


def cell(text):
    "A docstring or comment in a table: nothing but what stands between backticks means anything"
    return re.sub(r"`[^`\n]*`|[|<*_$\n]", lambda m: MARKED.get(m[0]) or m[0].replace("|", "\\|"), text)


def said(text): return link_papers(cell(text)) # a docstring


def code(text): return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def methods(symbol):
    "Public methods and properties that have a docstring: (name with its arguments and result, docstring)"
    for name, method in vars(symbol).items():
        function = method.fget if isinstance(method, property) else inspect.unwrap(method)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__: continue
        call = re.sub(r"\b\w+\.(?=[A-Za-z])", "", str(inspect.signature(function)))
        call = call.replace("(self, ", "(").replace("(self)", "()")
        if isinstance(method, property): call = call.removeprefix("()")
        yield name + call, inspect.getdoc(function)


def signature_line(name, symbol):
    "The call of a function or class in a line: names and defaults; nothing for a class that takes none"
    if inspect.isclass(symbol) and not parameters(symbol): return ""
    call, module = inspect.signature(symbol), symbol.__module__
    default = lambda p: p.default if p.default is p.empty else _Written(default_text(p.default, module))
    plain = [p.replace(annotation=p.empty, default=default(p)) for p in call.parameters.values()]
    return f"{name}{call.replace(parameters=plain, return_annotation=call.empty)}"


class _Written(str):
    "A default that stands in a signature as it is written"
    __repr__ = str.__str__


def table(heads, rows):
    "The lines of a pipe table"
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)] + [""]


def parameter_code(name, kind, default):
    "A parameter or a field as it is written"
    if name == "returns": return f"returns {code(kind)}"
    return code(name + (f": {kind}" if kind else "") + (f" = {default}" if default else ""))


def parameter_table(symbol):
    "The parameters of a function or the fields of a class as they are written, if anything is said of them"
    rows = [(parameter_code(*first), cell(about)) for *first, about in parameters(symbol)]
    return table(["parameter", "what it is"], rows) if any(about for _, about in rows) else []


def bases(symbol):
    return [base for base in symbol.__mro__[1:] if base.__module__.startswith("gecmetrics_nb.")]


def method_table(symbol):
    "The methods of a class: its own, then those that it has from others, the most general first"
    family = [symbol, *bases(symbol)]
    owner = {name: kind for kind in reversed(family) for name in vars(kind)}
    first = lambda about: about.split("\n\n")[0]
    rows = [(code(call), said(about) if kind is symbol else f"{said(first(about))} (from {linked(kind)})")
            for kind in [symbol, *reversed(family[1:])] for call, about in methods(kind)
            if owner[re.match(r"\w+", call)[0]] is kind]
    return table(["method", "what it does"], rows) if rows else []


def exported(name, symbol):
    "Does the package itself have this function or class?"
    import gecmetrics_nb
    return getattr(gecmetrics_nb, name, None) is symbol


def example_block(name, symbol, lesson, root):
    "A call and what it gives: of a public name one that is run now, else one that its lesson shows"
    if exported(name, symbol): shown = examples.example_of(name)
    else:
        known = set(dir(sys.modules[symbol.__module__]))
        shown = examples.in_lesson(name, examples.code_cells(root)[lesson], known)
    return ["```python", shown[0], "```", "", "```", shown[1], "```", ""] if shown else []


def entry(name, symbol, lesson, path, root, helper):
    "Markdown of one function or class; the parameters of a helper are folded"
    line, mark = signature_line(name, symbol), "###" if helper else "##"
    call = ["```python", line, "```", ""] if line else []
    derived = f"[lesson](/{lesson}.ipynb#{name.lower()})"
    defined = f"[source]({SOURCE}/{path.as_posix()}#L{line_of(symbol)})"
    out = [f"{mark} {name} {{#{name}}}", "", *call, said(about(symbol)), "", f"{derived} · {defined}", ""]
    more = [*parameter_table(symbol), *(method_table(symbol) if inspect.isclass(symbol) else [])]
    if not helper: return [*out, *more, *example_block(name, symbol, lesson, root)]
    return out + (["<details>", "<summary>parameters</summary>", "", *more, "</details>", ""] if more else [])


def linked(symbol):
    "A class of the library, with its place among these pages"
    return f"[{symbol.__name__}]({api_name(symbol.__module__)}.qmd#{symbol.__name__})"


def front(title, description):
    "The first lines of a page"
    return ["---", f"title: {json.dumps(title)}", f"description: {json.dumps(description)}", "---", ""]


def write_api(root, pages):
    "A page a module, and one that lists them all"
    folder = pages / "api"
    folder.mkdir()
    every = [*front("API", "Every public function and class, by module, in reading order"),
             "Every public function and class. A lesson derives each of them; here are their parameters.", ""]
    for module, lesson in modules(root):
        page = f"{api_name(dotted(module, root))}.qmd"
        lines, listed = api_page(module, lesson, page, root)
        write(folder / page, "\n".join(lines))
        every += listed
    write(folder / "index.qmd", "\n".join(every))


def api_page(module, lesson, page, root):
    "The lines of a module's page, what is most used first, and its lines in the list of all"
    name = dotted(module, root)
    title, found = name.removeprefix("gecmetrics_nb."), public(name)
    subject = (import_module(name).__doc__ or name).strip()
    helpers = [each for each, symbol in found.items() if examples.is_helper(each, symbol, lesson, root)]
    found = sorted(found.items(), key=lambda pair: (pair[0] in helpers, not exported(*pair)))
    out = [*front(title, f"{subject} (API)"),
           f"`from {name} import ...` · [the lesson that derives it](/{lesson}.ipynb)", ""]
    for each, symbol in found:
        if each in helpers[:1]: out += ["## Helpers {#helpers}", ""]
        out += entry(each, symbol, lesson, module.relative_to(root), root, each in helpers)
    rows = [(f"[`{each}`]({page}#{each})", said(about(symbol))) for each, symbol in found]
    heading = f"## [{title}]({page}) {{#{title.replace('.', '-')}}}"
    return out, [heading, "", cell(subject) + ".", "", *table(["name", "what it is"], rows)]


# ---- lessons: what nbdev made of them, before they become pages

DEFINED = re.compile(r"^(?:def|class) ([a-zA-Z]\w*)", re.MULTILINE)
HEADING = re.compile(r"^#+ (\w+)$", re.MULTILINE) # of one word, which may be that of a function
BIG = re.compile(r"\\[bB]igg?([lr])(?![a-z])") # pandoc makes MathML of left and right alone
LINKED = re.compile(r"(?<=\]\()/([\w/]+)\.html(?:#(\w+))?") # as nbdev links a name in backticks


def fenced(found): return r"\left" if found[1] == "l" else r"\right"


def polish_notebook(path, lesson, definitions):
    "A lesson as either renderer reads it: links beside it, names as headings, figures and tables that fit"
    notebook, mine = json.loads(read(path)), definitions.get(lesson, {})
    defined = (DEFINED.findall("".join(c["source"])) for c in notebook["cells"] if c["cell_type"] == "code")
    shown = {name: names for names in defined for name in names}
    headed, cells, depth, lower = set(), [], 2, set(map(str.lower, mine))
    here = lambda m: beside(m[1], m[2], lesson, definitions)
    prose = lambda text: even_columns(link_papers(BIG.sub(fenced, LINKED.sub(here, text))))
    for c in shell_cells(notebook["cells"]):
        source = "".join(c["source"])
        if c["cell_type"] == "raw" and not shutil.which("quarto"): # smalldocs cannot read it; see `drop_numbers`
            source = re.sub(r"(?m)^output-file:.*\n", "", source)
        if c["cell_type"] == "markdown":
            source = HEADING.sub(lambda m: apart(m, lower), prose(source))
            if re.search(r"^## ", source, re.MULTILINE): depth = 3
        names = documented(c, shown, mine)
        if names:
            if names[0] in headed: continue # nbdev has a heading for each name of a cell
            headed.update(names)
            source = heading(names, names[0] in shown, mine, depth)
            c = {"cell_type": "markdown", "id": c["id"], "metadata": {}}
        elif c["cell_type"] == "code": source = once(polish_outputs(c, source, prose))
        cells.append(c | {"source": source.splitlines(True)}) # Quarto takes a list alone
    if lesson == "index": cells[1:1] = first_explorer(notebook)
    write(path, json.dumps(notebook | {"cells": cells}))


def markdown_cell(name, text):
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text.splitlines(True)}


EXPLORER = re.compile(r'<div data-explore="([^"]*)"')
BRIEF = """```{{=html}}
<div class="explore explore-first" data-brief data-explore="{}"><p>Edit a sentence, and every score follows.
<a href="#what-happens-to-a-word">All n-grams, more references, other settings</a></p></div>
```"""


def first_explorer(notebook):
    "The explorer of the front page once more, in its first screen: three fields, and a bar for each metric"
    outputs = (o for c in notebook["cells"] for o in c.get("outputs", []))
    found = (EXPLORER.search("".join(o["data"]["text/markdown"])) for o in outputs if "text/markdown" in o.get("data", {}))
    return [markdown_cell("explore-first", BRIEF.format(m[1])) for m in found if m][:1]


def commands_of(source):
    "The commands of a cell that calls gecnb with texts alone, and is it nothing else?"
    if "gecnb(" not in source: return [], False
    try: body = ast.parse(re.sub(r"(?m)^[%!].*", "", source)).body
    except SyntaxError: return [], False
    called = lambda node: isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "gecnb"
    calls = [node.value for node in body if isinstance(node, ast.Expr) and called(node.value)]
    texts = [call.args[0].value for call in calls if len(call.args) == 1 and isinstance(call.args[0], ast.Constant)]
    every = sum(called(node) for statement in body for node in ast.walk(statement))
    return (texts, len(body) == len(texts)) if len(texts) == every else ([], False)


def shell_cells(cells):
    "The cells of a lesson; commands that are called in Python stand there as a shell has them, other code around them is folded"
    for c in cells:
        commands, alone = commands_of("".join(c["source"])) if c["cell_type"] == "code" else ([], False)
        if commands:
            lines = (f"::: {{.shell}}\n```bash\ngecnb {text}\n```\n:::\n" for text in commands)
            yield markdown_cell(f"{c['id']}-shell", "\n".join(lines))
            fold = '#| echo: false\n' if alone else '#| code-fold: true\n#| code-summary: "The same in Python, with its files"\n'
            c = c | {"source": [fold, *c["source"]]}
        yield c


DIRECTIVE = re.compile(r"^#\|\s*([\w-]+):.*\n", re.MULTILINE)


def once(source):
    """A cell's directives, each key where it is said first: nbdev folds what is exported,
    also where the lesson says that it is shown, and Quarto refuses a key that is said twice"""
    said = set()
    first = lambda m: "" if m[1] in said else said.add(m[1]) or m[0]
    return DIRECTIVE.sub(first, source)


def apart(heading, names):
    "A heading whose one word is the name of a function has an id of its own"
    name = heading[1].lower()
    return f"{heading[0]} {{#on-{name}}}" if name in names else heading[0]


def beside(page, name, lesson, definitions):
    "The lesson that defines a name which nbdev linked: this one, else the first that is no adapter"
    known = {re.sub(r"(^|/)\d+_", r"\1", place): place for place in definitions}
    places = [place for place, names in definitions.items() if name in map(str.lower, names)]
    places.sort(key=lambda place: (place != lesson, place.startswith(("adapters/", "reproduce/"))))
    return f"/{(places or [known[page]])[0]}.ipynb" + (f"#{name}" if name else "")


def documented(c, shown, mine):
    "The names of the lesson that stand in the cell which this output of nbdev is about"
    texts = ("".join(o.get("data", {}).get("text/markdown", "")) for o in c.get("outputs", []))
    found = next((m for text in texts if (m := re.search(r"^### (\w+)", text, re.MULTILINE))), None)
    return [name for name in shown.get(found[1], [found[1]]) if name in mine] if found else []


def heading(names, code_follows, mine, depth):
    "The heading of the names that a cell exports, and a signature where the code is not shown"
    symbol, page, path = mine[names[0]]
    where = f"[API](/api/{page}#{names[0]}) · [source]({SOURCE}/{path}#L{line_of(symbol)})"
    own = lambda name: name if name.lower() in {*mine} - {name} else name.lower() # Williams beside williams
    first, *others = map(own, names)
    more = "".join(f"[]{{#{name}}}" for name in others)
    out = [more, "", f"{'#' * depth} {', '.join(names)} {{#{first} .defined}}", "",
           f"::: {{.where{' .below' if len(names) > 1 else ''}}}\n{where}\n:::", ""]
    if len(names) == 1 or not code_follows: out += ["```python", written(names[0], symbol), "```", ""]
    out.append(f"*{said(about(symbol))}*")
    return "\n".join(out)


def polish_outputs(c, source, prose):
    "Figures with captions, tables in boxes of their own; returns the source"
    alt, source = caption_of(source)
    for i, output in enumerate(c["outputs"]):
        data = output.get("data", {})
        if "text/markdown" in data: data["text/markdown"] = prose("".join(data["text/markdown"]))
        html = as_html(output, alt, f"{c['id']}-{i}-")
        if html: c["outputs"][i] = raw_html(html)
    return source


TABLE = re.compile(r"<table.*?</table>", re.DOTALL)


def as_html(output, alt, owner):
    "An output as HTML: a figure, or what has HTML of its own, each table in a box that scrolls; None for text"
    data = output.get("data", {})
    if "image/svg+xml" in data: return pictured(figure("".join(data["image/svg+xml"]), alt, owner), alt)
    if "text/html" in data: return TABLE.sub(r'<div class="printed">\g<0></div>', "".join(data["text/html"]))
    return None


def raw_html(html):
    "An output that Quarto takes as it is: it takes text/html for a widget"
    block = f"`````{{=html}}\n{html}\n`````"
    return {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": block}}


RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+\s*$")


def even_columns(text):
    "Pipe tables whose rules are as long as their cells: pandoc takes the widths of columns from there"
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not RULE.match(line): continue
        last = next((k for k in range(i, len(lines)) if not lines[k].startswith("|")), len(lines))
        rows = [re.split(r"(?<!\\)\|", row)[1:-1] for row in [lines[i - 1], *lines[i + 1:last]]]
        widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
        ends = re.findall(r"\|\s*(:?)-+(:?)\s*(?=\|)", line)
        dashes = ("-" * max(3, min(60, width)) for width in widths)
        cells = (f"|{left}{dash}{right}" for dash, (left, right) in zip(dashes, ends, strict=False))
        lines[i] = "".join(cells) + "|"
    return "\n".join(lines)


# ---- pages: nothing is fetched when one is read

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
        raise SystemExit("tools/docs.py: smalldocs makes another bar; adapt TOOLS, SCHEME and TOGGLER")
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
    if not found or DARK not in text: raise SystemExit("tools/docs.py: smalldocs chooses a scheme in another way; adapt THEMES and DARK")
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


IMPORT = re.compile(r"@import\s*(url\([^)]*\)|\"[^\"]*\");?")


def polish_assets(site):
    "No font from elsewhere, no time of the build; a search index that a page opened from disk may load too"
    sitemap = site / "sitemap.xml" # the time of the build would make it another file each time
    write(sitemap, re.sub(r"\s*<lastmod>.*?</lastmod>", "", read(sitemap)))
    script = site / "site_libs" / "smalldocs.js"
    text = read(script)
    if text.count(FETCH) != 1 or text.count(SHEETS) != 1:
        raise SystemExit("tools/docs.py: smalldocs loads its search index in a new way, or its sheets; adapt FETCH and SHEETS")
    write(script, text.replace(FETCH, LOAD).replace(SHEETS, "if (true) {"))
    pages = (page for page in sorted(site.rglob("*.html")) if page.name not in ("404.html", EXAMPLE))
    index = [entry for page in pages for entry in index_of(page, site)]
    write(site / "search.js", f"window.searchIndex = {json.dumps(index, ensure_ascii=False)};\n")
    (site / "search.json").unlink()


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
    if head.startswith("@"): raise SystemExit(f"tools/docs.py: {head} differs between the two themes, and cannot be for one")
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


PROCESS = r"""
import sys
sys.path.insert(0, sys.argv[1])
from docs import StandIn, signature_as_written
from fastcore import docments
from nbdev.serve import proc_nbs
docments.signature = signature_as_written
sys.modules["matplotlib_inline"] = None # nothing is drawn here, and it takes a stand-in for Matplotlib
sys.meta_path.append(StandIn("nbs"))
proc_nbs("nbs", n_workers=0, force=True, skip_file_re=r"(^[_.])|(\.py$)")
"""
IMPORTED = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)


def signature_as_written(call, **settings):
    "A signature with the types that are loaded; those that mypy alone reads stay words"
    try: return inspect.signature(call, **settings)
    except NameError: return inspect.signature(call)


class Absent(ModuleType):
    "A module in which every name is found"
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return None


class StandIn:
    """nbdev runs the imports of a lesson before it looks up what the lesson documents:
    packages for its examples alone need not be there"""

    def __init__(self, folder):
        cells = (c for path in Path(folder).rglob("*.ipynb") for c in cells_of(path))
        sources = ("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        imported = {root for source in sources for root in IMPORTED.findall(source)}
        self.roots = {root for root in imported if not find_spec(root)}

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self.roots else None

    def create_module(self, spec): return Absent(spec.name)

    def exec_module(self, module): pass


EXAMPLE = "example-report.html" # a page that is no lesson, and has a style of its own


def prepare(work):
    "The folder that a renderer reads, below this one: lessons as nbdev and we make them, pages of the API"
    left_out = shutil.ignore_patterns(".*", "__pycache__", "_*.yml")
    for name in "nbs", "gecmetrics_nb": shutil.copytree(ROOT / name, work / name, ignore=left_out)
    for name in "settings.ini", "pyproject.toml": shutil.copy(ROOT / name, work)
    settings = read(ROOT / "nbs" / "_quarto.yml") # there alone Quarto stops, and says what to run
    write(work / "nbs" / "_quarto.yml", re.sub(r"(?m)^  pre-render: .*\n", "", settings))
    process = [sys.executable, "-c", PROCESS, str(ROOT / "tools")] # nbdev remembers its first folder
    subprocess.run(process, cwd=work, check=True)
    cache, definitions = work / "_proc", defined_in(work)
    for path in cache.rglob("*.ipynb"):
        polish_notebook(path, path.relative_to(cache).with_suffix("").as_posix(), definitions)
    write_api(work, cache)
    for path in cache.rglob("*.qmd"): write(path, even_columns(read(path)))
    write(cache / EXAMPLE, example_report())
    return cache


def defined_in(work):
    "By lesson, since two modules may use one name: {lesson: {name: (object, its page of the API, its file)}}"
    found = {}
    for module, lesson in modules(work):
        place = f"{api_name(dotted(module, work))}.qmd", module.relative_to(work).as_posix()
        found[lesson] = {name: (symbol, *place) for name, symbol in public(dotted(module, work)).items()}
    return found


def renderer(cache):
    "The command that renders a prepared folder: Quarto where it is installed, else smalldocs"
    quarto = shutil.which("quarto")
    if quarto: return [quarto, "render", str(cache), "--no-execute"]
    return [str(Path(sys.executable).parent / "smalldocs"), "render", str(cache), "--quiet"]


COLOURED = re.compile(r"\x1b\[[\d;]*m")
PROGRESS = re.compile(r"\s*(\[ *\d+/\d+\]|Output created)") # of Quarto


def render(cache, destination, strict=False):
    "The site made of a prepared folder, moved to its destination; returns the pages. If strict, a warning ends it"
    command = renderer(cache)
    done = subprocess.run(command, capture_output=True, text=True)
    said = [line for line in COLOURED.sub("", done.stderr).split("\n") if line.strip() and not PROGRESS.match(line)]
    if said: print(*said, sep="\n", file=sys.stderr)
    if done.returncode: raise SystemExit(f"{Path(command[0]).name} failed with status {done.returncode}")
    warned = [line for line in said if re.search(r"\b(WARN(ING)?|ERROR)\b", line)]
    if strict and warned: raise SystemExit(f"{Path(command[0]).name} warned {len(warned)} times")
    site = cache / "_docs"
    pages = sorted(page for page in site.rglob("*.html") if page.name != EXAMPLE) # which has all it needs
    if shutil.which("quarto"): polish_quarto(site)
    else:
        for page in pages: polish_page(page)
        polish_assets(site)
        slim_assets(site)
        drop_numbers(site)
    names = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html"))
    shutil.rmtree(destination, ignore_errors=True)
    shutil.move(str(site), destination)
    return names


def build(destination, strict=False):
    "Build the site in this folder, from a copy of the sources; returns the pages"
    with tempfile.TemporaryDirectory() as work:
        return render(prepare(Path(work).resolve()), Path(destination).resolve(), strict)


def main():
    if sys.version_info < (3, 11) and not shutil.which("quarto"):
        raise SystemExit("tools/docs.py: smalldocs, which renders the pages, needs Python 3.11 or newer; "
                         "or install Quarto")
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_docs" # another folder is for a check: a warning ends it
    print(f"{len(build(site, strict=len(sys.argv) > 1))} pages in {site.name}")
    said = add_live(site, SETTINGS["version"])
    if said: print(said)


if __name__ == "__main__": main()
