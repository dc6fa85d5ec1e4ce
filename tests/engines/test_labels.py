"""How a cell becomes its label by an expression."""

from __future__ import annotations

import datetime as dt
from typing import Any

import ibis
import pyarrow as pa
import pytest

from maskwise.engines.base import Relabel
from maskwise.engines.labels import MOST_CASES, is_expression, label_by_join, label_cell
from maskwise.values.scales import Scale


def labels(cells: pa.Array, relabel: Relabel) -> list[Any]:
    """The labels of some cells, as DuckDB gives them."""
    table = ibis.memtable(pa.table({"cell": cells, "place": range(len(cells))}))
    found = table.mutate(label=label_cell(table.cell, relabel)).order_by("place")
    return list(ibis.duckdb.connect().to_pyarrow(found).column("label").to_pylist())


def intervals(*ends: Any, scale: Scale | None = None, **how: Any) -> Relabel:
    names = "abcdef"[: len(ends) + 1]
    return Relabel(
        pa.array([], pa.int64()), (), "*", intervals=tuple(zip([*ends, None], names, strict=True)), scale=scale, **how
    )


def test_an_interval_ends_before_its_upper_end() -> None:
    assert labels(pa.array([9, 10, 19, 20, 99]), intervals(10, 20)) == ["a", "b", "b", "c", "c"]


def test_a_missing_cell_has_its_own_label() -> None:
    assert labels(pa.array([1, None]), intervals(10, missing="?")) == ["a", "?"]
    assert labels(pa.array([1, None]), intervals(10)) == ["a", None]


@pytest.mark.parametrize(
    ("cells", "end", "scale"),
    [
        (["9", "10"], 10, Scale.INTEGER),
        (["9.5", "1e1"], 10.0, Scale.REAL),
        (["1999-12-31", "2000-01-01"], dt.date(2000, 1, 1), Scale.DATE),
        (["1999-12-31 23:59:59", "2000-01-01 00:00:00"], dt.datetime(2000, 1, 1), Scale.TIMESTAMP),  # noqa: DTZ001
    ],
)
def test_texts_are_compared_as_what_they_are(cells: list[str], end: Any, scale: Scale) -> None:
    assert labels(pa.array(cells), intervals(end, scale=scale)) == ["a", "b"]


def test_keys_are_shown_as_their_labels_or_as_themselves() -> None:
    relabel = Relabel(pa.array(["x", "y", "z"]), ["x", "YZ", "YZ"], "*", "?")
    assert labels(pa.array(["x", "y", "z", None]), relabel) == ["x", "YZ", "YZ", "?"]


def test_an_unknown_cell_gets_the_root_and_never_stays() -> None:
    relabel = Relabel(pa.array(["x", "y", "z"]), ["x", "YZ", "YZ"], "*", has_others=True)
    assert labels(pa.array(["x", "z", "secret"]), relabel) == ["x", "YZ", "*"]
    alone = Relabel(pa.array(["x"]), ["x"], "*")
    assert labels(pa.array(["x", "secret"]), alone) == ["x", "*"]


def test_a_label_may_be_a_missing_cell() -> None:
    assert labels(pa.array(["x", "y"]), Relabel(pa.array(["x", "y"]), ["x", None], "*")) == ["x", None]


def test_numbers_are_found_in_their_lists() -> None:
    assert labels(pa.array([1, 2, 3]), Relabel(pa.array([1, 2, 3]), ["low", "low", "3"], "*")) == ["low", "low", "3"]


@pytest.mark.parametrize(
    "relabel",
    [
        Relabel(pa.array(["x", "y"]), ["*", "*"], "*", has_missing=False),
        Relabel(pa.array(["x", "y"]), ["*", "*"], "*", missing="*"),
        Relabel(pa.array(["x"]), ["*"], "*", has_missing=False, has_others=True),
        Relabel(pa.array([], pa.string()), (), "*", has_missing=False, intervals=((None, "*"),)),
    ],
)
def test_one_label_for_all_cells_is_a_constant(relabel: Relabel) -> None:
    label = label_cell(ibis.table({"cell": "string"}, name="t").cell, relabel)
    assert label.equals(ibis.literal("*", "string"))


def test_no_cells_at_all_are_labelled_as_missing_ones() -> None:
    assert labels(pa.array([None, None], pa.string()), Relabel(pa.array([], pa.string()), (), "*", "?")) == ["?", "?"]


def test_many_keys_and_ranges_are_joined() -> None:
    many = pa.array(range(MOST_CASES + 1))
    shown = [str(i) for i in range(MOST_CASES + 1)]
    assert not is_expression(Relabel(many, shown, "*"))
    assert is_expression(Relabel(many[:-1], shown[:-1], "*"))
    assert is_expression(Relabel(many, ["*"] * len(many), "*", has_missing=False))
    assert not is_expression(Relabel(many[:2], ["a", "b"], "*", is_ranged=True))
    assert is_expression(intervals(1))


def test_a_joined_label_is_the_found_one_or_the_root() -> None:
    table = ibis.memtable(pa.table({"cell": ["x", "secret", None], "text": ["X", None, None], "place": [0, 1, 2]}))
    found = table.mutate(label=label_by_join(table.cell, table.text, Relabel(pa.array(["x"]), ["X"], "*", "?")))
    assert ibis.duckdb.connect().to_pyarrow(found.order_by("place")).column("label").to_pylist() == ["X", "*", "?"]
