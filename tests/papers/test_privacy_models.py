"""Diversity, closeness and LKC: the papers' examples, exact bounds, another library's figures, and clear mistakes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.datasets import load_adult
from tests.conftest import Result
from tests.reference import privacy_models as models


def ask(**said: Any) -> dict[str, Any]:
    """A policy with one requirement on the sensitive column s."""
    return {"attributes": {"q": "suppress"}, "requirements": [{"qid": ["q"], "sensitive": "s", **said}]}


def grouped(*groups: str | list[Any]) -> pa.Table:
    """A table whose groups on q have these values of s."""
    rows = [(str(i), value) for i, group in enumerate(groups) for value in group]
    return pa.table({"q": [q for q, _ in rows], "s": [s for _, s in rows]})


INPATIENTS = ["hhvv", "chvv", "cccc"]
"""Figure 2 of Machanavajjhala et al. 2007: 4-anonymous, but the last group gives cancer away."""
DIVERSE = ["hvcc", "chvv", "hvcc"]
"""Figure 3: the same patients, 3-diverse."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("diversity", "before", "after"),
    [
        ({"distinct": 3}, 1, 3),
        ({"entropy": 2.8}, 1, 2**1.5),
        ({"recursive": {"c": 2, "l": 2}}, inf, 1),
        ({"recursive": {"c": 3, "l": 3}}, inf, 2),
    ],
)
def test_the_inpatients_are_as_diverse_as_the_paper_says(
    diversity: dict[str, Any], before: float, after: float
) -> None:
    policy = ask(diversity=diversity)
    raw, masked = maskwise.audit(grouped(*INPATIENTS), policy), maskwise.audit(grouped(*DIVERSE), policy)
    assert (raw.is_met, masked.is_met) == (False, True)
    assert (raw.findings[0].figure, masked.findings[0].figure) == (before, pytest.approx(after))
    (tight,) = raw.findings[0].tightest
    assert (tight.shown, tight.n_records) == (("2",), 4)


SALARIES = [[3, 4, 5], [6, 11, 8], [7, 9, 10]]
"""Table 3 of Li et al. 2007, in thousands."""


def test_the_salaries_are_as_far_from_the_table_as_the_paper_says() -> None:
    """0.375 for {3k, 4k, 5k} and 0.167 for {6k, 8k, 11k}."""
    whole = [1] * 9
    assert models.ordered_distance([1, 1, 1, 0, 0, 0, 0, 0, 0], whole) == Fraction("0.375")
    assert models.ordered_distance([0, 0, 0, 1, 0, 1, 0, 0, 1], whole) == Fraction(1, 6)
    (finding,) = maskwise.audit(grouped(*SALARIES), ask(closeness=0.375, distance="ordered")).findings
    assert finding.is_met
    assert finding.figure == pytest.approx(0.375)
    assert finding.tightest[0].shown == ("0",)
    words = [[f"{salary}k" for salary in group] for group in SALARIES]
    order = [f"{salary}k" for salary in range(3, 12)]
    (named,) = maskwise.audit(grouped(*words), ask(closeness=0.374, distance="ordered", order=order)).findings
    assert not named.is_met
    assert named.figure == finding.figure


def test_an_order_decides_how_far_values_are_apart() -> None:
    """Group 0 has low only, group 1 the other two: mass moves one step or two, whatever the alphabet says."""
    table = grouped(["low"] * 2, ["mid", "high"])
    policy = {"closeness": 1, "distance": "ordered"}
    figures = [
        maskwise.audit(table, ask(**policy, order=order)).findings[0].figure
        for order in (["low", "mid", "high"], ["mid", "low", "high"], ["never", "low", "mid", "high"])
    ]
    assert figures == pytest.approx([3 / 8, 1 / 4, 3 / 8])


