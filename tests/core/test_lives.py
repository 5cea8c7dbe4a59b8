"How far a call goes, as tools/lives.py counts it: few functions, and few changes of file"
import lives


def goes_at_most(life, functions, changes):
    calls = lives.watched(life, "gecmetrics_nb")
    files = [file for file, _ in calls]
    assert len({*calls}) <= functions and sum(a != b for a, b in zip(files, files[1:], strict=False)) <= changes


def test_two_sentences_go_a_short_way(tmp_path):
    goes_at_most(lives.python, 70, 47)
    (_, python), (_, command), *_ = lives.lives(tmp_path)
    goes_at_most(command, 123, 82)


def test_a_comparison_goes_a_short_way(shared, monkeypatch):
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    outputs = [shared / "data/conll14/official_submissions" / name for name in ("AMU", "CAMB")]
    goes_at_most(lives.command("compare", "--on", "conll14", "-o", *outputs), 209, 300)
