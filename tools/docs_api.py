"The API: how a function or class is called, and a page a folder of modules, written when the front page is processed: tools/docs.py"
from importlib import import_module
import inspect
import json
import re

from fastcore import docments
from nbdev.config import get_config

from examples import example_of
from gecmetrics_nb._modidx import d as INDEX
from gecmetrics_nb.core.metric import comments_of
import gecmetrics_nb
from places import SOURCE, write

docments.signature = lambda call, **_: inspect.signature(call) # types stay the words of the source: mypy alone loads some of them

MARKED = { # what Markdown would take for something else
    "|": "\\|", "<": "&lt;", "*": "\\*", "_": "\\_", "$": "\\$", "[": "\\[", "]": "\\]", "\n": "<br>"}


def said(text):
    "A docstring or comment as text: nothing but what is between backticks means anything"
    return re.sub(r"`[^`\n]*`|[|<*_$\[\]\n]", lambda m: MARKED.get(m[0]) or m[0].replace("|", "\\|"), text)


PLACE = re.compile(r"\b(?:collections\.abc|dataclasses|gecmetrics_nb[\w.]*)\.(?=\w)|<function (?=\w)|(?<=\w) at 0x\w+>") # of what its name tells


def call_of(symbol):
    "The call as nbdev writes it, each parameter with its comment; the name alone of a class that is not called"
    text = PLACE.sub("", str(docments.DocmentText(symbol, maxline=84, docstring=False)))
    return f"class {symbol.__name__}" if "*args, **kwargs" in text and inspect.isclass(symbol) else text


def about(symbol): return said((inspect.getdoc(symbol) or "").split("\n\n")[0])
def short(module): return module.removeprefix("gecmetrics_nb.")
def room(module): return short(module).partition(".")[0]
def anchor_of(symbol): return f"{symbol.__module__.rpartition('.')[2]}.{symbol.__name__}"
def api_link(symbol): return f"/api/{room(symbol.__module__)}.qmd#{anchor_of(symbol)}"
def source_of(symbol): return f"[source]({SOURCE}/{symbol.__module__.replace('.', '/')}.py#L{inspect.getsourcelines(symbol)[1]})"
def table(heads, rows, widths=(1, 1)): return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---" * width for width in widths], *rows))


def is_public(kind): return kind.__module__.startswith("gecmetrics_nb.") and kind.__name__ in import_module(kind.__module__).__all__


def methods(symbol, bases):
    "Rows (call, what it does) of the public methods of a class, which has those of its `bases`, too"
    met = {name for kind in bases for name in vars(kind)} - {*vars(symbol)}
    for kind in symbol.__mro__:
        if not kind.__module__.startswith("gecmetrics_nb.") or kind in bases: continue
        for name, method in vars(kind).items():
            function = inspect.unwrap(getattr(method, "fget", None) or getattr(method, "__func__", method))
            if name[0] == "_" or name in met or not inspect.isfunction(function): continue
            met.add(name)
            call = str(inspect.signature(function)) if not isinstance(method, property) else ""
            call = re.sub(r"^\((self|cls)(, )?", "(", re.sub(r"(?<=[:>] )'([^']*)'", r"\1", PLACE.sub("", call)))
            if function.__doc__: yield f"`{name}{call}`".replace("|", "\\|"), about(function)


def public(module):
    "{name: function or class} that a module defines for all, what the package itself offers first"
    written = re.findall(r"^(?:def|class) ([a-zA-Z]\w*)", inspect.getsource(module), re.MULTILINE)
    own = {name: inspect.unwrap(getattr(module, name)) for name in written if name in module.__all__}
    return dict(sorted(own.items(), key=lambda pair: getattr(gecmetrics_nb, pair[0], None) is not pair[1]))


def entry(name, symbol, lesson):
    "The parts of a page about one function or class: its call, what it does, its methods, an example"
    place = "" if lesson.startswith("studies/") else f"#{name.lower()}" # where steps have no headings
    links = f"[lesson](/{lesson}{place}) · {source_of(symbol)}"
    parts = [f"### {name} {{#{anchor_of(symbol)}}}", f"```python\n{call_of(symbol)}\n```", f"{about(symbol)}\n\n{links}"]
    if inspect.isclass(symbol):
        fields = [] if hasattr(symbol, "__dataclass_fields__") else [(f"`{name}`", said(text)) for name, text in comments_of(symbol).items()]
        bases = [kind for kind in symbol.__mro__[1:] if is_public(kind)]
        tables = (["field", "what it is"], fields), (["method", "what it does"], list(methods(symbol, bases)))
        parts += [table(heads, rows) for heads, rows in tables if rows]
        if bases: parts.append(f"It has the methods of {', '.join(f'[`{kind.__name__}`]({api_link(kind)})' for kind in bases)}, too.")
    example = example_of(name, symbol)
    return [*parts, "```python\n{}\n```\n\n```\n{}\n```".format(*example)] if example else parts


def page(title, description, parts, **front):
    front = {"title": title, "description": description, "toc-expand": False, **front}
    return "\n\n".join(["\n".join(["---", *(f"{key}: {json.dumps(text)}" for key, text in front.items()), "---"]), *parts]) + "\n"


def api_pages():
    "Write the pages of the folders and, in front of them, a table of all modules: among the notebooks and among the pages to render"
    rooms, rows = {}, []
    for name, symbols in INDEX["syms"].items():
        module = import_module(name)
        if not (names := public(module)): continue
        [lesson] = {place.partition("#")[0] for place, _ in symbols.values()}
        head, what = short(name), (module.__doc__ or short(name)).partition("\n")[0]
        parts = [f"## {head} {{#{head.replace('.', '-')}}}", f"{said(what)}", f"`from {name} import ...` · [the lesson that derives it](/{lesson})"]
        for each, symbol in names.items(): parts += entry(each, symbol, lesson)
        rooms.setdefault(room(name), []).extend(parts)
        rows.append([f"[{head}](/api/{room(name)}.qmd#{head.replace('.', '-')})", said(what),
                     ", ".join(f"[`{each}`]({api_link(symbol)})" for each, symbol in names.items())])
    first_line = lambda name: import_module(f"gecmetrics_nb.{name}").__doc__.partition("\n")[0]
    earlier = lambda name: [f"/api/{short(m).replace('.', '-')}.html" for m in INDEX["syms"] if room(m) == name] # a page a module
    texts = {name: page(name, f"{first_line(name)} (API)", parts, aliases=earlier(name)) for name, parts in rooms.items()}
    parts = "A lesson derives each of them; here is how they are called.", table(["module", "what it has", "names"], rows, (3, 4, 6))
    texts["index"] = page("API", "Every public function and class, by module", parts, toc=False)
    for folder in get_config().nbs_path, get_config().config_path / "_proc": # nbdev takes pages away that have no source
        (folder / "api").mkdir(parents=True, exist_ok=True)
        for name, text in texts.items(): write(folder / "api" / f"{name}.qmd", text)
