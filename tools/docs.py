"Build the site in _docs: nbdev's processing of the notebooks, then Quarto where it is installed, else smalldocs; one _quarto.yml for both"
from html import unescape
from pathlib import Path
import os
import re
import shutil
import subprocess
import sys

ROOT = Path(__file__).parent.parent
os.chdir(ROOT)


FORMULA = re.compile(r'<(span|div) class="math (inline|display)">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
KATEX = re.compile(r'<(script|link)[^>]*katex[^>]*>(</script>)?|<script>[^<]*renderMathInElement[^<]*</script>')


def formulas_to_mathml(page):
    "Turn the formulas of a page into MathML, which browsers draw themselves: no script, nothing fetched when it is read"
    from latex2mathml.converter import convert
    text = page.read_text(encoding="utf-8")
    text = FORMULA.sub(lambda m: convert(unescape(m[3]).strip(), display="block" if m[2] == "display" else "inline"), text)
    page.write_text(KATEX.sub("", text), encoding="utf-8")


def main():
    from nbdev.serve import proc_nbs

    shutil.rmtree("_proc", ignore_errors=True)
    shutil.rmtree("_docs", ignore_errors=True)
    shutil.copy("_quarto.yml", "nbs/_quarto.yml")
    cache = Path(proc_nbs("nbs", n_workers=2, force=True, skip_file_re=r"(^[_.])|(\.py$)"))
    quarto = shutil.which("quarto")
    command = [quarto, "render", str(cache), "--no-execute"] if quarto else [str(Path(sys.executable).parent / "smalldocs"), "render", str(cache), "--quiet"]
    subprocess.run(command, check=True)
    shutil.move(str(cache / "_docs"), "_docs")
    pages = list(Path("_docs").rglob("*.html"))
    if not quarto:
        for page in pages: formulas_to_mathml(page)
    print(f"{len(pages)} pages in _docs, rendered by {Path(command[0]).name}")


if __name__ == "__main__": main()
