"""Codes whose digits are the levels: the first ones name the widest group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def digit_path(
    code: str, widths: Mapping[str, int], levels: tuple[str, ...], heads: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The labels of a code, the coarsest first: its first digits, filled up with `*`.

    A code that is shorter than the finest level ends with itself: `25` is somebody
    of whom no more is known, `25**` is anybody whose code begins so.

    Args:
        code: The code.
        widths: How many digits each level has, all levels of the system.
        levels: The chosen ones, the coarsest first.
        heads: The labels of some digits that are not named by themselves.

    >>> widths = {"major": 1, "submajor": 2, "minor": 3, "unit": 4}
    >>> digit_path("2512", widths, ("major", "minor", "unit"))
    ('2***', '251*', '2512')
    >>> digit_path("25", widths, ("major", "minor", "unit"))
    ('2***', '25')
    """
    full = max(widths.values())
    digits = [code[: widths[level]] for level in levels if widths[level] <= len(code)]
    path = tuple((heads or {}).get(head, head.ljust(full, "*")) for head in digits)
    return path if widths[levels[-1]] <= len(code) else (*path, code)
