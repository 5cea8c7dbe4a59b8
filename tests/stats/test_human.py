"Human judgments: readers, Expected Wins, ranges, TrueSkill, against slow definitions, other files and other programs"
from collections import Counter
from math import comb
from statistics import NormalDist

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from gecmetrics_nb.stats.human import (Judgments, clusters, expected_wins, from_rankings, head_to_head, parse_judgments, parse_rankings, parse_ratings, bootstrap_rank_ranges,
                                 outcomes_by_sentence, read_judgments, read_rankings, read_ratings, resampled_wins, sign_test, ties, wins)
from gecmetrics_nb.stats.trueskill import trueskill_limit, trueskill_mean, trueskill_run
import slow

ITEM = '<x><ranking-item src-id="{}" user="u">{}</ranking-item></x>'


def random_rankings(rng, count=60, systems="ABCDEF"):
    "Invented rankings, some with texts shared by several systems"
    rankings = []
    for number in range(count):
        names = list(rng.permutation(list(systems)))
        texts = []
        while names and len(texts) < 4:
            cut = int(rng.integers(1, 3))
            texts.append((names[:cut], int(rng.integers(1, 5))))
            names = names[cut:]
        rankings.append((number, "judge" + str(rng.integers(3)), texts))
    return rankings


def slow_wins(rankings):
    "Counter of (better, worse) over all pairs of systems of a ranking, and of ties"
    better, even = Counter(), Counter()
    for (*_, pair), times in slow.pairs_of_rankings(rankings, "ABCDEF", expanded=True).items():
        (a, rank), (b, other) = sorted(pair, key=lambda placed: placed[1])
        if rank == other: even[frozenset((a, b))] += times
        else: better[a, b] += times
    return better, even


@pytest.mark.parametrize("seed", range(5))
def test_wins_and_expected_wins_by_counting(seed):
    rankings = random_rankings(np.random.default_rng(seed))
    judged, (better, even) = from_rankings(rankings), slow_wins(rankings)
    names = judged.systems
    assert {(a, b): n for i, a in enumerate(names) for j, b in enumerate(names) if (n := wins(judged)[i, j])} == better
    assert {frozenset((a, b)): n for i, a in enumerate(names) for j, b in enumerate(names) if (n := ties(judged)[i, j])} == even
    for among in "all", "beaten":
        for i, a in enumerate(names):
            shares = [better[a, b] / (better[a, b] + better[b, a]) if better[a, b] + better[b, a] else 0 for b in names if b != a]
            opponents = len(names) - 1 if among == "all" else sum(better[a, b] > 0 for b in names)
            assert expected_wins(wins(judged), among)[i] == pytest.approx(sum(shares) / opponents if opponents else 0)
    assert expected_wins([[0, 1, 3], [0, 0, 0], [1, 0, 0]], "beaten").tolist() == [.875, 0, .25] # once is enough


@pytest.mark.parametrize("sentence, text, message", [
    (0, ("AMU", 1), r"the ranking of sentence 0 by j holds \('AMU', 1\); give \(list of systems, rank\)"), (0, "AB", "holds 'AB'"), (0, (["A"],), "holds"),
    (0, (["A"], 1.2), "the ranking of sentence 0 by j holds 1.2: give whole numbers"), (0, (["A"], True), "holds True"), (.5, (["A"], 1), "holds 0.5: give whole"),
    (0, (["A"], float("nan")), "holds nan: give whole")])
def test_a_text_is_a_list_of_systems_and_a_whole_number(sentence, text, message):
    with pytest.raises(TypeError, match=message): from_rankings([(sentence, "j", [(["B"], 2), text])])
    assert len(from_rankings([(np.int64(0), "j", [(["B"], 2), (("A",), np.int32(1))])])) == 1


