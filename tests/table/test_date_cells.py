"""An engine turns dates of a country into ISO dates as Python does."""

from __future__ import annotations

import pyarrow as pa

from maskwise.table.endpoints import closing
from maskwise.table.read import read
from maskwise.values.date_forms import DateForm
from maskwise.values.reading import Reading

CELLS = [
    "17.07.1971",
    " 7.3.2024 9:05 ",
    "09.03.2024 13:02:59.5",
    "1.1.2024T00:00",
    "2024-03-07",
    "17/07/1971",
    None,
    "",
]
GERMAN = (("seen", DateForm("DD.MM.YYYY")),)


def test_the_engine_and_python_agree_on_every_cell() -> None:
    table = read(pa.table({"seen": CELLS}), reading=Reading(dates=GERMAN))
    with closing(table):
        cells = table.engine.fetch(table.expr.select(x=table.column("seen"))).column(0).to_pylist()
    assert cells == [None if cell is None else GERMAN[0][1].to_usual(cell) for cell in CELLS]


def test_cells_that_are_released_as_they_are_keep_their_spelling() -> None:
    table = read(pa.table({"seen": CELLS}), reading=Reading(dates=GERMAN))
    with closing(table):
        assert table.engine.fetch(table.expr.select(x=table.expr.c0)).column(0).to_pylist() == CELLS
        iso = table.with_usual_forms()
        assert table.engine.fetch(iso.expr.select(x=iso.expr.c0)).column(0).to_pylist()[0] == "1971-07-17"


def test_columns_that_are_dates_already_have_no_form() -> None:
    days = pa.array([19_000, 19_001], pa.date32())
    table = read(pa.table({"seen": days}), reading=Reading(dates=GERMAN))
    with closing(table):
        assert table.column("seen").type().is_date()
