"Notebooks as Markdown: README.md, and the text of each page beside it, where nbdev's `Docs:` of a module leads"
from pathlib import Path
import os
import re

from places import ROOT, SITE, cells_of, notebooks, page_of, write
from svg import title_of

INDEX = ROOT / "nbs" / "index.ipynb"


def figures():
    "The SVG figures of the index: {path below nbs: text}"
    shown = (o.get("data", {}) for c in cells_of(INDEX) for o in c.get("outputs", []))
    pictures = ["".join(data["image/svg+xml"]) for data in shown if "image/svg+xml" in data]
    return {f"images/index-{i}.svg": text for i, text in enumerate(pictures, 1)}


def readme():
    "README.md: the index notebook as Markdown, with its figures as files and its links from the root"
    from_root = lambda text: re.sub(r"\]\((?!https?:)", "](nbs/", text)
    parts = markdown(INDEX, from_root, (f"nbs/{name}" for name in figures()))
    parts.insert(1, f"[The site]({SITE}) has all pages, and examples that you can change.") # where no page needs a link to itself
    return "<!-- Written from nbs/index.ipynb by `make sync`; edit that. -->\n\n" + "\n\n".join(parts) + "\n"


def markdown(path, linked, pictures=()):
    "The parts of a notebook as Markdown: its text, its code that is shown, what that printed; `linked` mends links"
    parts, pictures = [], iter(pictures)
    for cell in cells_of(path):
        if cell["cell_type"] == "markdown": parts.append(linked(cell["source"]))
        if cell["cell_type"] != "code": continue
        if not cell["source"].startswith("#| echo: false"): parts.append(f"```python\n{cell['source']}\n```")
        parts += filter(None, (_output(o, linked, pictures) for o in cell["outputs"]))
    return parts


def _output(output, linked, pictures):
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items() if isinstance(text, (str, list))}
    if "image/svg+xml" in data: return f"![{title_of(data['image/svg+xml'])}]({next(pictures, '')})"
    if any("data-explore" in text for text in data.values()): return "" # which a page alone can show
    if "text/markdown" in data: return linked(data["text/markdown"])
    text = "".join(output.get("text", "")) or data.get("text/plain", "")
    return "\n".join("    " + line for line in text.rstrip().split("\n"))


def page_link(text): return re.sub(r"(\]\((?!https?:)[\w./]*?)(?:\d\d_)?(\w+)\.ipynb", r"\1\2.html.md", text)


if __name__ == "__main__": # post-render of Quarto: for nbdev-readme the README that it moves, else the text of the pages that were rendered
    site = Path(os.environ["QUARTO_PROJECT_OUTPUT_DIR"])
    for path in map(Path, os.environ["QUARTO_PROJECT_OUTPUT_FILES"].split("\n")):
        if path.name == "README.md": write(path, readme())
    for lesson in notebooks():
        if (site / page_of(lesson)).exists(): write(site / f"{page_of(lesson)}.md", "\n\n".join(markdown(lesson, page_link)) + "\n")
