"""The minimality attack: how sure an attacker becomes who knows that a template stopped a refinement."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.attacks import guard
from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.minimality import minimality
from maskwise.attacks.posterior_kernels import weigh_refused
from maskwise.attacks.searched import Searched
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.search.options import SearchOptions
from maskwise.table.read import read
from maskwise.values.message import Audience
from tests.reference.minimality import posterior, stopped

pytestmark = pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")

NURSES = pa.table({"Job": ["nurse"] * 2 + ["clerk"] * 5, "Ill": ["HIV"] * 2 + ["Flu"] * 5})
PERSONS = pa.table(
    {"Job": ["nurse", "clerk", "nurse", "clerk"], "Ill": ["HIV", "Flu", "Flu", "Flu"], "Who": ["a", "a", "b", "b"]}
)
TREE = {"Job": {"taxonomy": {"Any job": ["nurse", "clerk"]}}}
HIV = {"qid": ["Job"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5}


def searched(table: Any, policy: Any, **options: Any) -> Searched:
    return solve(read(table), read_policy(policy), SearchOptions(**options)).searched


def attacked(table: Any, policy: Any, **options: Any) -> Attack:
    return minimality(searched(table, policy, **options))


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(0, 12), st.integers(1, 9))
@settings(deadline=None)
def test_the_kernel_agrees_with_all_assignments(sizes: list[int], n_with: int, tenths: int) -> None:
    s = min(n_with, sum(sizes) - 1)
    children = [str(c) for c, m in enumerate(sizes) for _ in range(m)]
    bound = Fraction(tenths, 10)
    expected = np.empty(len(sizes))
    most = np.array([int(bound * m) for m in sizes])
    log_chance = weigh_refused(np.array(sizes), most, s, expected)
    naive = posterior([children], [s], bound)
    if naive is None:
        assert log_chance == -np.inf
    else:
        assert max(expected / np.array(sizes)) == pytest.approx(float(naive), abs=1e-9)


@pytest.mark.parametrize(("m", "most", "s"), [((1000, 1000), (900, 900), 1000), ((4000, 50), (3900, 49), 300)])
def test_a_chance_too_small_for_a_float_still_has_a_posterior(m: Any, most: Any, s: int) -> None:
    expected = np.empty(2)
    log_chance = weigh_refused(np.array(m), np.array(most), s, expected)
    assert -10_000 < log_chance < -100
    assert expected.sum() == pytest.approx(s)


@pytest.mark.parametrize("seed", range(5))
def test_many_children_agree_with_drawing_at_random(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(20, 200, 6)
    n, s = int(sizes.sum()), int(0.3 * sizes.sum())
    most = (sizes * 0.36).astype(np.int64)
    expected = np.empty(6)
    chance = np.exp(weigh_refused(sizes, most, s, expected))
    drawn = rng.multivariate_hypergeometric(sizes, s, size=60_000)
    is_refused = (drawn > most).any(axis=1)
    assert n > s
    assert chance == pytest.approx(is_refused.mean(), abs=0.01)
    assert expected == pytest.approx(drawn[is_refused].mean(axis=0), rel=0.02)


@pytest.mark.parametrize("method", ["tdr", "bug"])
def test_two_nurses_and_five_clerks(method: str) -> None:
    attack = attacked(NURSES, {"attributes": TREE, "requirements": [HIV]}, method=method)
    assert attack.result is AttackResult.FAILED
    assert attack.figure == pytest.approx(1.0)
    assert attack.bound == 0.5
    assert attack.details["release_shows"] == pytest.approx(2 / 7)
    assert "HIV" not in attack.text


def test_a_suppressed_value_is_a_refinement_of_its_own() -> None:
    table = pa.table({"Job": ["a"] * 3 + ["b"] * 4 + ["c"] * 6, "Ill": ["HIV"] * 3 + ["Flu"] * 10})
    attack = attacked(table, {"attributes": {"Job": "suppress"}, "requirements": [HIV]})
    # `c` is shown. Of the seven others three have it, so that one of `a` and `b` has more than half: 6 / 7 of a guess.
    assert attack.details["shown"] == "*"
    assert attack.figure == pytest.approx(by_counting([3, 4], 3, Fraction(1, 2)))


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(deadline=None)
def test_the_largest_posterior_is_that_of_plain_python(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    jobs, towns = ["a", "b", "c"], ["x", "y"]
    n = rng.randint(4, 9)
    rows = [{"Job": rng.choice(jobs), "Town": rng.choice(towns)} for _ in range(n)]
    for row in rows:
        row["value"] = rng.random() < (0.7 if row["Job"] == "a" else 0.2)  # type: ignore[assignment]
    ask = {"k": rng.choice([1, 2]), "bound": Fraction(rng.randint(4, 8), 10)}
    table = pa.table(
        {
            "Job": [row["Job"] for row in rows],
            "Town": [row["Town"] for row in rows],
            "Ill": ["HIV" if row["value"] else "Flu" for row in rows],
        }
    )
    trees = {"Job": {"taxonomy": {"Any job": jobs}}, "Town": {"taxonomy": {"Any town": towns}}}
    qid = ["Job", "Town"]
    policy = {
        "attributes": trees,
        "requirements": [
            {"qid": qid, "sensitive": {"Ill": ["HIV"]}, "confidence": str(ask["bound"])},
            {"qid": qid, "k": ask["k"]},
        ],
    }
    try:
        found = searched(table, policy)
    except maskwise.InfeasibleError:
        return
    shown = {cut.attribute: cut.labels for cut in found.solution.cuts}
    naive = []
    for attribute, other in (("Job", "Town"), ("Town", "Job")):
        if len(shown[attribute]) == 1:
            released = ["*" if len(shown[other]) == 1 else str(row[other]) for row in rows]
            children = {value: value for value in (jobs if attribute == "Job" else towns)}
            naive.append(stopped(rows, released, attribute, children, ask))
    posteriors = [one for one in naive if one is not None]
    attack = minimality(found)
    assert attack.details["stopped"] == len(posteriors)
    if posteriors:
        assert attack.figure == pytest.approx(float(max(posteriors)), abs=1e-9)
        assert (attack.result is AttackResult.FAILED) == (max(posteriors) > ask["bound"])


def ages(n_missing: int = 0) -> pa.Table:
    """The old are ill; what the search may split is known from the class."""
    age = [30, 31, 32, 33, 50, 51, 52, 53, 54, 55] * 3
    return pa.table(
        {
            "Age": [*age, *[None] * n_missing],
            "Ill": [*["Flu" if a < 40 else ("HIV" if a < 54 else "Flu") for a in age], *["Flu"] * n_missing],
            "Risk": [*["low" if a < 40 else "high" for a in age], *["low"] * n_missing],
        }
    )


def by_counting(sizes: list[int], s: int, bound: Fraction) -> float:
    """The largest posterior in one group, by all ways to spread the value over the children."""
    total, n_with = 0, [0] * len(sizes)
    for spread in itertools.product(*(range(min(m, s) + 1) for m in sizes)):
        if sum(spread) == s and any(x > bound * m for x, m in zip(spread, sizes, strict=True)):
            ways = math.prod(math.comb(m, x) for x, m in zip(spread, sizes, strict=True))
            total += ways
            n_with = [n + x * ways for n, x in zip(n_with, spread, strict=True)]
    return max(n / total / m for n, m in zip(n_with, sizes, strict=True))


AGE_POLICY = {
    "class": "Risk",
    "attributes": {"Age": {"interval": [30, 60]}},
    "requirements": [{"qid": ["Age"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5}],
}


@pytest.mark.parametrize("n_missing", [0, 4])
def test_an_interval_is_parted_as_the_search_would(n_missing: int) -> None:
    attack = attacked(ages(n_missing), AGE_POLICY, criterion="score")
    sizes = [12, 18, n_missing] if n_missing else [12, 18]
    assert attack.details["instead"] == ["[30, 40)", "[40, 60]", *["(missing)"] * bool(n_missing)]
    assert attack.figure == pytest.approx(by_counting(sizes, 12, Fraction(1, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("n_missing", [0, 4])
def test_where_any_split_may_be_tried_each_is_a_refinement(n_missing: int) -> None:
    attack = attacked(ages(n_missing), AGE_POLICY, criterion="conditional")
    assert attack.details["stopped"] > 1
    assert attack.figure is not None
    assert 0 < attack.figure <= 1


def test_without_a_template_there_is_nothing_to_attack() -> None:
    attack = attacked(NURSES, {"requirements": [{"qid": ["Job"], "k": 2}]})
    assert attack.result is AttackResult.NOT_RUN
    assert "no template" in attack.text


def test_what_k_stops_tells_nothing_of_the_value() -> None:
    attack = attacked(NURSES, {"attributes": TREE, "requirements": [HIV, {"qid": ["Job"], "k": 3}]})
    assert attack.result is AttackResult.PASSED
    assert attack.details["stopped"] == 0


def test_what_diversity_stops_tells_nothing_of_the_value() -> None:
    diverse = {"qid": ["Job"], "sensitive": "Ill", "diversity": {"distinct": 2}}
    attack = attacked(NURSES, {"attributes": TREE, "requirements": [HIV, diverse]})
    assert attack.details["stopped"] == 0


def test_one_record() -> None:
    table = pa.table({"Job": ["nurse"], "Ill": ["Flu"]})
    assert attacked(table, {"attributes": TREE, "requirements": [HIV]}).result is AttackResult.PASSED


def test_a_union_is_one_value() -> None:
    table = pa.table({"Job": NURSES["Job"], "Ill": ["B20", "Z21", *["Flu"] * 5]})
    union = {"qid": ["Job"], "sensitive": {"Ill": {"any": ["B2*", "Z21"]}}, "confidence": 0.5}
    attack = attacked(table, {"attributes": TREE, "requirements": [union]})
    assert attack.figure == pytest.approx(1.0)


def test_of_several_templates_the_attacker_knows_which_broke() -> None:
    both = {"qid": ["Job"], "sensitive": {"Ill": {"HIV": 0.5, "Flu": 0.9}}}
    attack = attacked(NURSES, {"attributes": TREE, "requirements": [both]})
    # That Flu broke its bound makes it 10 / 11 for a nurse; that HIV did is certain for both nurses.
    assert (attack.figure, attack.bound) == (pytest.approx(1.0), 0.5)


def test_persons_in_several_groups_are_not_attacked() -> None:
    attack = attacked(PERSONS, {"person": "Who", "attributes": TREE, "requirements": [HIV]})
    assert attack.result is AttackResult.NOT_RUN
    assert "several groups" in attack.text


def visits_of(table: pa.Table) -> pa.Table:
    """Several records of each person: with the value once, if at all, and never on another quasi-identifier."""
    rows = [
        {**row, "Who": str(who), "Ill": row["Ill"] if visit == who % 3 else "Flu"}
        for who, row in enumerate(table.to_pylist())
        for visit in range(3)
    ]
    return pa.Table.from_pylist(rows)


def test_persons_with_several_records_in_one_group_are_attacked_as_one_record_each() -> None:
    policy = {"attributes": TREE, "requirements": [HIV]}
    once, often = attacked(NURSES, policy), attacked(visits_of(NURSES), {**policy, "person": "Who"})
    assert (often.result, often.figure) == (AttackResult.FAILED, pytest.approx(by_counting([2, 5], 2, Fraction(1, 2))))
    assert (often.figure, often.details) == (once.figure, once.details)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 4])
def test_persons_with_several_records_in_one_group_are_guarded(seed: int) -> None:
    template = {"qid": ["Job", "Age"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.6}
    policy = {"class": "Risk", "person": "Who", "requirements": [template]}
    table = visits_of(random_table(seed))
    assert attacked(table, policy).result is AttackResult.FAILED
    assert attacked(table, {**policy, "minimality": "guard"}).result is AttackResult.PASSED


def test_a_dropped_column_is_attacked_all_the_same() -> None:
    outcome = maskwise.anonymize(NURSES, {"attributes": TREE, "requirements": [HIV], "drop": ["Ill"]})
    (attack,) = [one for one in outcome.attacks if one.name == "minimality"]
    assert attack.figure == pytest.approx(1.0)
    assert any("minimality attack succeeds" in text for text in outcome.warnings)


def random_table(seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    job, age = rng.choice(["a", "b", "c", "d"], 400), rng.integers(20, 70, 400)
    ill = rng.random(400) < 0.1 + 0.5 * (job == "a") + 0.3 * (age > 50)
    return pa.table({"Job": job, "Age": age, "Ill": np.where(ill, "HIV", "Flu"), "Risk": np.where(age > 45, "h", "l")})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ["tdr", "bug"])
def test_a_guarded_release_withstands_the_attack(seed: int, method: str) -> None:
    template = {"qid": ["Job", "Age"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.6}
    policy = {"class": "Risk", "requirements": [template], "minimality": "guard"}
    outcome = maskwise.anonymize(random_table(seed), policy, method=method)
    (attack,) = [one for one in outcome.attacks if one.name == "minimality"]
    assert attack.result is AttackResult.PASSED
    assert outcome.verdict.is_met
    assert outcome.solution.reached[0].requirement.confidences == (Fraction(3, 5),)


def test_a_guard_says_what_it_searched_with_to_the_owner_only() -> None:
    outcome = maskwise.anonymize(NURSES, {"attributes": TREE, "requirements": [HIV], "minimality": "guard"})
    (note,) = [message for message in outcome.messages if "minimality attack" in message.text]
    assert note.for_recipient is None
    assert f"{float(guard.TIGHTER**3):.4g} times" in note.text


def test_a_guard_without_templates_is_a_mistake() -> None:
    with pytest.raises(maskwise.PolicyError, match="has none"):
        read_policy({"requirements": [{"qid": ["Job"], "k": 2}], "minimality": "guard"})
    with pytest.raises(maskwise.PolicyError, match="one of `check`, `guard`"):
        read_policy({"requirements": [HIV], "minimality": "gard"})


def test_a_guard_that_cannot_be_kept_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    always = Attack("minimality", "", AttackResult.FAILED, "", Audience.OWNER, 0.9, 0.5)
    monkeypatch.setattr(guard, "minimality", lambda _: always)
    with pytest.raises(maskwise.InfeasibleError, match=r"0\.9000, and 0\.5 is allowed"):
        maskwise.anonymize(NURSES, {"attributes": TREE, "requirements": [HIV], "minimality": "guard"})


def test_a_guard_that_cannot_be_checked_releases_nothing() -> None:
    policy = {"person": "Who", "attributes": TREE, "requirements": [HIV], "minimality": "guard"}
    with pytest.raises(maskwise.InputError, match="several groups of a quasi-identifier") as refused:
        maskwise.anonymize(PERSONS, policy)
    assert "so nothing is released" in str(refused.value)
    assert "minimality: check" in str(refused.value)


def test_a_check_leaves_the_hash_of_a_policy_as_it_was() -> None:
    plain = read_policy({"requirements": [HIV]})
    assert read_policy({"requirements": [HIV], "minimality": "check"}).fingerprint() == plain.fingerprint()
    assert read_policy({"requirements": [HIV], "minimality": "guard"}).fingerprint() != plain.fingerprint()
