"""Time gecnb against gleu 1.1.0 on CoNLL-2014, as whole processes, in turn: make bench

Both print the same numbers, which is checked first. The corpora come from GECNB_DATA or the network.
"""
from pathlib import Path
from statistics import median
import argparse
import os
import subprocess
import sys
import tempfile
import time

from gecmetrics_nb.data import conll14

JOBS = {
    "corpus GLEU, 500 draws": ("gleu", "-d 4 -f"),
    "corpus GLEU, best reference": ("gleu", "-d 4 -m"),
    "sentence GLEU": ("sgleu", "-d 4"),
    "mean of sentence GLEU": ("mgleu", "-d 4"),
    "corpus GLEU of characters, n = 6, best reference": ("gleu", "-d 4 -m -n 6 -t char"),
}


def run(command, folder):
    "Seconds, peak memory in MiB and output of one process"
    with open(folder / "out", "w+b") as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        out.seek(0)
        if status: sys.exit(f"{' '.join(command)} failed")
        return seconds, usage.ru_maxrss / 1024, out.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--runs", type=int, default=5, help="pairs of runs of each job (5)")
    parser.add_argument("jobs", nargs="*", help="parts of the names of jobs (all)")
    args = parser.parse_args()
    corpus = conll14()
    with tempfile.TemporaryDirectory() as name:
        folder, files = Path(name), {"S": corpus.sources, "R0": corpus.references[0], "R1": corpus.references[1],
                                     **dict(zip(corpus.system_names[:12], corpus.systems))}
        for file, lines in files.items(): (folder / file).write_text("".join(line.rstrip() + "\n" for line in lines), encoding="utf-8")
        texts = ["-s", "S", "-r", "R0", "R1", "-o", *corpus.system_names[:12]]
        print(f"{'':50}{'gleu 1.1.0':>22}{'gecnb':>18}{'ratio':>8}   medians of {args.runs} pairs, whole processes")
        for title, (program, flags) in JOBS.items():
            if args.jobs and not any(j in title for j in args.jobs): continue
            ours = [sys.executable, "-m", "gecmetrics_nb", program, *texts, *flags.split()]
            theirs = [sys.executable, "-c", f"from gleu.main import {program}; {program}()", *texts, *flags.split()]
            run(ours, folder), run([sys.executable, "-c", "import gleu.main"], folder) # both from a warm disk
            pairs = [(run(theirs, folder), run(ours, folder)) for _ in range(args.runs)]
            if any(a[2] != b[2] for a, b in pairs): sys.exit(f"{title}: the outputs differ")
            figures = [(median(a[i] for a, _ in pairs), median(b[i] for _, b in pairs)) for i in range(2)]
            (t, u), (m, k) = figures
            print(f"{title:50}{t:8.2f} s {m:7.0f} MiB{u:7.3f} s {k:4.0f} MiB{median(a[0] / b[0] for a, b in pairs):7.1f}x", flush=True)


if __name__ == "__main__": main()
