"Correlations, agreement and Williams' test, against SciPy, slow definitions and another program's constants"
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb.stats.human import from_rankings, read_rankings
from gecmetrics_nb.stats.meta_evaluation import read_table
from gecmetrics_nb.stats.correlation import (_williams_t, agreement, agreement_by_sentence, basic_interval, bootstrap_over_systems, fisher_interval,
                                matched, percentile_interval, pairwise_bootstrap, pairwise_interval, pairwise_williams,
                                parse_scores, pearson, ranks, spearman, williams, window)


@pytest.mark.parametrize("seed", range(20))
def test_correlations_are_scipys(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, rng.integers(3, 30))) * 10.0 ** rng.integers(-200, 200, size=(2, 1))
    if seed % 2: x, y = (np.round(v / np.abs(v).max() * 3) for v in (x, y))
    assert min(np.ptp(x), np.ptp(y)) > 0 # none of these seeds makes a column that does not vary
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x / np.abs(x).max(), y / np.abs(y).max()).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert (ranks(x) == stats.rankdata(x)).all()
    assert pearson(np.stack([x, y, -x]), x).tolist() == pytest.approx([1, pearson(y, x), -1])


def test_nan_stays_nan():
    hole = [1, 2, np.nan]
    assert np.isnan(spearman(hole, [1, 2, 3])) and np.isnan(pearson(hole, [1, 2, 3])) and np.isnan(spearman([1, 2, 3], hole))
    assert np.isnan(ranks([3, np.nan, 1])).all() and np.isnan(stats.rankdata([3, np.nan, 1])).all()
    assert ranks([np.inf, 2, -np.inf]).tolist() == [3, 2, 1] and ranks([0, 0, 0]).tolist() == [2, 2, 2]
    assert spearman([hole, [3, 1, 2]], [1, 2, 3]).tolist()[1] == -.5 # the other row has its own


def moved(x, seed):
    "The same numbers, each moved by one unit in the last place, by some, or not at all"
    rng = np.random.default_rng(seed)
    some, step = x * (1 + rng.uniform(-1e-14, 1e-14, size=np.shape(x))), rng.integers(-1, 3, size=np.shape(x))
    return np.choose(step + 1, [np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf), some])


@pytest.mark.parametrize("scale", [1, 100, 1e-150, 1e150])
def test_a_last_bit_changes_no_rank_and_no_correlation(scale):
    "Every choice between floats, on the numbers and on the numbers moved a little; equal ones are made on purpose"
    rng = np.random.default_rng(0)
    x, y = rng.integers(1, 5, size=(2, 12)) / 7 * scale
    for seed in range(20):
        near = moved(x, seed)
        assert (near != x).any() and ranks(near).tolist() == ranks(x).tolist() == stats.rankdata(x).tolist()
        assert spearman(near, moved(y, seed + 99)) == spearman(x, y)
        if scale not in (1, 100): continue # what follows compares scores
        outcome, pairs = np.sign(y[1:] - y[:-1]), [(i + 1, i) for i in range(11)]
        assert agreement(near[:, None], pairs, outcome, np.zeros(11, int)) == agreement(x[:, None], pairs, outcome, np.zeros(11, int))
        assert window(x, moved(y, seed), 5) == pytest.approx(window(x, y, 5), abs=1e-9, nan_ok=True)


def test_a_column_that_rounding_alone_moves_does_not_vary():
    "The mean of three times .1 is not .1"
    assert np.isnan(pearson([.1 + .2, .3, .3], [1, 2, 3])) and np.isnan(spearman([1, 2, 3], [7, 7, 7]))
    with pytest.raises(ValueError, match="one score a system"): pearson([1], [1])
    assert williams([.3, .5, .1, .4], np.array([.3, .5, .1, .4]) * 10, [1, 2, 0, 1.5]).t == 0


def test_window_by_hand():
    metric, human = np.array([1, 5, 2, 4, 3.]), np.array([.1, .9, .3, .2, .7])
    order = [1, 4, 2, 3, 0]
    for i, (r, rho) in enumerate(window(metric, human, 3)):
        part = order[i:i + 3]
        assert (r, rho) == pytest.approx((stats.pearsonr(metric[part], human[part]).statistic, stats.spearmanr(metric[part], human[part]).statistic))
    for pair in ([metric] * 2, human), (metric, [human] * 2):
        with pytest.raises(ValueError, match="give two lists"): window(*pair)
    assert window(metric, human, len(human))[0] == pytest.approx((pearson(metric, human), spearman(metric, human)))


