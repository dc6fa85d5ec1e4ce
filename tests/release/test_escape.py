"""Cells and names that a spreadsheet would run get a quote, and nothing else changes."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.release.escape import original_text, safe_name, safe_text, spreadsheet_safe
from maskwise.release.frames import as_frame
from maskwise.table.read import read

FORMULAS = ["=1+1", "+cmd", "-x", "@sum", "\tx", "\rx", "'=x", "''=x", "-5\n"]
OTHERS = ["-5", "-1.234,5", "+1.5e3", "5", "a=b", "'s-Gravenhage", ""]
CELLS = [*FORMULAS, *OTHERS, None]


def test_the_engine_and_python_escape_alike() -> None:
    shown = as_frame(spreadsheet_safe(read(pa.table({"x": CELLS}))))["x"].to_pylist()
    assert shown == [None if cell is None else safe_text(cell) for cell in CELLS]


@pytest.mark.parametrize("cell", FORMULAS)
def test_what_would_run_gets_one_quote(cell: str) -> None:
    assert safe_text(cell) == "'" + cell


@pytest.mark.parametrize("cell", OTHERS)
def test_numbers_and_other_texts_stay(cell: str) -> None:
    assert safe_text(cell) == cell


def test_a_name_that_looks_like_a_negative_number_is_quoted_too() -> None:
    assert (safe_name("-5"), safe_name("Age")) == ("'-5", "Age")


def test_only_text_columns_are_rewritten() -> None:
    table = spreadsheet_safe(read(pa.table({"n": [-1, -2], "t": ["-a", "b"]})))
    assert table.rewritten == ("t",)
    assert as_frame(table)["n"].to_pylist() == [-1, -2]


@given(text=st.text(alphabet="'=+-@\t\r5.ex", max_size=5))
def test_what_was_escaped_can_be_read_back(text: str) -> None:
    assert original_text(safe_text(text)) == text