def test_pairs_of_rankings_are_in_the_order_of_the_systems():
    with pytest.raises(ValueError, match="sentence 3 by j holds 'A' twice"): from_rankings([(3, "j", [(["A"], 1), (["B", "A"], 2)])])
    judged = from_rankings([(0, "j", [(["C"], 1), (["A"], 2), (["B"], 1)])])
    assert (judged.pairs[:, 0] < judged.pairs[:, 1]).all() and judged.outcome.tolist() == [-1, -1, 0]
    assert from_rankings([(0, "j", [(["C"], 1), (["A"], 2)])], systems=["C", "A"]).outcome.tolist() == [1]


def test_the_same_judgments_in_two_released_formats(shared):
    data = shared / "data"
    mine = from_rankings(read_rankings(data / "gjg15/judgments.xml"))
    theirs = read_judgments(data / "conll14/c18-1231/scores/sentence_pairwiseranks_humans/expanded.csv.gz")
    assert mine.systems == theirs.systems and len(mine) == len(theirs) == 109098
    assert (wins(mine) == wins(theirs)).all() and (ties(mine) == ties(theirs)).all()
    assert len(from_rankings(read_rankings(data / "gjg15/judgments.xml"), expanded=False)) == 20516


@pytest.mark.parametrize("text, message", [
    ("<x>", "^rankings: not XML"), ("<x/>", "no ranking-item"), ('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "entities"),
    (ITEM.format("1", '<translation rank="1"/>'), "ranking-item 1: no attribute 'system'"),
    *((ITEM.format(number, ""), f"ranking-item 1: '{number}' is not a whole number of at most nine digits") for number in ("one", "1_0", "1234567890")), (ITEM.format("1", '<translation rank="x" system="A"/>'), "ranking-item 1"),
])
def test_bad_xml(text, message):
    with pytest.raises(ValueError, match=message): parse_rankings(text)


FIELDS = "system1Id,system1rank,system2Id,system2rank,srcIndex,judgeID"


@pytest.mark.parametrize("lines, message", [
    ([FIELDS], "f.csv: no judgments"), ([FIELDS, "A,1,B,2"], "line 2"), (["", "  ", FIELDS, "A,x,B,2,0,j"], "line 4: ranks"), (["a,b"], "no column"),
    ([FIELDS, "A,1,B,2,0"], "f.csv: line 2 has no judgeID: give as many cells as the header has"),
    (["system1Id,system1rank,system2rank,srcIndex,judgeID,system2Id", "A,1,2,0,j,B", "A,1,2,0,j"], "f.csv: line 3 has no system2Id"),
    (["", f"{FIELDS},judgeID", "A,1,B,2,0,j,k"], "f.csv: line 2: two columns are named 'judgeID'"),
    ([FIELDS, "A,1,B,2,0,j", "A,1,A,2,0,j"], "f.csv: judgment 2 compares 'A' with itself")])
def test_bad_csv(lines, message):
    with pytest.raises(ValueError, match=message): parse_judgments(lines, "f.csv")


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["", "7", "70", "70.0", "62.5"]), min_size=3, max_size=3), min_size=1, max_size=6))
def test_ratings_say_who_is_better(table):
    "Two systems by two, with their numbers; an empty cell takes no part"
    judged = from_rankings(parse_ratings(["A,B,C", *map(",".join, table)]), systems="A B C".split())
    expected = Counter((d, a, b, (float(row[a]) > float(row[b])) - (float(row[a]) < float(row[b])))
                       for d, row in enumerate(table) for a in range(3) for b in range(a + 1, 3) if row[a] and row[b])
    assert Counter(zip(judged.sentences, *judged.pairs.T, judged.outcome, strict=True)) == expected
    assert set(judged.ranks.min(axis=1)) <= {1, 2} and set(judged.judges) <= {"mean"}
    assert not len(judged) or judged.ranks.min() == 1


