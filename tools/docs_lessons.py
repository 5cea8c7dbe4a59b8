"Lessons, as nbdev made them, before they become pages: links, headings, commands, figures and tables"
import ast
import json
import re
import shutil

from docs_api import about, line_of, said, written
from papers import link_papers
from places import SOURCE, read, write
from svg import caption_of, figure, pictured

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
    symbol, _, path = mine[names[0]]
    api = next((f"[API](/api/{page}#{name}) · " for name in names if (page := mine[name][1])), "")
    where = f"{api}[source]({SOURCE}/{path}#L{line_of(symbol)})"
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
