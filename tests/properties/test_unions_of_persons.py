"""Unions and groups of sensitive values, counted by persons: brute force on random tables."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from tests.reference import privacy_models as models

CODES = ("B20", "B21", "Z21", "J45", "J10")
records = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from(CODES), st.integers(0, 9)),
    min_size=4,
    max_size=60,
)
UNION = {"qid": ["q", "r"], "sensitive": {"ill": {"any": ["B*", "Z21"]}}, "confidence": "1/2"}
DIVERSE = {"qid": ["q", "r"], "sensitive": "ill", "diversity": {"entropy": "3/2"}, "by": "prefix 1"}
Rows = list[tuple[str, str, str, int]]


def groups_of(rows: Rows) -> dict[Any, Rows]:
    found: dict[Any, Rows] = {}
    for row in rows:
        found.setdefault(row[:2], []).append(row)
    return found


def largest_share(rows: Rows) -> float:
    """The largest share of the persons of a group who have a protected code there."""
    return max(
        len({person for *_, ill, person in group if ill[0] in "BZ"}) / len({row[3] for row in group})
        for group in groups_of(rows).values()
    )


def least_diversity(rows: Rows) -> float:
    """The smallest 2 ** entropy over the first letters, each counted once for a person."""

    def of_group(group: Rows) -> float:
        n = Counter(letter for letter, _ in {(row[2][0], row[3]) for row in group})
        shares = [count / sum(n.values()) for count in n.values()]
        entropy = -sum(share * math.log2(share) for share in shares)
        # A person counts for each of its values: a group is no more diverse than one value each could make it.
        return float(2 ** min(entropy, models.most_bits([*n.values()], len({row[3] for row in group}))))

    return min(of_group(group) for group in groups_of(rows).values())


def table_of(rows: Rows) -> pa.Table:
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(("q", "r", "ill", "id"))})


@settings(max_examples=15, deadline=None)
@given(records)
def test_an_audit_agrees(rows: Rows) -> None:
    verdict = maskwise.audit(table_of(rows), {"person": "id", "requirements": [UNION, DIVERSE]})
    shares, diversity = verdict.findings
    assert shares.figure == pytest.approx(largest_share(rows))
    assert diversity.figure == pytest.approx(least_diversity(rows))


@settings(max_examples=12, deadline=None)
@given(records, st.sampled_from([UNION, DIVERSE]))
def test_a_release_keeps_the_bound(rows: Rows, asked: dict[str, Any]) -> None:
    policy = {"person": "id", "attributes": {"q": "suppress", "r": "suppress"}, "requirements": [asked]}
    try:
        outcome = maskwise.anonymize(table_of(rows), policy, keep_order=True)
    except maskwise.InfeasibleError:
        whole = [("*", "*", *row[2:]) for row in rows]
        is_met = largest_share(whole) <= 0.5 if asked is UNION else least_diversity(whole) >= 1.5 - 1e-9
        assert not is_met
        return
    shown = [(*pair, *row[2:]) for pair, row in zip(zip(*outcome.data.columns[:2], strict=True), rows, strict=True)]
    plain = [(str(q), str(r), ill, person) for q, r, ill, person in shown]
    if asked is UNION:
        assert largest_share(plain) <= 0.5
    else:
        assert least_diversity(plain) >= 1.5 - 1e-9