@pytest.mark.slow
@pytest.mark.parametrize("n_values", [2, 3, 15, 62])
def test_equally_frequent_values_are_exactly_that_diverse(n_values: int) -> None:
    """Logarithms are rounded: the entropy of 15 equally frequent values comes out below log 15."""
    table = grouped(*[[f"v{i}" for i in range(n_values)] * times for times in (1, 3)])
    policy = ask(diversity={"entropy": n_values})
    assert maskwise.audit(table, policy).is_met
    outcome = maskwise.anonymize(table, policy, as_published=True)
    assert set(outcome.data["q"].to_pylist()) == {"0", "1"}
    assert outcome.solution.reached[0].figure == pytest.approx(n_values)
    more = ask(diversity={"entropy": f"{n_values}.000001"})
    assert not maskwise.audit(table, more).is_met
    with pytest.raises(maskwise.InfeasibleError, match=rf"as diverse as {n_values}\.0000 equally frequent values"):
        maskwise.anonymize(table, more, as_published=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "is_told_apart"),
    [
        # Each group has 6 of its most frequent value and 2 others.
        ({"diversity": {"recursive": {"c": 3, "l": 2}}}, False),
        ({"diversity": {"recursive": {"c": "3.000001", "l": 2}}}, True),
        ({"diversity": {"recursive": {"c": "6", "l": 3}}}, False),
        ({"diversity": {"recursive": {"c": "6.1", "l": 3}}}, True),
        ({"diversity": {"distinct": 3}}, True),
        ({"diversity": {"distinct": 4}}, False),
        # The shares are 6, 1, 1, 0 of 8 in one group and 0, 1, 1, 6 in the other, against 3, 1, 1, 3 of 8.
        ({"closeness": "0.375"}, True),
        ({"closeness": "0.374999999"}, False),
        ({"closeness": "0.375", "distance": "ordered", "order": ["a", "b", "c", "d"]}, True),
        ({"closeness": "0.374999999", "distance": "ordered", "order": ["a", "b", "c", "d"]}, False),
        ({"closeness": "1/8", "distance": "ordered", "order": ["b", "a", "d", "c"]}, True),
        ({"closeness": "0.124999999", "distance": "ordered", "order": ["b", "a", "d", "c"]}, False),
    ],
)
def test_a_search_and_a_recount_stop_at_the_same_bound(said: dict[str, Any], is_told_apart: bool) -> None:
    table = grouped("aaaaaabc", "ddddddbc")
    assert maskwise.audit(table, ask(**said)).is_met is is_told_apart
    outcome = maskwise.anonymize(table, ask(**said), as_published=True)
    assert len(set(outcome.data["q"].to_pylist())) == (2 if is_told_apart else 1)
    assert outcome.verdict.findings[0].figure == outcome.solution.reached[0].figure


def test_a_distance_that_is_the_bound_but_for_rounding_holds() -> None:
    """8 of 10 against 5 of 10 is 0.3, which no binary number is; 0.8 - 0.5 is a little more."""
    table = grouped("x" * 8 + "y" * 2, "x" * 2 + "y" * 8)
    assert maskwise.audit(table, ask(closeness=0.3)).is_met
    assert len(set(maskwise.anonymize(table, ask(closeness="0.3"), as_published=True).data["q"].to_pylist())) == 2


def test_a_missing_cell_is_a_value_of_its_own_and_the_last_one() -> None:
    table = grouped(["1", None], ["2", "3"])
    assert maskwise.audit(table, ask(diversity={"distinct": 2})).is_met
    (finding,) = maskwise.audit(table, ask(closeness=1, distance="ordered")).findings
    assert finding.figure == pytest.approx(float(models.ordered_distance([1, 0, 0, 1], [1, 1, 1, 1])))


def test_values_that_only_left_out_records_have_do_not_count() -> None:
    table = pa.table({"q": ["a", "a", "b", "b", None], "s": ["x", "y", "x", "y", "z"]})
    policy = {**ask(diversity={"distinct": 3}), "missing": "drop"}
    with pytest.raises(maskwise.InfeasibleError, match="in the whole table `s` has 2 values"):
        maskwise.anonymize(table, policy, as_published=True)
    outcome = maskwise.anonymize(table, {**ask(closeness=0.01), "missing": "drop"}, as_published=True)
    assert outcome.data["q"].to_pylist() == ["a", "a", "b", "b"]


