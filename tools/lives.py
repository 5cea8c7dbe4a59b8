"""How far a call goes: the named functions and files that three lives pass, and how often a call leads into another file.

    python tools/lives.py          the three lives, a line each, and sacrebleu's corpus_bleu of the same two sentences
    python tools/lives.py -v       also each function with its number of calls
"""
from collections import Counter
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
import os
import sys

SOURCES = ["She like to play the tennis in park .", "He go home ."]
HYPOTHESES = ["She likes to play tennis in the park .", "He goes home ."]
REFERENCES = [["She likes playing tennis in the park .", "He goes home ."],
              ["She likes to play tennis in the park .", "He went home ."]]


def watched(life, package):
    "Calls of named functions of a package while `life()` runs a second time, when all is imported: a list of (file, name)"
    calls, folder = [], os.path.dirname(find_spec(package).origin) + os.sep
    def watch(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folder) and not code.co_name.startswith("<"):
            name = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
            calls.append((code.co_filename.removeprefix(folder), name))
    for profile in None, watch:
        sys.setprofile(profile)
        try:
            with redirect_stdout(StringIO()): life()
        finally: sys.setprofile(None)
    return calls


def line(title, calls):
    "What is counted of a life"
    files = [file for file, _ in calls]
    changes = sum(a != b for a, b in zip(files, files[1:], strict=False))
    return f"{title:42} {len(set(calls)):5} functions {len(set(files)):4} files {changes:6} changes of file {len(calls):8} calls"


def python():
    from gecmetrics_nb import GLEU
    GLEU().corpus_score(sources=SOURCES, hypotheses=HYPOTHESES, references=REFERENCES)


def command(*arguments):
    "Life of a command"
    def life():
        from gecmetrics_nb.cli.parser import main
        main([*map(str, arguments)])
    return life


def corpus_bleu():
    from sacrebleu import corpus_bleu
    corpus_bleu(HYPOTHESES, REFERENCES)


def lives(folder):
    "Pairs of a title and a life; files are written to the folder first"
    texts = {"source": SOURCES, "ref0": REFERENCES[0], "ref1": REFERENCES[1], "output": HYPOTHESES}
    paths = {name: folder / name for name in texts}
    for name, lines in texts.items(): paths[name].write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")
    yield "GLEU().corpus_score of two sentences", python
    yield "gecnb gleu", command("gleu", "-s", paths["source"], "-r", paths["ref0"], paths["ref1"], "-o", paths["output"])
    data = Path(os.environ.get("GECNB_DATA", Path(__file__).parents[2] / "shared/data"))
    if (data / "conll14").is_dir():
        os.environ["GECNB_DATA"] = str(data)
        outputs = [data / "conll14/official_submissions" / name for name in ("AMU", "CAMB")]
        yield "gecnb compare --on conll14 -o AMU CAMB", command("compare", "--on", "conll14", "-o", *outputs)


def main():
    with TemporaryDirectory() as folder:
        for title, life in lives(Path(folder)):
            calls = watched(life, "gecmetrics_nb")
            print(line(title, calls))
            if "-v" in sys.argv:
                for (file, name), count in Counter(calls).items(): print(f"    {count:6} {file} {name}")
    if find_spec("sacrebleu"): print(line("sacrebleu.corpus_bleu of the same", watched(corpus_bleu, "sacrebleu")))


if __name__ == "__main__": main()
