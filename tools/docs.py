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

from gecmetrics_nb.lessons._export import EXPORTS, module_of
from docs_api import about, api_link, api_pages, call_of, source_of
from svg import figure

# ---- what a lesson documents: the heading of a name, its call, its docstring


class Renderer(BasicMarkdownRenderer):
    "nbdev's `show_doc`, with a link to the API; a docstring is text, and never a link by accident"
    modules: list = [] # that the lesson exports, since nbdev runs its cells once more

    def _repr_markdown_(self):
        name = self.nm
        own = [vars(module)[name] for module in self.modules if getattr(vars(module).get(name), "__module__", "") == module.__name__]
        symbol = inspect.unwrap(own[0] if own else self.sym)
        api = f"[API]({api_link(symbol)}) · " if name in sys.modules[symbol.__module__].__all__ else ""
        anchor = name if name != name.lower() and any(name.lower() in m.__all__ for m in self.modules) else name.lower() # Williams beside williams
        return (f"{'#' * self.title_level} {name} {{#{anchor} .defined}}\n\n::: where\n{api}{source_of(symbol)}\n:::\n\n"
                f"```python\n{call_of(symbol)}\n```\n\n*{about(symbol)}*")


# ---- what a lesson links: names in backticks, by nbdev's index of the modules

ASIDE = "gecmetrics_nb.adapters.", "gecmetrics_nb.reproduce.", "gecmetrics_nb.cli." # their names give way to others


def lookup_for(lesson):
    "nbdev's lookup, in which a name that several modules have is this lesson's, else that of a metric and not of its adapter"
    lookup, page = NbdevLookup(), f"/{nbpath2html(lesson).as_posix()}#"
    found = [(module, name.removeprefix(f"{module}."), places)
             for module, names in lookup.entries["gecmetrics_nb"]["syms"].items() for name, places in names.items()]
    found.sort(key=lambda one: (page not in one[2][0], one[0].startswith(ASIDE)))
    first = {name: places for _, name, places in reversed(found)}
    lookup.syms = {name: places for name, places in first.items() # methods and what studies define have no heading
                   if "." not in name and name[0] != "_" and "/studies/" not in places[0]}
    return lookup


TWICE = re.compile(r"\[([^][\n]*)\[(`[^`\n]+`)\]\([^)\n]*\)([^][\n]*)\]\(") # a name in a link, of which nbdev made one, too


# ---- what a lesson shows

def in_page(output, owner):
    """A figure, or HTML with each table in a box that scrolls, so that Quarto takes it as it is: it takes text/html for a widget,
    and asks a foreign host for its scripts; text as it was"""
    data = output.get("data", {})
    if "image/svg+xml" in data: html = figure("".join(data["image/svg+xml"]), owner)
    elif "text/html" in data: html = re.sub(r"(?s)<table.*?</table>", r'<div class="printed">\g<0></div>', "".join(data["text/html"]))
    else: return output
    return {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": f"`````{{=html}}\n{html}\n`````"}}


class Lesson(Processor):
    """What nbdev does not do: internal names are shown as public ones are, and those of studies as code; names link to their lesson;
    figures and tables stand in the page; beside the front page the API is written"""

    def __init__(self, nb): # before nbdev's own processors
        super().__init__(nb)
        self.lesson = Path(nb.path_).resolve().relative_to(get_config().nbs_path.resolve()).with_suffix("")
        names = [c.directives_.get("default_exp") or module_of(c) for c in nb.cells]
        Renderer.modules = [import_module(f"gecmetrics_nb.{name}") for name in dict.fromkeys(filter(None, names))]
        study = self.lesson.parts[0] == "studies"
        for c in nb.cells:
            if study: # its functions are steps of what it tells, and folded as the other steps
                for kind in EXPORTS: c.directives_.pop(kind, None)
            elif "exporti" in c.directives_: c.directives_["exports" if "echo" in c.directives_ else "export"] = c.directives_.pop("exporti")

    def begin(self):
        self.lookup, self.host = lookup_for(self.lesson), get_config().doc_url
        last = {c.source: c for c in self.nb.cells if getattr(c, "has_sd", False)} # nbdev documents each `@overload`, too
        self.nb.cells = [c for c in self.nb.cells if last.get(c.source, c) is c]

    def links(self, text):
        text = re.sub(r"\[Open `\S*` in Colab\]", "[Open in Colab]", text) # a lesson's own link
        return TWICE.sub(r"[\1\2\3](", self.lookup.linkify(text).replace(f"]({self.host}/", "](/"))

    def cell(self, c):
        if c.cell_type == "markdown": c.source = self.links(c.source)
        for i, output in enumerate(c.get("outputs", [])):
            data = output.get("data", {})
            if "text/markdown" in data: data["text/markdown"] = self.links("".join(data["text/markdown"]))
            c.outputs[i] = in_page(output, f"{c.get('id')}-{i}-")

    def end(self):
        if self.lesson.name == "index": api_pages()
