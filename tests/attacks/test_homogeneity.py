"""Homogeneity and skew: counted in the engine as plain Python counts them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.attacks.attack import AttackResult
from maskwise.attacks.homogeneity import NEARLY_ALL, count_alike, largest_qids
from maskwise.formats.policy_file import read_policy
from maskwise.table.read import read
from maskwise.values.message import Audience

pytestmark = pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")

ROWS = st.lists(
    st.tuples(st.sampled_from(["x", "y", None]), st.sampled_from(["p", "q"]), st.sampled_from(["a", "b", None])),
    min_size=1,
    max_size=40,
)


def alike(rows: list[tuple[Any, ...]]) -> tuple[float, float, float, float]:
    """The share of records in groups of one value, of nearly one, of one that is rare, and the largest increase."""
    groups: dict[Any, Counter[Any]] = {}
    whole: Counter[Any] = Counter()
    for *key, value in rows:
        groups.setdefault(tuple(key), Counter())[value] += 1
        whole[value] += 1
    n = len(rows)
    rare = {value for value, count in whole.items() if count < NEARLY_ALL * n}
    tops = [(sum(group.values()), *group.most_common(1)[0]) for group in groups.values()]
    same = sum(size for size, _, count in tops if count == size)
    nearly = sum(size for size, _, count in tops if count >= NEARLY_ALL * size)
    new = sum(size for size, value, count in tops if value in rare and count == size)
    skew = max(
        count / sum(group.values()) - whole[value] / n for group in groups.values() for value, count in group.items()
    )
    return same / n, nearly / n, new / n, max(skew, 0.0)


@pytest.mark.slow
@given(ROWS)
@settings(deadline=None)
def test_it_is_counted_as_in_plain_python(rows: list[tuple[Any, ...]]) -> None:
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate("ABS")})
    found = count_alike(read(table), ("A", "B"), "S")
    assert (found.same, found.nearly_same, found.new, found.skew) == pytest.approx(alike(rows))


def test_only_the_largest_quasi_identifiers_are_looked_at() -> None:
    asked = [{"qid": ["A"], "k": 2}, {"qid": ["B", "A"], "k": 2}, {"qid": ["A", "B"], "k": 3}, {"qid": ["C"], "k": 2}]
    policy = read_policy({"requirements": asked})
    assert largest_qids(policy) == (("B", "A"), ("C",))


PEOPLE = pa.table({"Town": ["x"] * 4 + ["y"] * 4, "Ill": ["Flu"] * 4 + ["Flu", "HIV", "Flu", "Gout"]})
POLICY = {
    "attributes": {"Town": {"taxonomy": {"Any": ["x", "y"]}}},
    "requirements": [{"qid": ["Town"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5}, {"qid": ["Town"], "k": 2}],
}


def test_a_group_of_one_illness_is_found_and_its_value_is_not_named() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY)
    attacks = {one.name: one for one in outcome.attacks}
    assert attacks["homogeneity"].result is AttackResult.FAILED
    assert attacks["homogeneity"].figure == 0.5
    assert attacks["homogeneity"].audience is Audience.RECIPIENT
    assert "Flu" not in attacks["homogeneity"].text
    assert attacks["skew"].figure == pytest.approx(1 - 6 / 8)
    assert any("homogeneity attack succeeds" in text for text in outcome.warnings)


def test_of_a_dropped_column_only_the_owner_reads() -> None:
    outcome = maskwise.anonymize(PEOPLE, {**POLICY, "drop": ["Ill"]})
    (found,) = [one for one in outcome.attacks if one.name == "homogeneity"]
    assert (found.figure, found.audience) == (0.5, Audience.OWNER)
    (missing,) = [one for one in maskwise.attack(outcome.data, POLICY) if one.name == "homogeneity"]
    assert missing.result is AttackResult.NOT_RUN
    assert "not in the release" in missing.text


def test_the_class_is_meant_to_be_told() -> None:
    policy = {"class": "Ill", "attributes": POLICY["attributes"], "requirements": [{"qid": ["Town"], "k": 2}]}
    outcome = maskwise.anonymize(PEOPLE, policy)
    assert not [one for one in outcome.attacks if one.name == "homogeneity"]
    (found,) = [one for one in maskwise.attack(outcome.data, policy) if one.name == "homogeneity"]
    assert found.result is AttackResult.PASSED
    assert found.figure == 0.5


def test_a_masked_sensitive_column_is_not_counted() -> None:
    policy = {**POLICY, "requirements": [*POLICY["requirements"], {"qid": ["Ill"], "k": 2}]}  # type: ignore[misc]
    outcome = maskwise.anonymize(PEOPLE, policy)
    (found,) = [one for one in outcome.attacks if one.name == "homogeneity"]
    assert found.result is AttackResult.NOT_RUN


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("xy"), st.sampled_from("ab")), min_size=1, max_size=20)
)
@settings(deadline=None)
def test_persons_are_counted_as_in_plain_python(rows: list[tuple[str, str, str]]) -> None:
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(["Who", "A", "S"])})
    found = count_alike(read(table), ("A",), "S", "Who")
    everybody = {who for who, _, _ in rows}
    same, nearly, new, n, skew = 0, 0, 0, 0, 0.0
    for key in {a for _, a, _ in rows}:
        group = {who for who, a, _ in rows if a == key}
        n += len(group)
        shares = {v: len({w for w, a, s in rows if (a, s) == (key, v)}) / len(group) for v in "ab"}
        whole = {v: len({w for w, _, s in rows if s == v}) / len(everybody) for v in "ab"}
        same += len(group) * (max(shares.values()) == 1)
        nearly += len(group) * (max(shares.values()) >= NEARLY_ALL)
        new += len(group) * any(shares[v] == 1 and whole[v] < NEARLY_ALL for v in "ab")
        skew = max(skew, *(shares[v] - whole[v] for v in "ab" if shares[v]))
    expected = (same / n, nearly / n, new / n, skew)
    assert (found.same, found.nearly_same, found.new, found.skew) == pytest.approx(expected)


def test_a_group_of_persons_who_all_have_one_illness_is_found() -> None:
    """Each person of group 0 has been ill with flu, once or more often, and two of them with something else, too."""
    ill = [("Flu", 0), ("Flu", 0), ("Cold", 0), ("Flu", 1), ("HIV", 1), ("Flu", 2), ("Cold", 3), ("HIV", 4), ("HIV", 5)]
    table = pa.table(
        {"who": [who for _, who in ill], "A": ["x" if who < 3 else "y" for _, who in ill], "S": [s for s, _ in ill]}
    )
    policy = {
        "person": "who",
        "requirements": [{"qid": ["A"], "k": 3}, {"qid": ["A"], "sensitive": {"S": ["HIV"]}, "confidence": 0.9}],
    }
    outcome = maskwise.anonymize(table, policy)
    (found,) = [one for one in outcome.attacks if one.name == "homogeneity"]
    assert (found.result, found.figure, found.audience) == (AttackResult.FAILED, 0.5, Audience.OWNER)
    assert "50.00 % of the persons are in groups in which everybody has one value" in found.text
    (alone,) = [one for one in maskwise.attack(outcome.data, policy) if one.name == "homogeneity"]
    assert alone.result is AttackResult.PASSED
    assert "of the records" in alone.text
