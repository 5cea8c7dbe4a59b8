"How far a call goes, as tools/lives.py counts it: few functions, and few changes of file"
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def test_two_sentences_go_a_short_way():
    spec = spec_from_file_location("lives", Path(__file__).parents[2] / "tools/lives.py")
    lives = module_from_spec(spec)
    spec.loader.exec_module(lives)
    files, names = zip(*lives.watched(lives.python, "gecmetrics_nb"), strict=True)
    changes = sum(a != b for a, b in zip(files, files[1:], strict=False))
    assert len({*zip(files, names, strict=True)}) <= 70 and changes <= 47
