"""Splits that give up records: what they cost, and when nobody is suppressed after all."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import InputError
from maskwise.policy.budget import Suppressed
from maskwise.search.regions import paid_splits, variants
from maskwise.search.regions import search as region_search
from maskwise.search.regions.growth import Growth
from maskwise.search.regions.search import BUDGET_BELOW_K, TOO_FEW_FOR_ROOTS
from maskwise.solution.solution import Ending
from maskwise.solution.suppression import Suppression
from maskwise.values.message import Audience, Level

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


@pytest.mark.slow
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


def crossed_jobs() -> tuple[pa.Table, dict[str, Any]]:
    """Four jobs, each with 300 people of one age and class and 60 of the others: alone age tells nothing."""
    job, age, classes = [], [], []
    for i, name in enumerate("ABCD"):
        is_other = np.arange(360) >= 300
        job += [name] * 360
        age += np.where(is_other ^ (i % 2 == 0), 150, 50).tolist()
        classes += np.where(is_other ^ (i < 2), "Y", "N").tolist()
    policy = {
        "class": "cls",
        "attributes": {"age": {"interval": [0, 200]}, "job": "suppress"},
        "requirements": [{"qid": ["age", "job"], "k": 130}, {"qid": ["job"], "k": 125}],
    }
    return pa.table({"age": age, "job": job, "cls": classes}), policy


@pytest.mark.slow
@pytest.mark.parametrize("most_steps", [*range(1, 6), None])
def test_those_who_are_shown_as_roots_are_a_group_by_themselves(most_steps: int | None) -> None:
    """Also where a search is stopped: the 60 or 120 of one or two jobs are too few."""
    table, policy = crossed_jobs()
    policy["suppress"] = {"share": "20%", "as": "root"}
    outcome = maskwise.anonymize(table, policy, keep_order=True, max_steps=most_steps, **OPTIONS)
    said = outcome.solution.suppression
    assert said is not None
    assert said.n_counted in ((240,) if most_steps is None else (0, 240))
    shown = [(row["age"], row["job"]) for row in outcome.data.to_pylist()]
    assert shown.count(("[0, 200]", "*")) >= said.n_counted
    assert len(outcome.solution.steps) == len(outcome.solution.curve) - 1
    again = maskwise.apply(table, outcome.solution, keep_order=True)
    assert again.data.equals(outcome.data)
    assert again.n_suppressed == said.n_counted


@pytest.mark.slow
@pytest.mark.parametrize("n_looks", range(1, 12, 2))
def test_a_search_that_runs_out_of_time_releases_nobody_who_is_alone(n_looks: int) -> None:
    table, policy = crossed_jobs()
    policy["suppress"] = {"share": "20%", "as": "root"}
    looks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: 0.0 if next(looks) <= n_looks else 100.0)
    with patch.object(region_search, "time", clock):
        outcome = maskwise.anonymize(table, policy, time_limit=50, **OPTIONS)
    assert outcome.solution.suppression is not None
    assert outcome.solution.suppression.n_counted in (0, 240)
    assert outcome.solution.ending is Ending.TIME


@pytest.mark.slow
def test_persons_are_suppressed_with_all_their_records() -> None:
    table, policy = crossed_jobs()
    table = table.append_column("person", pa.array([f"n{i}" for i in range(len(table))]))
    policy |= {"suppress": "20%", "person": {"column": "person", "release": "drop"}}
    outcome = maskwise.anonymize(pa.concat_tables([table, table]), policy, **OPTIONS)
    assert outcome.suppressed is not None
    assert (outcome.suppressed.n_counted, outcome.suppressed.n_records) == (240, 480)
    assert len(outcome.data) == 2_400
    assert outcome.verdict.n_persons == 1_200


def test_the_owner_is_warned_if_a_class_is_hit() -> None:
    rare = two_classes().slice(0, 340)
    outcome = maskwise.anonymize(rare, {**POLICY, "suppress": "12%"}, **OPTIONS)
    assert outcome.suppressed is not None
    assert [(part.value, part.n_suppressed) for part in outcome.suppressed.parts] == [("N", 40), ("Y", 0)]
    (warning,) = (one for one in outcome.messages if one.level is Level.WARNING and "suppress" in one.text.lower())
    assert warning.audience is Audience.OWNER
    assert "`cls`" in warning.text


@pytest.mark.slow
@pytest.mark.parametrize(("loss_of_paying", "n_counted"), [(0.5, 240), (1.0, 0), (1.5, 0)])
def test_nobody_is_suppressed_where_folds_are_not_predicted_better(loss_of_paying: float, n_counted: int) -> None:
    table, policy = crossed_jobs()

    def losses(growth: Growth, *at: Any) -> Any:
        return np.full(len(at[-1]), loss_of_paying if growth.suppressed else 1.0)

    with patch.object(variants, "_losses", losses):
        outcome = maskwise.anonymize(table, {**policy, "suppress": "20%"}, **OPTIONS | {"effort": 2})
    assert outcome.solution.suppression is not None
    assert outcome.solution.suppression.n_counted == n_counted
    notes = " ".join(message.text for message in outcome.solution.messages)
    assert f"Records {'may be' if n_counted else 'are not'} suppressed" in notes


def test_closeness_by_order_and_removed_records_do_not_go_together() -> None:
    table = two_classes().append_column("pain", pa.array([i % 3 for i in range(420)]))
    asked = {"qid": ["age"], "sensitive": "pain", "closeness": 0.3, "distance": "ordered"}
    policy = {**POLICY, "requirements": [*POLICY["requirements"], asked], "suppress": "5%"}
    with pytest.raises(InputError, match="as: root"):
        maskwise.anonymize(table, policy, **OPTIONS)


def test_a_budget_and_earlier_releases_do_not_go_together() -> None:
    first = maskwise.anonymize(two_classes(), POLICY)
    with pytest.raises(InputError, match="earlier releases"):
        maskwise.anonymize(two_classes(), {**POLICY, "suppress": "5%"}, method="regions", against=[first.solution])