@pytest.mark.parametrize("lines, message", [
    ([], "f.csv: no ratings"), (["A,B"], "f.csv: no ratings"), (["A,A", "1,2"], "line 1: two systems are named 'A'"),
    (["A,B", "1,2", "1"], "f.csv: line 3 has 1 cells: give one for each of 2 systems"), (["A,B", "1,2", "", "3,4"], "line 3 has 0 cells"),
    (["A,B", "1,x"], "f.csv: line 2: could not convert string to float: 'x'"), (["A,B", "1,nan"], "line 2 has nan"),
    (["A,B", "inf,1"], "line 2 has nan or infinity")])
def test_bad_ratings(lines, message, tmp_path):
    (tmp_path / "f.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for call in lambda: parse_ratings(lines, "f.csv"), lambda: read_ratings(tmp_path / "f.csv"):
        with pytest.raises(ValueError, match=message): call()


def test_sign_test_by_adding_up_coins():
    table = np.array([[0, 7, 3], [2, 0, 0], [3, 6, 0]])
    for i, j in (0, 1), (0, 2), (1, 2):
        n, k = int(table[i, j] + table[j, i]), int(min(table[i, j], table[j, i]))
        assert sign_test(table)[i, j] == pytest.approx(min(1, 2 * sum(comb(n, x) for x in range(k + 1)) / 2**n))
    assert np.nansum(head_to_head(table) + head_to_head(table).T) == pytest.approx(6)
    for function in head_to_head, sign_test: # of two tables as of each
        assert np.array_equal(function([table, table.T]), [function(table), function(table.T)], equal_nan=True)


@pytest.mark.parametrize("table,said", [
    ([[0, 1]], r"wins has the shape \(1, 2\)"), ([0, 1], "wins has 1 axes"), ([[0, .5], [1, 0]], "wins holds fractions"),
    ([[0, -1], [1, 0]], "wins holds -1.0: give how often"), ([[1, 0], [0, 0]], "compared with itself")])
def test_what_is_no_table_of_wins_is_refused(table, said):
    with pytest.raises(ValueError, match=said): sign_test(table)


def test_rank_ranges_and_clusters():
    scores = np.array([[3, 2, 1.]] * 96 + [[2, 3, 1.]] * 4)
    assert bootstrap_rank_ranges(scores, .9).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert bootstrap_rank_ranges(scores, .95).tolist() == [[1, 2], [1, 2], [3, 3]]
    assert bootstrap_rank_ranges([[2, 1]] * 38 + [[1, 2]] * 2, .95).tolist() == [[1, 2], [1, 2]] # of 40 one is cut off at either end
    assert clusters([[1, 2], [1, 2], [3, 3]]).tolist() == [1, 1, 2] and clusters([]).tolist() == []
    assert clusters([[1, 2], [2, 3], [3, 4], [5, 6], [5, 6]]).tolist() == [1, 1, 1, 2, 2]
    with pytest.raises(ValueError, match="too few"): bootstrap_rank_ranges(scores[:2], .5)
    with pytest.raises(ValueError, match="confidence"): bootstrap_rank_ranges(scores, 95)
    with pytest.raises(ValueError, match="scores holds nan, 2 of 6"):
        bootstrap_rank_ranges([[1, np.nan, 2]] * 2, .5)


def test_a_last_bit_makes_no_rank():
    "Two systems that differ by one ulp, this way or that, stay in the order of the list"
    third, more = .3, np.nextafter(.3, 1)
    for scores in ([[third, more, .1]] * 10, [[more, third, .1]] * 10, [[third, more, .1], [more, third, .1]] * 5):
        assert bootstrap_rank_ranges(scores, .5).tolist() == [[1, 1], [2, 2], [3, 3]]


def test_resampled_wins_keep_the_total_in_expectation():
    judged = from_rankings(random_rankings(np.random.default_rng(3), 400))
    mean = resampled_wins(judged, 4000).mean(axis=0)
    assert np.abs(mean - wins(judged)).max() < 5 * np.sqrt(wins(judged).max() / 4000)


def unequal(H, count):
    "Judgments of systems whose skills lie far apart, so that every part of the formula matters; a fifth are ties"
    rng, strength = np.random.default_rng(1), np.linspace(2.4, -2.4, H)
    pairs = np.array([rng.choice(H, 2, replace=False) for _ in range(count)])
    better = rng.random(count) < 1 / (1 + np.exp(strength[pairs[:, 1]] - strength[pairs[:, 0]]))
    tied = rng.random(count) < .2
    ranks = np.stack([np.where(tied | better, 1, 2), np.where(tied | ~better, 1, 2)], axis=1)
    return Judgments(tuple("ABCD"[:H]), pairs, ranks, np.zeros(count, int), np.full(count, "j"))


@pytest.mark.parametrize("H, count", [(2, 100), (4, 150), (3, 600)]) # of three so unequal ones the middle one is never next
def test_trueskill_mean_is_the_mean_of_runs(H, count):
    "Another share of ties, another prior, opponents drawn alike or ties without a movement are found out with these"
    judged = unequal(H, count)
    runs = np.stack([trueskill_run(judged, seed) for seed in range(12)])
    error = runs.std(axis=0) / np.sqrt(12)
    assert (np.abs(runs.mean(axis=0) - trueskill_mean(judged)) < 3.5 * error).all()
    assert np.abs(trueskill_mean(judged, steps=100) - trueskill_mean(judged, steps=200)).max() < .01


def test_a_match_more_than_there_are_judgments_is_played():
    "As in the released script: three wins are four matches, here in one step, each of which moves both by the density over the chance of a win"
    normal, beta = NormalDist(), .5 * 4 / 40
    c = (2 * beta**2 + 2 * .5**2)**.5
    z = -normal.inv_cdf(1.25 / 2) * 2**.5 * beta / c
    moved = 4 * .5**2 / c * normal.pdf(z) / normal.cdf(z)
    assert trueskill_limit([[0, 3], [0, 0]], [[0, 0], [0, 0]], steps=1) == pytest.approx([moved, -moved])
    with pytest.raises(ValueError, match="steps is 3, too few"): trueskill_limit([[0, 30], [1, 0]], [[0, 0], [0, 0]], steps=3)


def test_many_tables_are_played_at_once():
    judged = [from_rankings(random_rankings(np.random.default_rng(seed), 200, "ABCD")) for seed in range(3)]
    tables = np.array([[wins(j), ties(j)] for j in judged])
    together = trueskill_limit(tables[:, 0], tables[:, 1], steps=30)
    assert together == pytest.approx(np.array([trueskill_mean(j, steps=30) for j in judged]))


@pytest.mark.parametrize("won, systems", [
    ([[0, 2, 0], [1, 0, 1], [0, 2, 0]], "0 and 2"), ([[0, 2, 0, 1], [1, 0, 1, 1], [2, 2, 0, 0], [1, 1, 0, 0]], "2 and 3"),
    ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], "0 and 2"), (np.zeros((2, 2)), "0 and 1"), ([[[0, 1], [1, 0]], [[0, 0], [0, 0]]], "0 and 1")])
