"""How a table is read before anything is asked of it; a policy says so, and a solution remembers it for later rows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maskwise.values.date_forms import DateForm


class Rename(StrEnum):
    """What happens to columns of the same name."""

    SUFFIX = "suffix"
    """The second gets `.1` added to its name, the third `.2`, as in pandas."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the columns and cells of a table are understood when it is opened.

    >>> Reading(na_values=("NA", "?")).na_values
    ('NA', '?')
    """

    na_values: tuple[str, ...] = ()
    """Cells spelled so are missing cells, in every column."""
    rename: Rename | None = None
    """How columns of the same name are told apart; None refuses a table that has some."""
    dates: tuple[tuple[str, DateForm], ...] = ()
    """For columns whose dates are not written as ISO 8601 does, how they are."""

    @property
    def of_release(self) -> Reading:
        """How a masked table is read: its cells are labels already, and those that are missing are empty."""
        return Reading(rename=self.rename)


AS_IT_IS = Reading()
"""Nothing is taken for something else."""
