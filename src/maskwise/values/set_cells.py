"""Cells that hold several values, such as `HIV;asthma`: what separates them, and how a column of such is recognized."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Iterable

LIST_SEPARATOR = "\x1f"
"""What stands between the items of a list when it is spelled as text: a character that no text has."""
_STRONG = (";", "|")
"""Separators that single values hardly contain."""
_WEAK = (",", "/", "+", "&")
"""Separators that single values contain too, as in `Diabetes, type 2`."""
_LEAST_SETS = 3
"""Fewer cells with a separator in them tell nothing."""
_NUMBER = re.compile(r"[-+\d.,\s]+")


@dataclass(frozen=True, slots=True)
class SetForm:
    """How the cells of a column hold several values.

    >>> SetForm(";").values("HIV; asthma;;HIV")
    ('HIV', 'asthma')
    """

    separator: str
    """What stands between the values; blanks around them do not count."""

    def __post_init__(self) -> None:
        """Refuse a separator that is part of values."""
        if not self.separator or any(letter.isalnum() for letter in self.separator):
            raise PolicyError(["`set` is what separates the values of a cell, such as `;` or `|`."])

    def values(self, cell: str) -> tuple[str, ...]:
        """The values of a cell, each once."""
        parts = (part.strip() for part in cell.split(self.separator))
        return tuple(dict.fromkeys(part for part in parts if part))


def find_separator(cells: Iterable[str]) -> str | None:
    """What separates the values of the cells, if they seem to hold several that repeat; None for single values.

    Args:
        cells: The distinct cells of a column.

    >>> find_separator(["HIV;asthma", "HIV;flu", "flu", "gout;HIV"])
    ';'
    >>> find_separator(["Diabetes, type 1", "Diabetes, type 2", "Asthma, mild"]) is None
    True
    """
    texts = [cell for cell in cells if not _NUMBER.fullmatch(cell)]
    return next((mark for mark in (*_STRONG, *_WEAK) if _splits(texts, mark)), None)


def _splits(cells: list[str], separator: str) -> bool:
    """Whether a separator parts cells into values that repeat: one that values may contain, into values that move."""
    form = SetForm(separator)
    sets = [values for cell in cells if separator in cell and len(values := form.values(cell)) > 1]
    if len(sets) < _LEAST_SETS:
        return False
    n_cells = Counter(value for values in sets for value in values)
    n_cells.update(cell.strip() for cell in cells if separator not in cell)
    if separator in _STRONG:
        n_alike = sum(any(n_cells[value] > 1 for value in values) for values in sets)
        return 2 * n_alike >= len(sets)
    places: dict[str, set[int]] = {cell.strip(): {-1} for cell in cells if separator not in cell}
    for values in sets:
        for at, value in enumerate(values):
            places.setdefault(value, set()).add(min(at, 1))
    moving = [value for values in sets for value in values if len(places[value]) > 1]
    return 2 * len(moving) >= sum(map(len, sets))