@pytest.mark.parametrize("seed", range(5))
def test_agreement_by_counting(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, size=(4, 6)) / 2
    pairs = np.array([rng.choice(4, 2, replace=False) for _ in range(80)])
    outcome, sentences = rng.integers(-1, 2, size=80), rng.integers(6, size=80)
    found = agreement(scores, pairs, outcome, sentences)
    table = {}
    for (i, j), human, d in zip(pairs.tolist(), outcome.tolist(), sentences.tolist(), strict=True):
        metric = int(scores[i, d] > scores[j, d]) - int(scores[i, d] < scores[j, d])
        table[metric, human] = table.get((metric, human), 0) + 1
    get = lambda *keys: sum(table.get(k, 0) for k in keys)
    right, wrong = get((1, 1), (-1, -1)), get((1, -1), (-1, 1))
    decided = right + wrong + get((0, 1), (0, -1))
    assert (found.concordant, found.discordant, found.decided) == (right, wrong, decided)
    assert found.tau == pytest.approx((right - wrong) / decided) and found.accuracy == pytest.approx(right / decided)
    assert found.tau_with_ties == pytest.approx((right - wrong + get((0, 0))) / 80)
    assert found.accuracy_by_order == pytest.approx((right + get((0, -1))) / decided) # (first <= second) on both sides


SCORES, TWO = [[1, 3], [2, 5], [0, 3]], [[0, 1], [0, 2]]


@pytest.mark.parametrize("scores, pairs, outcome, sentences, error, message", [
    (SCORES, TWO[:1], [1, 0], [0], ValueError, "1 pairs, 2 outcomes, 1 sentences"), ([1, 2], TWO[:1], [1], [0], ValueError, "a row a system"),
    ([[1, np.nan], [3, np.inf]], TWO[:1], [1], [1], ValueError, "2 of 4 sentence scores are nan or infinite"),
    (SCORES, TWO[:1], [1], [-1], ValueError, "sentences -1 to -1"), ([[1, 2]], TWO[:1], [1], [0], ValueError, "systems 0 to 1, but scores of 1 systems"),
    (SCORES, [[0, 1, 2, 0], [1, 2, 0, 2]], [1] * 4, [0] * 4, ValueError, r"pairs has the shape \(2, 4\): give the two systems of each judgment"),
    (SCORES, [], [], [], ValueError, r"pairs has the shape \(0,\)"), (SCORES, [[.9, 1.2]], [1], [0], TypeError, "pairs holds float64: give whole numbers, which count from 0"),
    (SCORES, TWO, [1, 1], [True, False], TypeError, "sentences holds bool"), (SCORES, TWO, [-7, np.nan], [0, 0], ValueError, "2 outcomes are neither 1, 0 nor -1")])
def test_judgments_that_do_not_fit_are_refused(scores, pairs, outcome, sentences, error, message):
    for count in agreement, agreement_by_sentence:
        with pytest.raises(error, match=message): count(scores, pairs, outcome, sentences)


def test_williams_by_the_determinant():
    rng = np.random.default_rng(4)
    human, first, second = rng.normal(size=(3, 9))
    test = williams(first, second, human)
    R = np.corrcoef([human, first, second])
    mean = (R[0, 1] + R[0, 2]) / 2
    t = (R[0, 1] - R[0, 2]) * np.sqrt(8 * (1 + R[1, 2]) / (2 * 8 / 6 * np.linalg.det(R) + mean**2 * (1 - R[1, 2])**3))
    assert test.t == pytest.approx(t) and test.p == pytest.approx(stats.t.sf(abs(t), 6))
    back = williams(second, first, human)
    assert (back.t, back.p) == pytest.approx((-test.t, test.p))
    near = _williams_t(R[0, 1], -R[0, 1], -1 + 1e-9, 9) # of a metric and itself turned round
    assert williams(first, -first, human).t == pytest.approx(near, rel=1e-6)


LENGTH = { # gec-metrics, tests of its meta-evaluation: a metric that gives the length of the output
    "EW_edit": (0.42736690406501093, 0.4545454545454546), "EW_sent": (0.4532076150049142, 0.5454545454545455),
    "TS_edit": (0.4834645229702062, 0.5944055944055945), "TS_sent": (0.4880423593992749, 0.5524475524475525),
    "edit": (0.5365853658536586, 0.07317073170731707), "sent": (0.5455708346658139, 0.09114166933162776)}


