"The pages of the API: what fastcore reads in signatures, and the library in the fields of classes"
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
import inspect
import json
import re
import sys

from fastcore.docments import docments, sig_source

from gecmetrics_nb.core.metric import comments_of
from papers import link_papers
from places import SOURCE, read, write
import examples


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


def defined(name):
    "Functions and classes that a module defines, by name, in its order; those whose name begins with _ are left out"
    module = import_module(name)
    names = re.findall(r"^(?:def|class) ([a-zA-Z]\w*)", inspect.getsource(module), re.MULTILINE)
    return {each: inspect.unwrap(getattr(module, each)) for each in names}


def public(name):
    "The functions and classes of a module that its cells export for all, with `export` or `exports`; not those of `exporti`"
    names = import_module(name).__all__
    return {each: symbol for each, symbol in defined(name).items() if each in names}


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


def entry(name, symbol, lesson, path, root):
    "Markdown of one function or class"
    line = signature_line(name, symbol)
    call = ["```python", line, "```", ""] if line else []
    derived = f"[lesson](/{lesson}.ipynb#{name.lower()})"
    defined = f"[source]({SOURCE}/{path.as_posix()}#L{line_of(symbol)})"
    out = [f"## {name} {{#{name}}}", "", *call, said(about(symbol)), "", f"{derived} · {defined}", ""]
    more = [*parameter_table(symbol), *(method_table(symbol) if inspect.isclass(symbol) else [])]
    return [*out, *more, *example_block(name, symbol, lesson, root)]


def linked(symbol):
    "A class of the library, with its place among these pages if it has one"
    if symbol.__name__ not in public(symbol.__module__): return code(symbol.__name__)
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
        if not public(dotted(module, root)): continue
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
    found = sorted(found.items(), key=lambda pair: not exported(*pair))
    out = [*front(title, f"{subject} (API)"),
           f"`from {name} import ...` · [the lesson that derives it](/{lesson}.ipynb)", ""]
    for each, symbol in found: out += entry(each, symbol, lesson, module.relative_to(root), root)
    rows = [(f"[`{each}`]({page}#{each})", said(about(symbol))) for each, symbol in found]
    heading = f"## [{title}]({page}) {{#{title.replace('.', '-')}}}"
    return out, [heading, "", cell(subject) + ".", "", *table(["name", "what it is"], rows)]
