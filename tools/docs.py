"How nbdev makes pages of lessons: `renderer` and `doc_procs` of pyproject.toml, by way of gecmetrics_nb/lessons/_site.py"
from importlib import import_module
from pathlib import Path
import inspect
import re
import sys

from nbdev.config import get_config, nbpath2html
from nbdev.doclinks import NbdevLookup
from nbdev.process import Processor
from nbdev.showdoc import BasicMarkdownRenderer
from fastcore.nbio import mk_cell

from gecmetrics_nb.lessons._export import EXPORTS, PART, module_of
from docs_api import about, api_page, call_of, page_of_module, source_of
from live import STATIC
from svg import caption_of, figure

# ---- what a lesson documents: the heading of a name, its call, its docstring


class Renderer(BasicMarkdownRenderer):
    "nbdev's `show_doc`, with a link to the API; a docstring is text, and never a link by accident"
    modules: list = [] # that the lesson exports, since nbdev runs its cells once more

    def _repr_markdown_(self):
        name = self.nm
        own = [vars(module)[name] for module in self.modules if getattr(vars(module).get(name), "__module__", "") == module.__name__]
        symbol = inspect.unwrap(own[0] if own else self.sym)
        api = f"[API](/api/{page_of_module(symbol.__module__)}#{name}) · " if name in sys.modules[symbol.__module__].__all__ else ""
        anchor = name if name != name.lower() and any(name.lower() in m.__all__ for m in self.modules) else name.lower() # Williams beside williams
        return (f"{'#' * self.title_level} {name} {{#{anchor} .defined}}\n\n::: where\n{api}{source_of(symbol)}\n:::\n\n"
                f"```python\n{call_of(symbol)}\n```\n\n*{about(symbol)}*")


# ---- what a lesson links: names in backticks, by nbdev's index of the modules

ASIDE = "gecmetrics_nb.adapters.", "gecmetrics_nb.reproduce.", "gecmetrics_nb.cli." # their names give way to others


def lookup_for(lesson):
    "nbdev's lookup, in which a name that several modules have is this lesson's, else that of a metric and not of its adapter"
    lookup = NbdevLookup()
    modules = lookup.entries["gecmetrics_nb"]["syms"]
    aside = tuple(name for name in modules if name.startswith(ASIDE))
    page = nbpath2html(lesson).as_posix()
    mine = {name.rsplit(".", 1)[1]: places for names in modules.values() for name, places in names.items()
            if places[0].partition("#")[0].endswith(f"/{page}") and name.count(".") == 3}
    known = {**lookup.syms, **NbdevLookup(skip_mods=aside).syms, **mine}
    lookup.syms = {name: places for name, places in known.items() # methods and what studies define have no heading
                   if "." not in name and name[0] != "_" and "/studies/" not in places[0]}
    return lookup


TWICE = re.compile(r"\[([^][\n]*)\[(`[^`\n]+`)\]\([^)\n]*\)([^][\n]*)\]\(") # a name in a link, of which nbdev made one, too


# ---- what a lesson shows

TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
CORNER = re.compile(r"<th\b([^>]*)></th>") # heads nothing
EXPLORER = re.compile(r'<div data-explore="([^"]*)"')
BRIEF = """```{{=html}}
<div class="explore explore-first" data-brief data-explore="{}"><p>Edit a sentence, and every score follows.
<a href="#what-happens-to-a-word">All n-grams, more references, other settings</a></p></div>
```"""


NO_RUN = "[No cell of this page has *Run*: they read files, or compute for minutes. In Jupyter all of them run.]{.no-run}"


def one_fold(cells):
    "Folded cells in a row, of which the last alone shows anything, as one: their bodies under its directives"
    folded = lambda cell: cell.cell_type == "code" and "#| code-fold: true" in cell.source
    kept: list = []
    for cell in cells:
        if kept and folded(cell) and folded(kept[-1]) and not kept[-1].outputs:
            body = DIRECTIVES.sub("", kept.pop().source)
            cell.source = DIRECTIVES.sub(lambda heads, body=body: f"{heads[0]}{body}\n\n", cell.source, count=1)
        kept.append(cell)
    return kept


