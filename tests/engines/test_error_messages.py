"""Errors of a database as errors of ours: what is wrong, and no cell."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from maskwise.engines import error_messages
from maskwise.errors import InputError
from maskwise.values.location import TableName


class OutOfMemoryException(Exception):  # noqa: N818 - as DuckDB calls it
    """DuckDB's error of this name."""


def test_an_error_is_named_without_its_text() -> None:
    with (
        pytest.raises(InputError, match=r"could not read the table \(ValueError\)") as caught,
        error_messages.translate_errors(),
    ):
        raise ValueError("cell `HIV` is no number")
    assert "HIV" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_the_file_that_the_database_speaks_of_is_named() -> None:
    paths = [Path("/data/first.parquet"), Path("/data/second.parquet")]
    with (
        pytest.raises(InputError, match=r"could not read `second\.parquet` \(ValueError\)"),
        error_messages.translate_errors(paths),
    ):
        raise ValueError("no magic bytes in /data/second.parquet")
    with (
        pytest.raises(InputError, match=r"could not read `first\.parquet` or a file beside it \("),
        error_messages.translate_errors(paths),
    ):
        raise ValueError("no magic bytes")


def test_too_little_memory_has_a_remedy() -> None:
    with pytest.raises(InputError, match="Give more with --memory"), error_messages.translate_errors():
        raise OutOfMemoryException
    error_messages.raise_known_causes(ValueError("another error"))


def test_a_missing_table_comes_with_a_suggestion() -> None:
    error = error_messages.missing_table(TableName("poeple", "public"), ["people", "jobs"])
    assert str(error) == "There is no table `public.poeple` in the database. Did you mean `people`?"


def test_the_input_is_no_target() -> None:
    with pytest.raises(InputError, match=r"`public\.people` is the input"):
        error_messages.refuse_input_as_target(TableName("people", "public"))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("write failed: No space left on device (cell HIV)"), "no space left on device"),
        (RuntimeError("Permission denied"), "permission denied"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (RuntimeError("cell HIV is odd"), None),
    ],
)
def test_only_the_systems_own_reason_is_given(error: Exception, reason: str | None) -> None:
    assert error_messages.system_reason(error) == reason


CSV = {
    "cells": ("Line: 7\nExpected Number of Columns: 3 Found: 2 HIV", "b.csv, line 7 cannot be read: it has 2 cells"),
    "encoding": ("Line: 2\nInvalid unicode HIV", "b.csv, line 2 cannot be read: it is not UTF-8"),
    "quote": ("Line: 2\nunterminated quote HIV", "b.csv, line 2 cannot be read: a quoted cell is never closed"),
    "length": ("Maximum line size of 2000000 bytes exceeded HIV", "b.csv cannot be read: it is longer than 2 MB"),
    "line ends": ("Line: 3\nThe CSV state machine HIV", "b.csv, line 3 cannot be read: its line ends are mixed"),
    "anything": ("HIV", "b.csv cannot be read: it does not follow the csv format"),
}


@pytest.mark.parametrize(("text", "says"), CSV.values(), ids=CSV.keys())
def test_a_csv_error_gives_file_line_and_reason(text: str, says: str) -> None:
    message = error_messages.csv_message([Path("x/a.csv"), Path("x/b.csv")], f"CSV Error in x/b.csv\n{text}")
    assert message.startswith(says)
    assert "HIV" not in message


def test_without_a_file_in_the_message_the_first_is_named() -> None:
    assert error_messages.csv_message([Path("a.csv"), Path("b.csv")], "odd").startswith("a.csv ")