def test_length_as_a_metric_on_seeda(shared):
    names = [p.stem for p in sorted((shared / "data/seeda/outputs/subset").iterdir())]
    outputs = [(shared / f"data/seeda/outputs/subset/{name}.txt").read_text(encoding="utf-8").rstrip().split("\n") for name in names]
    base = [i for i, name in enumerate(names) if name not in ("INPUT", "REF-F", "GPT-3.5")]
    lengths = np.array([[len(line) for line in outputs[i]] for i in base])
    for key, expected in LENGTH.items():
        if "_" in key:
            human = np.array((shared / f"data/seeda/scores/human/{key}.txt").read_text(encoding="utf-8").split(), float)[base]
            assert (pearson(lengths.sum(axis=1), human), spearman(lengths.sum(axis=1), human)) == pytest.approx(expected, rel=1e-9)
        else:
            rankings = read_rankings(shared / f"data/seeda/data/judgments_{key}.xml")
            judged = from_rankings(rankings, systems=[names[i] for i in base])
            numbers = sorted({number for number, *_ in rankings})
            found = agreement(lengths, judged.pairs, judged.outcome, np.searchsorted(numbers, judged.sentences))
            assert (found.accuracy_by_order, found.tau_by_order) == pytest.approx(expected, rel=1e-9)


def test_drawn_systems_by_a_loop_over_scipy():
    rng = np.random.default_rng(2)
    metrics, human = rng.normal(size=(2, 7)), rng.normal(size=7)
    drawn = np.random.default_rng(5).integers(7, size=(50, 7))
    for function, theirs in ((pearson, stats.pearsonr), (spearman, stats.spearmanr)):
        found = bootstrap_over_systems(metrics, human, function, 50, 5)
        assert found == pytest.approx(np.array([[theirs(m[d], human[d]).statistic for d in drawn] for m in metrics]))
    assert percentile_interval(found) == pytest.approx(np.percentile(found, [2.5, 97.5], axis=1).T)


def test_an_interval_needs_coefficients_of_more_than_nineteen_in_twenty():
    draws = np.arange(100.)
    for gaps in range(10):
        draws[:gaps] = np.nan
        expected = [np.nan] * 2 if gaps >= 5 else np.percentile(np.arange(gaps, 100), [2.5, 97.5])
        assert percentile_interval(draws) == pytest.approx(expected, nan_ok=True)
    each = percentile_interval([[np.nan, *range(19)], [*range(20)]])
    assert np.isnan(each).tolist() == [[True, True], [False, False]] # each row for itself
    with pytest.raises(ValueError, match="between 0 and 1"): percentile_interval(draws, 95)


def test_pairwise_tests_are_single_ones_corrected():
    rng = np.random.default_rng(3)
    human = rng.normal(size=12)
    metrics = np.array([human + rng.normal(scale=s, size=12) for s in (.1, 1, 3)])
    found = pairwise_williams(metrics, human)
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert found.p == pytest.approx([2 * williams(metrics[i], metrics[j], human).p for i, j in found.pairs])
    assert (0, 2) in found.better() and found.holm.max() <= 1 and (found.holm >= found.p).all()
    equal = pairwise_williams([np.ones(12), *metrics[:2]], human) # has no correlation, so nothing is better or worse
    assert np.isnan(equal.p).tolist() == [True, True, False] and np.isnan(equal.holm[0]) and (1, 0) not in equal.better()
    observed = np.array([.8, .1, .1])
    chance = pairwise_bootstrap(observed + rng.normal(scale=.1, size=(999, 3)), observed)
    assert chance.better() == [(0, 1), (0, 2)] and chance.p[0] == 1 / 1000 and chance.p[2] == 1
    assert pairwise_bootstrap(-observed + rng.normal(scale=.1, size=(999, 3)), -observed).better() == [(1, 0), (2, 0)]


TABLE = ["system\tGLEU\tGREEN|beta:2", "INPUT\t56.6\t58.4", "A, tuned\t5.81e1\t-61", ""]


@pytest.mark.parametrize("lines", [TABLE, ["\t\t", "  ", TABLE[0], "", *TABLE[1:]], ['system,GLEU,GREEN|beta:2', ' INPUT , 56.6,58.4 ', '"A, tuned",58.1,-61']], ids=["tabs", "empty lines", "commas"])
def test_a_table_of_scores_is_read_as_it_stands(lines, tmp_path):
    (tmp_path / "t").write_text("\r\n".join(lines), encoding="utf-8-sig")
    for table in parse_scores(lines), read_table(tmp_path / "t"):
        assert table.systems == ("INPUT", "A, tuned") and list(table.columns) == ["GLEU", "GREEN|beta:2"]
        assert table.columns["GLEU"].tolist() == [56.6, 58.1] and table.columns["GREEN|beta:2"].tolist() == [58.4, -61]


