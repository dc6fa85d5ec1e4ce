"""Columns with what earlier releases show: the search counts groups by them, and they have no cut of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.solution.cut import Cut, MissingShown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.profile.columns import Column


def with_known_labels(cuts: Sequence[Cut], columns: Sequence[Column]) -> tuple[Cut, ...]:
    """The cuts of all columns that groups are counted by: those of a solution, and one for each known column.

    Args:
        cuts: What the solution shows.
        columns: The columns that have a cut, then those that are known; these are shown whole.
    """
    return (*cuts, *(_whole(column) for column in columns[len(cuts) :]))


def _whole(column: Column) -> Cut:
    missing = MissingShown.ITSELF if column.missing.any() else MissingShown.UNSEEN
    return Cut(column.name, column.kind, "*", missing, shown=tuple(column.texts))
