"""How a table is read before anything is asked of it; a policy says so, and a solution remembers it for later rows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.values.date_forms import DateForm
from maskwise.values.number_spellings import NumberForm

if TYPE_CHECKING:
    from collections.abc import Collection

    from maskwise.values.set_cells import SetForm


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
    numbers: tuple[tuple[str, NumberForm], ...] = ()
    """For columns whose numbers are not written with a decimal point alone, how they are."""
    sets: tuple[tuple[str, SetForm], ...] = ()
    """For columns of text whose cells hold several values, how they do."""

    @property
    def forms(self) -> tuple[tuple[str, DateForm | NumberForm | SetForm], ...]:
        """The columns whose cells are not single values in the usual spelling."""
        return (*self.dates, *self.numbers, *self.sets)

    def of_release(self, masked: Collection[str]) -> Reading:
        """How a masked table is read: cells that are missing are empty, and masked ones are labels already.

        Args:
            masked: The columns whose cells are labels; numbers of others are written as they were.
        """
        numbers = tuple(one for one in self.numbers if one[0] not in masked)
        return Reading(rename=self.rename, numbers=numbers, sets=self.sets)


AS_IT_IS = Reading()
"""Nothing is taken for something else."""


def renaming(rename: str | None) -> Reading:
    """How a table is read that no policy speaks of yet.

    Args:
        rename: How columns of the same name are told apart, as `rename` of a policy; None refuses them.

    >>> renaming("suffix").rename
    <Rename.SUFFIX: 'suffix'>
    """
    if rename is not None and rename not in set(Rename):
        msg = f"`rename` is `{Rename.SUFFIX}`, which numbers columns of the same name; found `{rename}`."
        raise InputError(msg)
    return Reading(rename=None if rename is None else Rename(rename))


def reading_of(column: str, form: str) -> Reading:
    """How one column is read whose dates or numbers have a form.

    Args:
        column: Its name.
        form: The form as a policy names it, under `dates` or under `numbers`.
    """
    if any(letter.isdigit() for letter in form):
        return Reading(numbers=((column, NumberForm.read(form)),))
    return Reading(dates=((column, DateForm.read(form)),))