def test_systems_never_compared_have_no_limit(won, systems):
    "A path, a pair of four, a system without judgments, no judgments, the second of two tables; a tie is a judgment"
    with pytest.raises(ValueError, match=f"systems {systems} were never compared"): trueskill_limit(won, np.zeros(np.shape(won)))
    assert np.isfinite(trueskill_limit(won, np.ones(np.shape(won)) - np.eye(np.shape(won)[-1]))).all()


def test_systems_never_compared_are_named():
    judged = from_rankings([(0, "j", [(["A"], 1), (["B"], 2)]), (1, "j", [(["C"], 1), (["B"], 2)])])
    for call in trueskill_run, trueskill_mean:
        with pytest.raises(ValueError, match="systems A and C were never compared: .*; leave one of them out"): call(judged)
        with pytest.raises(ValueError, match="needs two systems or more, not 1"): call(from_rankings([(0, "j", [(["A"], 1)])]))


def test_outcomes_by_sentence_are_those_of_its_judgments():
    judged = from_rankings(random_rankings(np.random.default_rng(6), 100))
    found = outcomes_by_sentence(judged, judged.sentences.max() + 2)
    for d in range(found.shape[1]):
        mine = judged.where(judged.sentences == d)
        assert (found[:, d] == [wins(mine), ties(mine)]).all()
    with pytest.raises(ValueError, match="numbered from 0"): outcomes_by_sentence(judged, int(judged.sentences.max()))