@pytest.mark.parametrize("level", ["1000000000", "100000"])
def test_a_level_that_no_table_reaches_is_told_with_the_best(level: str) -> None:
    table = grouped("xy", "xy")
    for said, best in [
        ({"distinct": level}, "has 2 values"),
        ({"entropy": level}, "is as diverse as 2.0000 equally frequent values"),
        ({"recursive": {"c": 2, "l": level}}, f"has fewer than {level} values"),
        ({"recursive": {"c": "0.9", "l": 2}}, "has its most frequent value 1.0000 times as often as the rare ones"),
    ]:
        with pytest.raises(maskwise.InfeasibleError, match=best):
            maskwise.anonymize(table, ask(diversity=said), as_published=True)


@pytest.mark.parametrize("k", [10**9, 2**63, 10**400])
def test_a_k_beyond_all_numbers_is_infeasible_and_audited(k: int) -> None:
    for requirement in ({"qid": ["q"], "k": k}, {"lkc": {"attributes": ["q"], "L": 1}, "k": k}):
        policy = {"attributes": {"q": "suppress"}, "requirements": [requirement]}
        with pytest.raises(maskwise.InfeasibleError, match="the whole table has 4 records"):
            maskwise.anonymize(grouped("xy", "xy"), policy, as_published=True)
        assert not maskwise.audit(grouped("xy", "xy"), policy).is_met


def test_more_decimals_than_are_counted_are_cut_off_to_the_safe_side() -> None:
    """Two equally frequent values are not diverse enough for a little more than two."""
    long = ask(diversity={"entropy": "2.00000000000000000000000000000000001"})
    assert maskwise.read_policy(long).requirements[0].l == 2 + Fraction(1, 10**9)
    assert not maskwise.audit(grouped("xy", "xy"), long).is_met


ADULT = [
    # QID, sensitive column, distance, and what pycanon 1.3.6 says: k, l, the whole part of entropy l, t.
    (["sex", "race"], "occupation", "equal", 126, 12, 7, 0.3086017489661369),
    (["workclass", "sex"], "marital-status", "equal", 7, 2, 1, 0.35110597244072106),
    (["race", "sex"], "education", "equal", 126, 13, 6, 0.23687690989004512),
    (["sex", "race"], "education-num", "ordered", 126, 13, 6, 0.09923360629574147),
    (["workclass", "race"], "education-num", "ordered", 1, 1, 1, 0.16465168350299741),
    (["marital-status"], "hours-per-week", "ordered", 32, 15, 8, 0.06418948545722201),
    (["sex", "relationship"], "occupation", "equal", 1, 1, 1, 0.8804121887576842),
]


@pytest.mark.slow
def test_the_figures_of_adult_are_those_of_another_library() -> None:
    """pycanon 1.3.6 on the 45,222 complete records; it tells entropy diversity as a whole number."""
    adult = load_adult().drop_null()
    for qid, column, distance, k, distinct, entropy, t in ADULT:
        asked: list[dict[str, Any]] = [{"diversity": {"distinct": 1}}, {"diversity": {"entropy": 1}}]
        asked += [{"closeness": 1, "distance": distance}]
        requirements = [{"qid": qid, "k": 1}, *({"qid": qid, "sensitive": column, **said} for said in asked)]
        found = [finding.figure for finding in maskwise.audit(adult, {"requirements": requirements}).findings]
        assert [found[0], found[1], int(found[2])] == [k, distinct, entropy]
        assert found[3] == pytest.approx(t, abs=1e-12)


