"""What labels tell of hidden cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.attacks.attack import AttackResult
from maskwise.attacks.labels import labels_that_tell
from maskwise.datasets import adult_folder
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.search.options import SearchOptions
from maskwise.table.read import read


def searched(table: Any, policy: Any, **options: Any) -> Any:
    return solve(read(table), read_policy(policy), SearchOptions(**options)).searched


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
def test_in_the_demo_labels_tell_a_lot() -> None:
    outcome = maskwise.anonymize(adult_folder() / "adult.parquet", adult_folder() / "policy.yaml", criterion="score")
    attacks = {one.name: one for one in outcome.attacks}
    assert "downcoding" not in attacks
    assert attacks["labels"].figure == pytest.approx(0.152, abs=0.01)
    assert attacks["labels"].details["labels"][0]["label"] == "[39, 41)"
