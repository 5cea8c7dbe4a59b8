"""Export the modules, run every notebook in a fresh process, keep the outputs that say the same, dress and clean, write README.md

With names of notebooks (nbs/metrics/03_gleu.ipynb ...) only these are run; with --no-run, after a change of words, none.
"""
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
import os
import sys

from notebooks import dress, run
from places import ROOT, corpora, needs_corpora, notebooks, write
from readme import figures, readme


def kept(path):
    "Run a lesson and write what it says anew; returns its path"
    run(path, save=True)
    return path


def run_all(asked):
    runnable = [path for path in asked if not (named := needs_corpora(path)) or corpora(named)]
    for path in set(asked) - set(runnable): print(path, "NOT RUN: it needs the corpora; set GECNB_DATA", flush=True)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool: # no lesson needs another
        for path in pool.map(kept, runnable): print(path, flush=True)


def main():
    from nbdev.clean import nbdev_clean
    from nbdev.doclinks import nbdev_export

    os.chdir(ROOT)
    nbdev_export.__wrapped__()
    if "--no-run" not in sys.argv: run_all([Path(name).resolve() for name in sys.argv[1:]] or notebooks())
    for path in notebooks(): dress(path)
    nbdev_clean.__wrapped__()
    for name, text in figures().items(): write(ROOT / "nbs" / name, text)
    write(ROOT / "README.md", readme())


if __name__ == "__main__": main()
