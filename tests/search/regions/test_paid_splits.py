"""Splits that give up records: what they cost, and when nobody is suppressed after all."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import InputError
from maskwise.policy.budget import Suppressed
from maskwise.search.regions import paid_splits
from maskwise.search.regions.search import BUDGET_BELOW_K, TOO_FEW_FOR_ROOTS
from maskwise.solution.suppression import Suppression

OPTIONS: dict[str, Any] = {"method": "regions", "effort": 1, "seed": 1, "boundaries": "exact"}
POLICY: dict[str, Any] = {
    "class": "cls",
    "attributes": {"age": {"interval": [0, 20]}},
    "requirements": [{"qid": ["age"], "k": 225}],
}


def two_classes() -> pa.Table:
    """300 young people of one class, and 120 older ones of the other: too few for k = 225."""
    age = np.arange(420) // 30
    return pa.table({"age": age, "cls": np.where(age < 10, "Y", "N")})


def masked(least_gain: float = paid_splits.LEAST_GAIN, **more: Any) -> maskwise.Outcome:
    with patch.object(paid_splits, "LEAST_GAIN", least_gain):
        return maskwise.anonymize(two_classes(), {**POLICY, **more}, **OPTIONS)


def test_a_part_that_is_too_small_is_suppressed_so_that_the_other_can_be_told() -> None:
    assert not masked().steps
    outcome = masked(suppress="29%")
    said = outcome.solution.suppression
    assert said is not None
    assert said.n_counted == said.n_records == 120
    assert set(outcome.data["age"].to_pylist()) == {"[0, 10)"}
    assert set(outcome.data["cls"].to_pylist()) == {"Y"}
    (suppressed,) = said.combinations
    assert suppressed.labels == (("[10, 20]",),)
    # Nothing is kept of the ages of those who are gone, half of the others' range.
    assert outcome.solution.curve[-1].information_kept == pytest.approx(0.5 * 300 / 420)


def test_no_more_than_the_budget_is_suppressed() -> None:
    """28 % are 117 records: some of the older ones stay beside the young."""
    outcome = masked(suppress="28%")
    assert outcome.solution.suppression is not None
    assert 0 < outcome.solution.suppression.n_counted <= 117
    assert "N" in outcome.data["cls"].to_pylist()


def test_a_split_that_gains_too_little_is_not_paid_for() -> None:
    assert masked(suppress="29%", least_gain=1e9).solution.suppression == Suppression(Suppressed.REMOVED, 0)


def test_a_budget_below_k_shows_nobody_as_roots() -> None:
    outcome = masked(suppress={"share": "29%", "as": "root"})
    assert outcome.solution.suppression == Suppression(Suppressed.ROOT, 0)
    assert not outcome.steps
    assert BUDGET_BELOW_K.format(121, 225) in [message.text for message in outcome.solution.messages]


def test_too_few_for_a_group_of_roots_are_not_suppressed() -> None:
    """The 120 older ones would be too few."""
    outcome = masked(suppress={"share": "60%", "as": "root"})
    assert outcome.solution.suppression == Suppression(Suppressed.ROOT, 0)
    assert not outcome.steps
    assert len(outcome.solution.curve) == 1
    assert set(outcome.data["age"].to_pylist()) == {"[0, 20]"}
    assert TOO_FEW_FOR_ROOTS in [message.text for message in outcome.solution.messages]


def test_enough_for_a_group_are_shown_as_roots() -> None:
    rng = np.random.default_rng(0)
    at = np.arange(1_500)
    job = np.where(rng.random(1_500) < 0.97, rng.choice(["x", "y"], 1_500), "rare")
    table = pa.table({"age": at // 10, "job": job, "cls": np.where(at % 100 < 80, "Y", "N")})
    policy = {
        **POLICY,
        "attributes": {"age": {"interval": [0, 200]}, "job": "suppress"},
        "requirements": [{"qid": ["age", "job"], "k": 70}, {"qid": ["job"], "k": 90}],
        "suppress": {"share": "20%", "as": "root"},
    }
    outcome = maskwise.anonymize(table, policy, method="regions", effort=1, seed=1)
    said = outcome.solution.suppression
    assert said is not None
    assert 90 <= said.n_counted <= 300
    assert [(row["age"], row["job"]) for row in outcome.data.to_pylist()].count(("[0, 200]", "*")) >= said.n_counted
    assert outcome.verdict.is_met
    assert len(outcome.data) == 1_500


def test_a_budget_and_earlier_releases_do_not_go_together() -> None:
    first = maskwise.anonymize(two_classes(), POLICY)
    with pytest.raises(InputError, match="earlier releases"):
        maskwise.anonymize(two_classes(), {**POLICY, "suppress": "5%"}, method="regions", against=[first.solution])