DIRECTIVES = re.compile(r"\A(?:#\|.*\n)+") # lines at the head of a cell


def as_html(output, alt, owner):
    "An output as HTML: a figure, or what has HTML of its own, each table in a box that scrolls; None for text"
    data = output.get("data", {})
    if "image/svg+xml" in data: return figure("".join(data["image/svg+xml"]), alt, owner)
    if "text/html" in data: return TABLE.sub(r'<div class="printed">\g<0></div>', CORNER.sub(r"<td\1></td>", "".join(data["text/html"])))
    return None


def raw_html(html):
    "An output that Quarto takes as it is: it takes text/html for a widget, and asks a foreign host for its scripts"
    return {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": f"`````{{=html}}\n{html}\n`````"}}


def sections_of(cells):
    "{module: the section in which a lesson begins it, or nothing for the module that is the lesson's own}"
    sections, section = {}, ""
    for c in cells:
        if c.cell_type == "markdown" and (part := PART.match(c.source)):
            section = "#" + "-".join(re.sub(r"[^\w\s.-]", "", part[1].partition("\n")[0].lower()).split())
        if "default_exp" in c.directives_: sections[c.directives_["default_exp"]] = ""
        elif name := module_of(c): sections.setdefault(name, section)
    return sections


class Lesson(Processor):
    """What nbdev does not do: internal names are shown as public ones are, and those of studies as code; names link to their lesson;
    figures and tables stand in the page; the page of the API is written beside it"""

    def __init__(self, nb): # before nbdev's own processors
        super().__init__(nb)
        self.lesson = Path(nb.path_).resolve().relative_to(get_config().nbs_path.resolve()).with_suffix("")
        self.sections = {import_module(f"gecmetrics_nb.{name}"): section for name, section in sections_of(nb.cells).items()}
        Renderer.modules = [*self.sections]
        study = self.lesson.parts[0] == "studies"
        for c in nb.cells:
            if study: # its functions are steps of what it tells, and folded as the other steps
                for kind in EXPORTS: c.directives_.pop(kind, None)
            elif "exporti" in c.directives_: c.directives_["exports" if "echo" in c.directives_ else "export"] = c.directives_.pop("exporti")

    def begin(self):
        self.lookup, self.host = lookup_for(self.lesson), get_config().doc_url
        last = {c.source: c for c in self.nb.cells if getattr(c, "has_sd", False)} # nbdev documents each `@overload`, too
        self.nb.cells = [c for c in self.nb.cells if last.get(c.source, c) is c]

    def links(self, text): return TWICE.sub(r"[\1\2\3](", self.lookup.linkify(text).replace(f"]({self.host}/", "](/"))

    def cell(self, c):
        if c.cell_type == "markdown": c.source = self.links(c.source)
        alt, source = caption_of(c.source)
        for i, output in enumerate(c.get("outputs", [])):
            data = output.get("data", {})
            if "text/markdown" in data: data["text/markdown"] = self.links("".join(data["text/markdown"]))
            html = as_html(output, alt, f"{c.get('id')}-{i}-")
            if html: c.outputs[i], c.source = raw_html(html), source

    def end(self):
        for module, section in self.sections.items(): api_page(self.lesson, module, section)
        if str(self.lesson).startswith(STATIC): self.nb.cells = [*one_fold(self.nb.cells), mk_cell(NO_RUN, "markdown")]
        if self.lesson.name == "index": # its explorer once more, in its first screen: three fields, and a bar for each metric
            shown = (EXPLORER.search("".join(o.get("data", {}).get("text/markdown", ""))) for c in self.nb.cells for o in c.get("outputs", []))
            self.nb.cells[2:2] = [mk_cell(BRIEF.format(m[1]), "markdown") for m in shown if m][:1]