def judged(*pairs): return parse_judgments(["", "  ", FIELDS, *(f"{a},1,{b},2,{d},j" for d, (a, b) in enumerate(pairs))])


@pytest.mark.parametrize("pairs, systems", [
    ([("gpt-4.1.a", "gpt-4.1.b")], ("gpt-4.1.a", "gpt-4.1.b")), ([("set.A.en", "set.B.en")], ("A", "B")), ([("set.gpt-4.1.en", "set.gpt-4.2.en")], ("gpt-4.1", "gpt-4.2")),
    ([("set.A.en", "set.A.de")], ("set.A.de", "set.A.en")), ([("one.A.en", "two.A.en")], ("one.A.en", "two.A.en")), ([("set.A.en", "A")], ("A", "set.A.en")),
    ([("set..en", "set.B.en")], ("set..en", "set.B.en")), ([("a.b", "a.c")], ("a.b", "a.c")), ([("s.A.e", "s.B.e"), ("s.B.e", "s.C.d")], ("s.A.e", "s.B.e", "s.C.d"))])
def test_names_are_unwrapped_only_where_all_are_wrapped_alike(pairs, systems):
    found = judged(*pairs)
    assert found.systems == systems and not np.diagonal(wins(found)).any() and wins(found).sum() == len(pairs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("expanded", [True, False])
def test_a_choice_of_systems_by_a_loop(seed, expanded):
    rankings, chosen = random_rankings(np.random.default_rng(seed), systems="ABCDEFGH"), ["F", "B", "C"]
    expected = slow.pairs_of_rankings(rankings, chosen, expanded)
    assert slow.pairs_of_judgments(from_rankings(rankings, expanded, chosen)) == expected and sum(expected.values()) > 20


@pytest.mark.parametrize("systems", [["X", "Y"], ["A", "Y"], ["A"], ["A", "C"]])
def test_a_choice_of_systems_without_a_judgment_is_refused(systems):
    "A and B are compared, B and C; where there are no judgments at all, none is missing"
    rankings, lines = [(0, "j", [(["A"], 1), (["B"], 2)]), (1, "j", [(["B"], 1), (["C"], 2)])], [FIELDS, "A,1,B,2,0,j", "B,1,C,2,1,j"]
    for call in lambda: from_rankings(rankings, systems=systems), lambda: parse_judgments(lines, systems=systems), lambda: parse_judgments(lines).of(systems):
        with pytest.raises(ValueError, match=f"systems: no judgments of two of {', '.join(systems)}; there are those of A, B, C"): call()
    assert len(from_rankings([], systems=systems)) == len(from_rankings([]).of(systems)) == 0


def test_judgments_are_equal_to_themselves():
    one, other = (from_rankings([(0, "j", [(["A"], 1), (["B"], 2)]), (1, "j", [(["B"], 1), (["A"], 2)])]) for _ in range(2))
    assert one == one and one != other and len({one, other}) == 2


def test_fractions_have_no_binomial_test():
    with pytest.raises(ValueError, match="fractions"): sign_test([[0, 1.5], [2, 0]])
    assert expected_wins([[0, 1.5], [.5, 0]]).tolist() == [.75, .25] # weighted judgments have shares all the same
