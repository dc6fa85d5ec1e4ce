"""The counts of a column's values, kept inside the engine until they are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from maskwise.engines.choose import choose
from maskwise.engines.sql import Engine
from maskwise.engines.value_counts import ValueCounts

AGES = [1, 1, 2, 3, 3, 3, 4, None, 5, 5]
TEXTS = ["7", "8", "8", "9", "north", "7", None, "7", "10", "8"]
CLASSES = list("yynnynyyny")


@pytest.fixture
def engine() -> Iterator[Engine]:
    started, _ = choose(None)
    yield started
    started.close()


def counted(engine: Engine, *, by_class: bool = True) -> ValueCounts:
    table = engine.scan(pa.table([AGES, TEXTS, CLASSES], names=["age", "text", "class"]))
    return engine.group_each(table, [table.c0, table.c1], table.c2 if by_class else None)


def as_counter(counts: pa.Table | None) -> Counter[tuple[Any, ...]]:
    assert counts is not None
    found: Counter[tuple[Any, ...]] = Counter()
    for *key, n in zip(*(column.to_pylist() for column in counts.columns), strict=True):
        found[tuple(key)] += n
    return found


def test_each_column_is_counted_by_class(engine: Engine) -> None:
    ages, texts = counted(engine).up_to(100)
    assert as_counter(ages) == Counter(zip(AGES, CLASSES, strict=True))
    assert as_counter(texts) == Counter(zip(TEXTS, CLASSES, strict=True))


def test_without_a_class_values_are_counted_alone(engine: Engine) -> None:
    ages, _ = counted(engine, by_class=False).up_to(100)
    assert as_counter(ages) == Counter((age,) for age in AGES)


def test_a_column_with_far_more_values_is_left_out(engine: Engine) -> None:
    table = engine.scan(pa.table({"many": range(50), "few": [1, 2] * 25}))
    counts = engine.group_each(table, [table.c0, table.c1], None)
    many, few = counts.up_to(2)
    assert many is None
    assert as_counter(few) == {(1,): 25, (2,): 25}
    assert as_counter(counts.all_of(0)) == {(i,): 1 for i in range(50)}


def test_values_classes_and_missing_cells_are_told(engine: Engine) -> None:
    counts = counted(engine)
    assert (counts.n_values(0), counts.n_values(1)) == (5, 5)
    assert sorted(counts.classes()) == ["n", "y"]
    assert (counts.type_of(0), counts.type_of(1)) == (pa.int64(), pa.string())
    assert as_counter(counts.missing(0)) == {(None, "y"): 1}


def test_texts_are_matched_by_patterns(engine: Engine) -> None:
    counts = counted(engine)
    # Four of five texts are numbers; one record holds another text. One text is long, in one record.
    assert counts.matching(1, ["^[0-9]+$", "^[0-9]{2}$"]) == [(4, 1), (1, 8)]
    assert counts.odd_texts(1, "^[0-9]+$", 10).to_pylist() == ["north"]


def test_numbers_up_to_the_limit_are_counted_one_by_one(engine: Engine) -> None:
    ranged = counted(engine).ranged(0, 5, None)
    assert (ranged.n_numbers, max(ranged.tops.column(1).to_pylist()), ranged.n_odd) == (5, 5, 0)
    present = [pair for pair in zip(AGES, CLASSES, strict=True) if pair[0] is not None]
    assert as_counter(ranged.groups) == Counter(present)


def test_more_numbers_are_counted_by_quantiles(engine: Engine) -> None:
    ranged = counted(engine, by_class=False).ranged(0, 3, None)
    # Of 9 records, 0 are below 1, 2 below 2, 3 below 3, 6 below 4 and 7 below 5: ranges 0, 0, 1, 2, 2.
    assert as_counter(ranged.groups) == {(1,): 3, (3,): 3, (4,): 3}
    assert ranged.n_numbers == 5


def test_texts_that_are_no_numbers_are_counted_and_stop_the_rest(engine: Engine) -> None:
    ranged = counted(engine).ranged(1, 100, "int64")
    assert ranged.n_odd == 1
    assert ranged.groups.num_rows == 0


def test_infinite_numbers_are_odd(engine: Engine) -> None:
    table = engine.scan(pa.table({"x": [1.0, float("inf"), 2.0]}))
    assert engine.group_each(table, [table.c0], None).ranged(0, 100, None).n_odd == 1


def test_only_frequent_values_are_fetched_and_totals_tell_the_rest(engine: Engine) -> None:
    counts = counted(engine)
    frequent = as_counter(counts.frequent(1, 3))
    assert {key for key, _ in frequent} == {"7", "8"}
    assert sum(frequent.values()) == 6
    totals = as_counter(counts.totals(1))
    assert totals == Counter((c,) for text, c in zip(TEXTS, CLASSES, strict=True) if text is not None)


def test_a_dropped_table_is_gone(engine: Engine) -> None:
    counts = counted(engine)
    counts.drop()
    with pytest.raises(Exception, match="could not read the table"):
        counts.n_values(0)


def test_agreement_counts_pairs_of_records_with_one_value(engine: Engine) -> None:
    def agreement(cells: list[Any]) -> float:
        return sum(a == b for a in cells for b in cells) / len(cells) ** 2

    assert counted(engine, by_class=False).agreements() == pytest.approx([agreement(AGES), agreement(TEXTS)])
