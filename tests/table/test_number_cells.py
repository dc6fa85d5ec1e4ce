"""An engine reads numbers of a country as Python does; numbers that are written in several ways are refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

from maskwise.errors import InputError
from maskwise.table.endpoints import closing
from maskwise.table.number_cells import refuse_mixed_numbers
from maskwise.table.read import read
from maskwise.values.number_spellings import KNOWN, NumberForm
from maskwise.values.reading import Reading

CELLS = [
    "3,5", "3,50", "1.234,50", "1.234", "1.234.567", "12 345,6", "12\u00a0345,6", "1'234.5", "1\u2019234,5", "1,234.5",
    " -0,00 ", "+007,10", ",5", "-\u22123", "\u22123,5", "0.125", "1.23", "k.A.", "", None, "9007199254740993,1", "5,",
]  # fmt: skip


@pytest.mark.parametrize("form", KNOWN)
def test_the_engine_and_python_agree_on_every_cell(form: str) -> None:
    shape = NumberForm(form)
    table = read(pa.table({"cost": CELLS}), reading=Reading(numbers=(("cost", shape),)))
    with closing(table):
        cells = table.engine.fetch(table.expr.select(x=table.column("cost"))).column(0).to_pylist()
        assert table.engine.fetch(table.expr.select(x=table.expr.c0)).column(0).to_pylist() == CELLS
    assert cells == [None if cell is None else shape.to_usual(cell) for cell in CELLS]


def test_columns_of_numbers_have_no_form() -> None:
    table = read(pa.table({"cost": [1.5, 2.5]}), reading=Reading(numbers=(("cost", NumberForm("1.234,5")),)))
    with closing(table):
        assert table.column("cost").type().is_floating()
        refuse_mixed_numbers(table, ["cost"])


def test_numbers_in_another_spelling_are_counted_and_not_quoted() -> None:
    cells = ["3,5", "1.234", "3.75", "0.5", "1,234.5", "unknown", None]
    table = read(pa.table({"cost": cells}), reading=Reading(numbers=(("cost", NumberForm("1.234,5")),)))
    with closing(table):
        refuse_mixed_numbers(table, ["other"])
        with pytest.raises(InputError, match=r"written 1\.234,5, but 3 cells have numbers in another spelling") as told:
            refuse_mixed_numbers(table, ["cost"])
    assert "3.75" not in str(told.value)
