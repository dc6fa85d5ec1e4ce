"""A draft of a policy is the same on every engine."""

from __future__ import annotations

import pyarrow as pa

import maskwise
from tests.engines.conftest import Place
from tests.suggestion.made_tables import all_tables


def test_a_draft_is_duckdbs(other_place: Place) -> None:
    (made,) = [table for table in all_tables(150) if table.name == "visits"]
    table = pa.table(
        {**made.cells, "age": [20.5 + i % 60 for i in range(150)], "smoker": [i % 3 == 0 for i in range(150)]}
    )
    expected = maskwise.suggest(table)
    data, engine = other_place.load(table)
    found = maskwise.suggest(data, engine=engine)
    assert found.columns == expected.columns
    assert found.data == expected.data
    assert found.search == expected.search