MISTAKES = [
    ("{qid: [a], sensitive: s, diversity: {distinct: 0}}", "distinct diversity is at least 1; found 0"),
    ("{qid: [a], sensitive: s, diversity: {entropy: 0.5}}", "entropy diversity is at least 1; found 0.5"),
    ("{qid: [a], sensitive: s, diversity: {recursive: {c: 2, l: 1}}}", "recursive diversity is at least 2; found 1"),
    ("{qid: [a], sensitive: s, diversity: {distinct: 2.5}}", "is a whole number; found 2.5"),
    ("{qid: [a], sensitive: s, diversity: {recursive: {c: 2, l: 2.5}}}", "is a whole number; found 2.5"),
    ("{qid: [a], sensitive: s, diversity: {distinct: -3}}", "at least 1; found -3"),
    ("{qid: [a], sensitive: s, diversity: {distinct: -1.2.3}}", "`distinct` is a number"),
    ("{qid: [a], sensitive: s, diversity: {distinct: many}}", "`distinct` is a number"),
    ("{qid: [a], sensitive: s, diversity: {entropy: 1000000001}}", "at most 1,000,000,000"),
    ("{qid: [a], sensitive: s, diversity: {distinct: 100000000000000000000}}", "at most 1,000,000,000"),
    ("{qid: [a], sensitive: s, diversity: {recursive: {c: 0, l: 2}}}", "c of recursive diversity is above 0"),
    ("{qid: [a], sensitive: s, diversity: {recursive: {c: -1, l: 2}}}", "c of recursive diversity is above 0"),
    ("{qid: [a], sensitive: s, diversity: {recursive: {c: 0.1234567891, l: 2}}}", "at most nine digits"),
    ("{qid: [a], sensitive: s, diversity: {recursive: {c: 2}}}", "{recursive: {c: 3, l: 2}}"),
    ("{qid: [a], sensitive: s, diversity: {recursive: 2}}", "{recursive: {c: 3, l: 2}}"),
    ("{qid: [a], sensitive: s, diversity: {distinct: 2, entropy: 2}}", "`diversity` is {distinct: 3}"),
    ("{qid: [a], sensitive: s, diversity: {simpson: 2}}", "`diversity` is {distinct: 3}"),
    ("{qid: [a], sensitive: s, diversity: 3}", "`diversity` is {distinct: 3}"),
    ("{qid: [a], sensitive: a, diversity: {distinct: 2}}", "`a` is in its own quasi-identifier"),
    ("{qid: [a], sensitive: a, closeness: 0.5}", "`a` is in its own quasi-identifier"),
    (
        "{qid: [a], sensitive: b, diversity: {distinct: 2}}\n  - {qid: [b], k: 2}",
        "`b` is masked by another requirement",
    ),
    ("{qid: [a], sensitive: b, closeness: 0.2}\n  - {qid: [b], k: 2}", "`b` is masked by another requirement"),
    ("{qid: [a], k: 2, sensitive: s, diversity: {distinct: 2}}", "`diversity` stands alone with `qid` and `sensitive`"),
    ("{qid: [a], sensitive: s, closeness: 0.5, diversity: {distinct: 2}}", "`diversity` stands alone"),
    ("{qid: [a], sensitive: s, closeness: 0.5, confidence: 0.5}", "`closeness` stands alone"),
    ("{lkc: {attributes: [a, b], L: 1}, sensitive: s, closeness: 0.5}", "`closeness` stands alone"),
    ("{qid: [a], diversity: {distinct: 2}}", "`diversity` needs one `sensitive` column"),
    ("{qid: [a], sensitive: {s: [HIV]}, closeness: 0.5}", "`closeness` needs one `sensitive` column"),
    ("{qid: [a], sensitive: s, confidence: 0.5}", "`sensitive` is a mapping"),
    ("{qid: [a], sensitive: s, closeness: 0}", "closeness is above 0 and at most 1; found 0"),
    ("{qid: [a], sensitive: s, closeness: 1.01}", "closeness is above 0 and at most 1; found 1.01"),
    ("{qid: [a], sensitive: s, closeness: near}", "a closeness is a number above 0 and at most 1; found `near`"),
    ("{qid: [a], k: 2, distance: equal}", "`distance` and `order` go with `closeness`"),
    ("{qid: [a], k: 2, order: [HIV, Flu]}", "`distance` and `order` go with `closeness`"),
    ("{qid: [a], sensitive: s, closeness: 0.5, distance: orderd}", "Did you mean `ordered`?"),
    ("{qid: [a], sensitive: s, closeness: 0.5, order: [HIV, Flu]}", "An order goes with the ordered distance"),
    ("{qid: [a], sensitive: s, closeness: 0.5, distance: ordered, order: HIV}", "`order` is a list of values"),
    (
        "{qid: [a], sensitive: s, closeness: 0.5, distance: ordered, order: [HIV, ~]}",
        "a missing cell always comes last",
    ),
    ("{qid: [a], sensitive: s, closeness: 0.5, distance: ordered, order: [HIV, HIV]}", "stands twice in the order"),
    ("{qid: [a], sensitive: s, closeness: 0.5, distance: ordered, order: [1, 1.0]}", "stands twice in the order"),
    ("{lkc: {attributes: [a, b], L: 0}, k: 2}", "L is at least 1 and at most the number of attributes, 2; found 0"),
    ("{lkc: {attributes: [a, b], L: 3}, k: 2}", "at most the number of attributes, 2; found 3"),
    ("{lkc: {attributes: [a, b], L: half}, k: 2}", "`L` is a whole number; found `half`"),
    ("{lkc: {attributes: [a, b], L: 1.5}, k: 2}", "`L` is a whole number; found `1.5`"),
    ("{lkc: {attributes: [a, b]}, k: 2}", "`L` is missing"),
    ("{lkc: {attributes: [], L: 1}, k: 2}", "`attributes` is empty"),
    ("{lkc: {attributes: [a, a], L: 1}, k: 2}", "names each attribute once"),
    ("{lkc: {attributes: [a], l: 1}, k: 2}", "`l` is not a key that belongs here. Did you mean `L`?"),
    ("{lkc: {attributes: [a], L: 1, k: 2}}", "`k` is not a key that belongs here. Known here: `attributes`, `L`."),
    ("{lkc: [a, b], k: 2}", "`lkc` is a mapping"),
    ("{lkc: {attributes: [a, b], L: 1}}", "`lkc` needs `k`, or `sensitive` with `confidence`, or both"),
    ("{lkc: {attributes: [a, b], L: 1}, k: 0}", "k is at least 1; found `0`"),
    ("{lkc: {attributes: [a, b], L: 1}, k: 2, confidence: 0.5}", "`confidence` goes with `sensitive`"),
    ("{lkc: {attributes: [a, b], L: 1}, k: 2, sensitive: {s: [HIV]}}", "`confidence` is missing"),
    ("{lkc: {attributes: [a, b], L: 1}, sensitive: {a: [HIV]}, confidence: 0.5}", "`a` is in its own quasi-identifier"),
    ("{lkc: {attributes: [a, b], L: 1}, sensitive: {s: [HIV, HIV]}, confidence: 0.5}", "stands twice"),
    ("{lkc: {attributes: [a, b], L: 1}, sensitive: {s: [HIV]}, confidence: 2}", "at most 1; found 2"),
    ("{lkc: {attributes: [a, b], L: 1}, qid: [a], k: 2}", "`qid` and `lkc` are two requirements"),
    ("{k: 2}", "`qid` is missing. Add it, or `lkc`"),
    (
        f"{{lkc: {{attributes: [{', '.join(f'a{i}' for i in range(64))}], L: 4}}, k: 2}}",
        "4 of 64 attributes are 635,376 combinations, more than 200,000",
    ),
]


