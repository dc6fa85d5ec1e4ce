"""Records are suppressed alike on every engine, and later rows too."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file
from tests.engines.conftest import Place, in_order
from tests.engines.test_persons import policy as person_policy
from tests.engines.test_persons import visits
from tests.properties.tables import RARE_POLICY, rare_people


def table_with_gaps() -> pa.Table:
    """People of whom some have no job, and others one with a comma and quotes."""
    rows = rare_people().to_pylist()
    for row in rows:
        row["job"] = None if row["job"] == "a" else "b, \"x\\'"
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize("shown_as", ["removed", "root"])
def test_the_same_records_are_suppressed(place: Place, shown_as: str) -> None:
    table = table_with_gaps()
    policy: dict[str, Any] = {**RARE_POLICY, "suppress": {"share": "20%", "as": shown_as}}
    expected = maskwise.anonymize(table, policy)
    assert expected.suppressed is not None
    assert expected.suppressed.n_records > 0
    outcome, rows = place.anonymize(table, policy)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.suppressed == expected.suppressed
    assert in_order(rows) == in_order([tuple(row.values()) for row in expected.data.to_pylist()])
    data, engine = place.load(table)
    applied = maskwise.apply(data, expected.solution, place.target(), engine=engine)
    assert applied.n_suppressed == expected.suppressed.n_records
    assert in_order(place.rows(applied.data)) == in_order(rows)


def test_persons_are_suppressed_with_all_their_records(place: Place) -> None:
    table = visits(moving=False)
    policy = {**person_policy(), "suppress": "20%"}
    expected = maskwise.anonymize(table, policy)
    assert expected.suppressed is not None
    assert 0 < expected.suppressed.n_counted <= 12
    assert expected.suppressed.n_records > expected.suppressed.n_counted
    outcome, rows = place.anonymize(table, policy)
    assert outcome.suppressed == expected.suppressed
    assert outcome.verdict == expected.verdict
    assert outcome.verdict.n_persons == 60 - expected.suppressed.n_counted
    assert in_order(rows) == in_order([tuple(row.values()) for row in expected.data.to_pylist()])