@pytest.mark.parametrize("quote", ['"', ""])
@pytest.mark.parametrize("divided", [",", "\t"])
def test_a_table_is_known_by_its_header_quoted_or_not(quote, divided, tmp_path):
    "As R writes them: names in quotes, numbers without; the same of judgments"
    of = {"scores": [["system", "GLEU"], ["A", 1], ["B", 2]],
          "sentences": [["system", "sentence", "GLEU"], ["A", 7, 1], ["B", 7, 2]],
          "judgments": [["srcIndex", "system1Id", "system1rank", "system2Id", "system2rank", "judgeID"], [7, "A", 1, "B", 2, "j"]]}
    write = lambda cell: f"{quote}{cell}{quote}" if isinstance(cell, str) else str(cell)
    for name, rows in of.items():
        (tmp_path / name).write_text("\n".join(divided.join(map(write, row)) for row in rows) + "\n")
    scores, sentences, judged = (read_table(tmp_path / name) for name in of)
    assert scores.systems == sentences.systems == judged.systems == ("A", "B") and scores.columns["GLEU"].tolist() == [1, 2]
    assert sentences.sentences == ("7",) and sentences.columns["GLEU"].tolist() == [[1], [2]]
    assert judged.outcome.tolist() == [1] and judged.sentences.tolist() == [7] and judged.judges.tolist() == ["j"]


def test_only_the_cells_that_need_them_are_in_quotes(tmp_path):
    "As csv.writer writes tabs; a quote that none closes is a character as any other"
    head = "srcIndex\tsystem1Id\tsystem1rank\tsystem2Id\tsystem2rank\tjudgeID\n"
    for cells, systems in ("7\t\"A\tB\"\t1\tC\t2\tj", {"A\tB", "C"}), ("7\t\"A\t1\tC\t2\tj", {'"A', "C"}):
        (tmp_path / "judged").write_text(f"{head}{cells}\n")
        assert {*read_table(tmp_path / "judged").systems} == systems


@pytest.mark.parametrize("lines, said", [
    ([], "no scores"), (["system\tGLEU"], "no scores"), (["system", "A"], "one column"), (["", TABLE[0], "", "A\t1\tx"], "line 4, column GREEN"),
    ([*TABLE[:2], "A\t58,1\t1"], "'58,1' is not a number"), ([*TABLE[:2], "A\t1_0\t1"], "'1_0'"), ([*TABLE[:2], "A\tinf\t1"], "'inf'"),
    (["s,G", ".1,2", ".2,3"], "the first column holds scores"), (["A,1", "B,2"], "no header"),
    (["s,G", "1,2", "1,3"], "the first column holds scores"), ([*TABLE[:2], "A\t1"], "line 3 has 2 cells, the header 3"),
    ([*TABLE[:2], "INPUT\t1\t2"], "two systems are named 'INPUT'"), (["s,G,G", "A,1,2"], "two columns are named 'G'"), (['s,G', '"A,1'], "not CSV after line 2")])
def test_what_is_no_table_of_scores_is_refused_in_one_line(lines, said):
    with pytest.raises(ValueError, match=said) as error: parse_scores(lines, "scores.tsv")
    assert str(error.value).startswith("scores.tsv") and "\n" not in str(error.value)


def test_systems_may_be_numbered(): assert parse_scores(["s,G", "1,.5", "2,.4"]).systems == ("1", "2")


def test_a_system_of_people_alone_is_refused_and_a_last_bit_does_not_vary():
    scores = parse_scores(["s,G", "A,1", "B,2"])
    for human, said in (["s,EW", "A,1", "B,2", "C,0"], "scores has no C, which human has"), (["s,EW", "A,.3", "B,.30000000000000004"], "human: column EW has the same score"):
        with pytest.raises(ValueError, match=said): matched(scores, parse_scores(human, "human"))


def test_people_stand_in_the_order_of_the_scores():
    scores, human = parse_scores(["s,G", "A,1", "B,2", "C,0"]), parse_scores(["s,EW,TS", "C,5,6", "A,1,2", "B,3,4"], "human")
    found = matched(scores, human)
    assert found.systems == ("A", "B", "C") and found.name == "human" and {t: c.tolist() for t, c in found.columns.items()} == {"EW": [1, 3, 5], "TS": [2, 4, 6]}


