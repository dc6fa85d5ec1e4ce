"""Fixed grids of numbers, where an owner wants round ones instead of intervals that follow from the data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any, Self

from maskwise.errors import PolicyError
from maskwise.policy.rules.level_lists import shown

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?", re.ASCII)
_WHOLE = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_LARGEST = Decimal(10) ** 18
_DIGITS = 60
"""Enough digits for exact quotients of the numbers that are read."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Intervals of equal width, each width a multiple of the one before.

    >>> Steps((Decimal(5), Decimal(10), Decimal(20))).path("37")
    ('[20, 40)', '[30, 40)', '[35, 40)')
    >>> Steps((Decimal(5),), Decimal(3)).path("-2.5")
    ('[-7, -2)',)
    """

    widths: tuple[Decimal, ...]
    """The widths, the finest first."""
    origin: Decimal = Decimal(0)
    """A number at which intervals of every width begin."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "steps"

    @property
    def levels(self) -> tuple[str, ...]:
        """The widths, the coarsest first."""
        return tuple(_spell(width) for width in reversed(self.widths))

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read the widths: a list, or `{widths: [5, 10], from: 3}`."""
        if not isinstance(data, Mapping):
            return cls(_widths("steps", data))
        if not {"widths"} <= set(data) <= {"widths", "from"}:
            msg = "`steps` has a list of widths, or widths and from: steps: {widths: [5, 10, 20], from: 3}."
            raise PolicyError([msg])
        origin = _read(str(data.get("from", "0")))
        if origin is None:
            raise PolicyError([f"`from` of `steps` is a number; found {shown(data['from'])}."])
        return cls(_widths("steps", data["widths"]), origin)

    def path(self, text: str) -> tuple[str, ...] | None:
        """The intervals of a number; None of what is none."""
        text = text.strip()
        if _WHOLE.fullmatch(text) and all(width == int(width) for width in (self.origin, *self.widths)):
            # Python's own whole numbers are ten times as fast as decimals.
            number, origin = int(text), int(self.origin)
            lows = [(origin + (number - origin) // int(w) * int(w), int(w)) for w in reversed(self.widths)]
            return tuple([f"[{low}, {low + width})" for low, width in lows])
        exact = _read(text)
        if exact is None:
            return None
        found = []
        with localcontext(prec=_DIGITS):
            for width in reversed(self.widths):
                low = self.origin + _floor((exact - self.origin) / width) * width
                found.append(f"[{_spell(low)}, {_spell(low + width)})")
        return tuple(found)

    def to_data(self) -> Any:
        """What a policy says."""
        widths = [_spell(width) for width in self.widths]
        return {"widths": widths, "from": _spell(self.origin)} if self.origin else widths


@dataclass(frozen=True, slots=True)
class Rounded:
    """Numbers rounded to a unit; those of a coarser unit are made from those of the finer one.

    A label says how far the number may be from it. Halves are rounded up.

    >>> Rounded((Decimal(100), Decimal(1000))).path("1449")
    ('1000 ± 550', '1400 ± 50')
    """

    units: tuple[Decimal, ...]
    """The units, the finest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "rounded"

    @property
    def levels(self) -> tuple[str, ...]:
        """The units, the coarsest first."""
        return tuple(_spell(unit) for unit in reversed(self.units))

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read the units."""
        return cls(_widths("rounded", data))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The rounded numbers; None of what is no number."""
        number = _read(text.strip())
        if number is None:
            return None
        found, off = [], Decimal(0)
        with localcontext(prec=_DIGITS):
            for unit in self.units:
                number = _floor(number / unit + Decimal("0.5")) * unit
                off += unit / 2
                found.append(f"{_spell(number)} ± {_spell(off)}")
        return tuple(reversed(found))

    def to_data(self) -> list[str]:
        """What a policy says."""
        return [_spell(unit) for unit in self.units]


def _widths(key: str, data: object) -> tuple[Decimal, ...]:
    """Read ever larger numbers, each a multiple of the one before."""
    given = data if isinstance(data, list | tuple) else [data]
    read = [_read(str(part).strip()) for part in given]
    found = [number for number in read if number is not None and number > 0]
    if not found or len(found) < len(read):
        msg = f"`{key}` has numbers above 0, the smallest first: {key}: [5, 10, 20]; found {shown(data)}."
        raise PolicyError([msg])
    with localcontext(prec=_DIGITS):
        for finer, coarser in pairwise(found):
            if coarser <= finer or coarser % finer:
                msg = (
                    f"Each number of `{key}` is a multiple of the one before, so that its parts fit into it; "
                    f"{_spell(coarser)} is none of {_spell(finer)}."
                )
                raise PolicyError([msg])
    return tuple(found)


def _read(text: str) -> Decimal | None:
    """A number exactly as it is written; None of what is none, or too large for any measure."""
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    return number if abs(number) < _LARGEST and -number.as_tuple().exponent < _DIGITS // 2 else None  # type: ignore[operator]


def _floor(number: Decimal) -> Decimal:
    return number.to_integral_value("ROUND_FLOOR")


def _spell(number: Decimal) -> str:
    """The shortest usual spelling.

    >>> _spell(Decimal("2.50")), _spell(Decimal("-0")), _spell(Decimal("1E+2"))
    ('2.5', '0', '100')
    """
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
