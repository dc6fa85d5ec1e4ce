"""Amounts of memory that engines cannot take are refused where they are read."""

from __future__ import annotations

import pytest

from maskwise.errors import InputError
from maskwise.values.memory import parse_memory


@pytest.mark.parametrize("text", ["99999999999TB", "36029TB", "32769TiB"])
def test_more_than_any_machine_has_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="more memory than any machine has"):
        parse_memory(text)


@pytest.mark.parametrize("text", ["1" + "0" * 5_000 + "TB", "0MB", "-1GB", "4", "GB", "4KB"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no amount of memory"):
        parse_memory(text)


def test_large_amounts_are_read() -> None:
    assert parse_memory("30000TB") == 30_000 * 10**12