def test_ranks_of_many_numbers_need_little_memory():
    tracemalloc.start()
    try:
        found = ranks(np.arange(20_000.)[::-1])
        peak = tracemalloc.get_traced_memory()[1]
    finally: tracemalloc.stop()
    assert found.tolist() == list(range(20_000, 0, -1)) and peak < 20_000_000


def test_no_interval_where_fishers_z_has_none():
    assert np.isnan(fisher_interval([1, -1, np.nan], 13)).all() and np.isnan(fisher_interval(.5, 3)).all() and np.isnan(fisher_interval(.5, 5, 1)).all()
    assert fisher_interval(.5, 4)[0] == pytest.approx(np.tanh(np.arctanh(.5) - 1.959964)) # one degree of freedom
    for wrong, said in ((1.2, 13, None), "r is 1.2"), ((.5, 13, 14), "families is 14: give a whole number from 1 to 13"), ((.5, 0), "systems is 0"), ((.5, 13, 0), "families is 0"):
        with pytest.raises(ValueError, match=said): fisher_interval(*wrong)
    with pytest.raises(ValueError, match="confidence is 95"): fisher_interval(.5, 13, confidence=95)


def test_the_basic_interval_is_scipys():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    y = x + y
    theirs = stats.bootstrap((x, y), lambda x, y: stats.pearsonr(x, y).statistic, paired=True, vectorized=False, n_resamples=200, method="basic", random_state=0)
    drawn = theirs.bootstrap_distribution
    assert basic_interval(pearson(x, y), drawn) == pytest.approx(tuple(theirs.confidence_interval))
    assert basic_interval([.95, .3], [[.7, .8, .9], [.1, .2, .3]], lowest=.35)[0, 1] == 1 and basic_interval(.3, [.1, .5], lowest=.2)[0] == .2
    with pytest.raises(ValueError, match=r"value has the shape \(2,\), resampled \(3,\)"): basic_interval([.1, .2], [.1, .2, .3])


@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_metrics_by_counting(seed):
    rng = np.random.default_rng(seed)
    again, observed = rng.normal(size=(3, 200)) + np.array([[0], [.5], [3]]), np.array([0, .5, 3])
    found = pairwise_interval(again, observed, .9)
    for q, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        gaps = sorted((again[i] - again[j]).tolist())
        p = min(1, 2 * (1 + min(sum(g <= 0 for g in gaps), sum(g >= 0 for g in gaps))) / 201)
        assert found.pairs[q].tolist() == [i, j] and found.difference[q] == observed[i] - observed[j] and found.p[q] == pytest.approx(p)
        assert found.interval[q] == pytest.approx(np.percentile(gaps, [5, 95]))
        if abs(p - .1) > .02: assert (p < .1) == (found.interval[q][0] > 0 or found.interval[q][1] < 0)
    for level in (.05, *found.holm): # p up to the level, as a star
        left = [pair for pair, corrected in zip([(1, 0), (2, 0), (2, 1)], found.holm, strict=True) if corrected <= level]
        assert found.better(level) == left


@pytest.mark.parametrize("wrong", ["spearman", "pearson", None, np.corrcoef])
def test_a_correlation_is_one_of_two_functions(wrong):
    four = [1., 2., 3., 5.]
    for call in lambda: williams(four, four, four, wrong), lambda: pairwise_williams([four] * 2, four, wrong), \
            lambda: fisher_interval(.9, 10, correlation=wrong), lambda: bootstrap_over_systems(four, four, wrong):
        with pytest.raises(TypeError, match="correlation is .*: give the function pearson or spearman"): call()


def test_a_pair_with_too_few_coefficients_has_no_p():
    holes = pairwise_bootstrap([[np.nan, .2, .3], *[[.1, .2, .3]] * 999], [.1, .2, .3])
    assert np.isnan(holes.p).tolist() == [True, True, False] and np.isnan(holes.holm).all() and holes.better() == []
    assert np.isnan(pairwise_bootstrap([[.1, .2]] * 999, [.1, np.nan]).p).all()
    flat = pairwise_interval([[np.nan] * 6 + [.1] * 94, [.2] * 100], [.1, .2])
    assert np.isnan(flat.p).all() and np.isnan(flat.interval).all() and flat.better() == []
    with pytest.raises(ValueError, match="resampled has 2 metrics, observed 3"): pairwise_interval(np.zeros((2, 5)), [1, 2, 3])
    with pytest.raises(ValueError, match="1 metric makes no pair"): pairwise_interval(np.zeros((1, 5)), [1])