@pytest.mark.parametrize(("requirement", "says"), MISTAKES, ids=[says[:40] for _, says in MISTAKES])
def test_mistakes_in_a_model_are_told_with_their_line(tmp_path: Path, requirement: str, says: str) -> None:
    (tmp_path / "p.yaml").write_text(f"class: c\nrequirements:\n  - {requirement}\n")
    with pytest.raises(maskwise.PolicyError) as caught:
        maskwise.read_policy(tmp_path / "p.yaml")
    told = str(caught.value)
    assert says in told
    assert all(line.startswith("p.yaml, line 3: ") for line in told.splitlines())
    assert not [secret for secret in ("HIV", "Flu") if secret in told]


@pytest.mark.slow
def test_256_values_are_not_too_many() -> None:
    table = grouped([f"v{i}" for i in range(256)])
    assert maskwise.audit(table, ask(diversity={"distinct": 256})).findings[0].figure == 256


def test_two_thousand_subsets_are_not_too_many() -> None:
    policy = maskwise.read_policy(
        {"requirements": [{"lkc": {"attributes": [f"a{i}" for i in range(63)], "L": 2}, "k": 2}]}
    )
    assert len(policy.requirements[0].parts) == 63 * 31


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("diversity: {distinct: 2}", "`many` has 300 different values; diversity and closeness count up to 256"),
        ("closeness: 0.5", "`many` has 300 different values; diversity and closeness count up to 256"),
        ("closeness: 0.5, distance: ordered", "The values of `s` have no order of their own"),
        ("closeness: 0.5, distance: ordered, order: [HIV]", "The order of `s` lacks 2 values of the table. Add them"),
        ("closeness: 0.5, distance: ordered, order: [HIV, Flu]", "The order of `s` lacks 1 value of the table. Add it"),
        ("diversity: {distinct: 2}", "`nobody` is in the policy but not in the table"),
    ],
)
@pytest.mark.parametrize("command", ["mask", "audit"])
def test_values_that_a_model_cannot_count_are_refused_with_their_line(
    tmp_path: Path, refused: Callable[..., Result], said: str, says: str, command: str
) -> None:
    column = says.split("`")[1]
    rows = [f"{'ab'[i % 2]},{('HIV', 'Flu', 'Cold')[i % 3]},v{i}" for i in range(300)]
    (tmp_path / "in.csv").write_text("q,s,many\n" + "\n".join(rows) + "\n")
    (tmp_path / "p.yaml").write_text(
        f"requirements:\n  - {{qid: [q], k: 2}}\n  - {{qid: [q], sensitive: {column}, {said}}}\n"
    )
    output = ["-o", tmp_path / "out.csv"] if command == "mask" else []
    arguments = [command, tmp_path / "in.csv", "-p", tmp_path / "p.yaml", *output]
    refused(*arguments, says=["p.yaml, line 3: ", says], hides=["HIV", "Flu", "Cold", "v1"])


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("diversity: {distinct: 4}", "distinct 4-diversity cannot be met on {q}: in the whole table `s` has 3 values"),
        (
            "diversity: {entropy: 3.1}",
            "entropy 3.1-diversity cannot be met on {q}: in the whole table `s` is as diverse as 3.0000 equally",
        ),
        (
            "diversity: {recursive: {c: 0.5, l: 2}}",
            "recursive (0.5, 2)-diversity cannot be met on {q}: in the whole table `s` has its most frequent value",
        ),
        (
            "diversity: {recursive: {c: 9, l: 4}}",
            "recursive (9, 4)-diversity cannot be met on {q}: in the whole table `s` has fewer than 4 values",
        ),
    ],
)
def test_diversity_that_the_whole_table_lacks_ends_with_code_3(
    tmp_path: Path, refused: Callable[..., Result], said: str, says: str
) -> None:
    rows = [f"{'ab'[i % 2]},{('HIV', 'Flu', 'Cold')[i % 3]}" for i in range(30)]
    (tmp_path / "in.csv").write_text("q,s\n" + "\n".join(rows) + "\n")
    (tmp_path / "p.yaml").write_text(f"requirements:\n  - {{qid: [q], sensitive: s, {said}}}\n")
    arguments = ["mask", tmp_path / "in.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.csv"]
    refused(*arguments, code=3, says=["p.yaml, line 2: ", says], hides=["HIV", "Flu", "Cold"])


def test_an_lkc_that_cannot_be_met_is_told_once(tmp_path: Path, refused: Callable[..., Result]) -> None:
    """Not once for each of its three subsets."""
    (tmp_path / "in.csv").write_text("a,b,c,s\n" + "x,y,z,HIV\n" * 3 + "x,y,z,Flu\n")
    (tmp_path / "p.yaml").write_text(
        "requirements:\n  - {lkc: {attributes: [a, b, c], L: 2}, k: 9, sensitive: {s: [HIV]}, confidence: 0.5}\n"
    )
    told = refused(
        *("mask", tmp_path / "in.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.csv"),
        code=3,
        says=[
            "k=9 cannot be met on any 2 of {a, b, c}: the whole table has 4 records",
            "`HIV` of `s` has a share of 0.7500",
        ],
        hides=["Flu"],
    )
    assert told.err.count("cannot be met") == 2
