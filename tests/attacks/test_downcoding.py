"""Downcoding: what maximality and labels tell of hidden cells."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.attacks.attack import AttackResult
from maskwise.attacks.downcoding import bits_of_maximality, downcoding, labels_that_tell
from maskwise.attacks.downcoding_kernels import chance_of_sizes
from maskwise.datasets import adult_folder
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.search.options import SearchOptions
from maskwise.table.read import read


def searched(table: Any, policy: Any, **options: Any) -> Any:
    return solve(read(table), read_policy(policy), SearchOptions(**options)).searched


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share", "k"), [(10, 0.3, 3), (10, 0.5, 6), (40, 0.01, 1), (400, 0.2, 50)])
def test_the_chance_of_sizes_is_a_sum_of_binomials(n: int, share: float, k: int) -> None:
    allowed = [x for x in range(n + 1) if x in {0, n} or k <= x <= n - k]
    chance = sum(math.comb(n, x) * share**x * (1 - share) ** (n - x) for x in allowed)
    assert chance_of_sizes(n, share, k) == pytest.approx(chance)


def test_the_bits_are_those_of_all_placements() -> None:
    """One attribute of two values that stays masked, in two groups: all placements of raw values are looked at."""
    table = pa.table({"Town": ["x"] * 6 + ["y"] * 6, "Job": list("aaaaabbbbbba")})
    trees = {"Town": {"taxonomy": {"Any": ["x", "y"]}}, "Job": {"taxonomy": {"All": ["a", "b"]}}}
    policy = {"attributes": trees, "requirements": [{"qid": ["Town", "Job"], "k": 3}]}
    found = searched(table, policy)
    shown = {cut.attribute: cut.labels for cut in found.solution.cuts}
    assert sorted(len(labels) for labels in shown.values()) == [1, 2]
    n_valid = 0
    for jobs in itertools.product("ab", repeat=12):
        parts = [jobs[start : start + 6].count("a") for start in (0, 6)]
        n_valid += all(x in {0, 6} or x == 3 for x in parts)
    # Both raw values have half of the records, so that all placements are equally likely.
    assert bits_of_maximality(found) == pytest.approx(-math.log2(1 - n_valid / 2**12))


def test_an_attribute_in_one_group_alone_tells_what_its_split_tells() -> None:
    table = pa.table({"Job": ["a"] * 5 + ["b"] * 4})
    found = searched(
        table, {"attributes": {"Job": {"taxonomy": {"All": ["a", "b"]}}}, "requirements": [{"qid": ["Job"], "k": 5}]}
    )
    # A value with fewer than k records is known never to be shown, so nothing follows.
    assert downcoding(found).figure == 0.0


def test_the_last_hidden_value_alone_is_no_refinement_left() -> None:
    """Of a suppressed attribute all values but one are shown, so that `*` is known to be that one."""
    table = pa.table({"Job": list("ab") * 20, "Risk": ["hi", "lo"] * 20})
    policy = {"class": "Risk", "attributes": {"Job": "suppress"}, "requirements": [{"qid": ["Job"], "k": 5}]}
    found = searched(table, policy)
    assert [cut.labels for cut in found.solution.cuts] == [("a", "*")]
    assert bits_of_maximality(found) == 0.0


def test_it_is_not_run_where_nothing_follows() -> None:
    table = pa.table({"Job": ["a"] * 5 + ["b"] * 5})
    policy = {"requirements": [{"qid": ["Job"], "k": 2}]}
    assert downcoding(searched(table, policy, method="bug")).result is AttackResult.NOT_RUN
    assert downcoding(searched(table, policy, max_steps=0)).result is AttackResult.NOT_RUN
    assert downcoding(searched(table, policy)).result is AttackResult.PASSED


def test_labels_are_counted_by_raw_values() -> None:
    rng = np.random.default_rng(0)
    hours = np.concatenate([np.full(970, 40), np.full(30, 41), rng.integers(1, 30, 200), rng.integers(50, 90, 200)])
    risk = np.where(hours < 40, "l", np.where(hours < 45, "m", "h"))
    table = pa.table({"Hours": hours, "Risk": risk, "Job": ["a"] * 700 + ["b"] * 696 + ["c"] * 4})
    policy = {
        "class": "Risk",
        "attributes": {"Hours": {"interval": [0, 99]}, "Job": "suppress"},
        "requirements": [{"qid": ["Hours"], "k": 20}, {"qid": ["Job"], "k": 500}],
    }
    found = searched(table, policy)
    attack = labels_that_tell(found)
    told = hidden = 0
    by_label: dict[str, list[int]] = {}
    for hour in hours.tolist():
        by_label.setdefault(found.solution.cut("Hours").show_number(hour), []).append(hour)
    for label in by_label.values():
        most = max(label.count(hour) for hour in set(label))
        hidden += len(label)
        told += len(label) if most >= 0.95 * len(label) else 0
    cut = found.solution.cut("Job")
    hidden_jobs = [job for job in table["Job"].to_pylist() if cut.show_text(job) != job]
    hidden += len(hidden_jobs)
    if hidden_jobs and max(map(hidden_jobs.count, set(hidden_jobs))) >= 0.95 * len(hidden_jobs):
        told += len(hidden_jobs)
    assert told
    assert attack.figure == pytest.approx(told / hidden)
    assert attack.result is AttackResult.MEASURED
    assert sum(one["records"] for one in attack.details["labels"]) == told


def test_a_missing_cell_is_a_raw_value() -> None:
    table = pa.table({"Job": [*["a"] * 30, None]})
    found = searched(
        table, {"attributes": {"Job": {"taxonomy": {"All": ["a", "b"]}}}, "requirements": [{"qid": ["Job"], "k": 2}]}
    )
    attack = labels_that_tell(found)
    assert attack.details["labels"] == [
        {"attribute": "Job", "label": "All", "records": 31, "share": pytest.approx(30 / 31)}
    ]


def test_a_table_of_one_record_hides_nothing() -> None:
    found = searched(pa.table({"Age": [30]}), {"requirements": [{"qid": ["Age"], "k": 1}]})
    assert labels_that_tell(found).result is AttackResult.NOT_RUN


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
def test_in_the_demo_maximality_tells_next_to_nothing_and_labels_tell_a_lot() -> None:
    outcome = maskwise.anonymize(adult_folder() / "adult.parquet", adult_folder() / "policy.yaml", criterion="score")
    attacks = {one.name: one for one in outcome.attacks}
    assert attacks["downcoding"].figure is not None
    assert attacks["downcoding"].figure < 0.1
    assert attacks["labels"].figure == pytest.approx(0.152, abs=0.01)
    assert attacks["labels"].details["labels"][0]["label"] == "[39, 41)"
