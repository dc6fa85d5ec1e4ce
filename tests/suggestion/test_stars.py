"""A draft for a table that was masked before, with cells that are `*`, runs as it is."""

from __future__ import annotations

import random

import pyarrow as pa

import maskwise


def test_a_column_with_stars_gets_no_tree_that_is_made_of_the_table() -> None:
    rng = random.Random(3)  # noqa: S311 - test data
    table = pa.table(
        {
            "city": [rng.choice(["*", "Ulm", "Bonn", "Kiel", "Jena"]) for _ in range(200)],
            "sex": [rng.choice("FM") for _ in range(200)],
            "age": [rng.randrange(20, 80) for _ in range(200)],
        }
    )
    drafted = maskwise.suggest(table).policy
    assert maskwise.anonymize(table, drafted).verdict.is_met
