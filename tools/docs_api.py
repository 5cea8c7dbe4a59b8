"The API: how a function or class is called, and a page a module, written when its lesson is processed: tools/docs.py"
import inspect
import json
import re

from fastcore import docments
from nbdev.config import get_config

from examples import example_of
from gecmetrics_nb.core.metric import comments_of
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
def page_of_module(name): return f"{name.removeprefix('gecmetrics_nb.').replace('.', '-')}.qmd"
def source_of(symbol): return f"[source]({SOURCE}/{symbol.__module__.replace('.', '/')}.py#L{inspect.getsourcelines(symbol)[1]})"
def table(heads, rows): return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


def methods(symbol):
    "Rows (call, what it does) of the public methods of a class: its own, then those of the classes of ours that it derives from"
    met = set()
    for kind in symbol.__mro__:
        for name, method in vars(kind).items():
            function = inspect.unwrap(getattr(method, "fget", None) or getattr(method, "__func__", method))
            if name[0] == "_" or name in met or not kind.__module__.startswith("gecmetrics_nb.") or not inspect.isfunction(function): continue
            met.add(name)
            call = str(inspect.signature(function)) if not isinstance(method, property) else ""
            call = re.sub(r"^\((self|cls)(, )?", "(", re.sub(r"(?<=[:>] )'([^']*)'", r"\1", PLACE.sub("", call)))
            origin = f" (from {kind.__name__})" if kind is not symbol else ""
            if function.__doc__: yield f"`{name}{call}`".replace("|", "\\|"), about(function) + origin


def entry(name, symbol, lesson):
    "The parts of a page about one function or class: its call, what it does, its methods, an example"
    place = "" if lesson.parts[0] == "studies" else f"#{name.lower()}" # where steps have no headings
    links = f"[lesson](/{lesson}.ipynb{place}) · {source_of(symbol)}"
    parts = [f"## {name} {{#{name}}}", f"```python\n{call_of(symbol)}\n```", f"{about(symbol)}\n\n{links}"]
    if inspect.isclass(symbol):
        fields = [] if hasattr(symbol, "__dataclass_fields__") else [(f"`{name}`", said(text)) for name, text in comments_of(symbol).items()]
        parts += [table(heads, rows) for heads, rows in ((["field", "what it is"], fields), (["method", "what it does"], list(methods(symbol)))) if rows]
    example = example_of(name, symbol)
    return [*parts, "```python\n{}\n```\n\n```\n{}\n```".format(*example)] if example else parts


def api_page(lesson, module, section):
    "Write the page of a module that a lesson exports, if it has public names, what is most used first: among the notebooks and among the pages to render"
    import gecmetrics_nb
    written = re.findall(r"^(?:def|class) ([a-zA-Z]\w*)", inspect.getsource(module), re.MULTILINE)
    public = {name: inspect.unwrap(getattr(module, name)) for name in written if name in module.__all__}
    if not public: return
    public = dict(sorted(public.items(), key=lambda pair: getattr(gecmetrics_nb, pair[0], None) is not pair[1]))
    name = module.__name__.removeprefix("gecmetrics_nb.")
    front = {"title": name, "description": f"{(module.__doc__ or name).partition(chr(10))[0]} (API)", "names": ", ".join(public)}
    parts = ["\n".join(["---", *(f"{key}: {json.dumps(text)}" for key, text in front.items()), "---"]),
             f"`from {module.__name__} import ...` · [the lesson that derives it](/{lesson}.ipynb{section})"]
    for each, symbol in public.items(): parts += entry(each, symbol, lesson)
    for folder in get_config().nbs_path, get_config().config_path / "_proc": # nbdev takes pages away that have no source
        (folder / "api").mkdir(parents=True, exist_ok=True)
        write(folder / "api" / page_of_module(module.__name__), "\n\n".join(parts) + "\n")
