"""Quasi-identifiers of which a release shows nothing: every record has the same label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import enumerated, plural
from maskwise.policy.attributes import Kind
from maskwise.profile.spelling_advice import foreign_spelling
from maskwise.solution.cut import HIDDEN
from maskwise.solution.solution import Ending
from maskwise.values.file_words import command_words, file_words
from maskwise.values.message import Audience, Level, Message, private_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution

_EARLY = frozenset({Ending.STEPS, Ending.TIME, Ending.INTERRUPTED})
"""The endings of a search that could have shown more."""


def warn_of_hidden_columns(solution: Solution, columns: Sequence[Column], policy: Policy) -> tuple[Message, ...]:
    """Tell of every column all of whose values are hidden, with the cause and what to do about it.

    A column may show nothing because others do: all of these stand in one note. One whose values are hidden one by one
    may show nothing because no value is frequent enough, or because they were not understood: that is a warning.

    Args:
        solution: What is shown.
        columns: The distinct cells of each masked attribute.
        policy: What was asked.
    """
    floors = policy.floors()
    warnings: list[Message] = []
    gave_way: list[str] = []
    for cut, column in zip(solution.cuts, columns, strict=True):
        if not _is_hidden(cut, column):
            continue
        hopeless = _why(column, floors.get(cut.attribute, 0)) if cut.kind is Kind.SUPPRESS else None
        if hopeless is None:
            gave_way.append(cut.attribute)
        else:
            # How frequent hidden values are does not follow from the release.
            warnings.append(Message(Level.WARNING, Audience.OWNER, f"`{cut.attribute}` shows nothing: {hopeless}"))
    notes = (private_note(_say_gave_way(gave_way, solution)),) if gave_way else ()
    return (*warnings, *notes)


def _is_hidden(cut: Cut, column: Column) -> bool:
    """Whether all records have one label, though the column has something to show."""
    if cut.kind is Kind.SUPPRESS:
        # A column of missing cells alone has no value to hide.
        return cut.labels == (HIDDEN,) and bool(len(column.texts) or column.n_rest)
    numbers = column.numbers if column.cell_numbers is None else column.cell_numbers
    n_values = len(column.texts) if numbers is None else len(numbers)
    return cut.labels == (cut.root,) and n_values > 1


def _say_gave_way(names: Sequence[str], solution: Solution) -> str:
    """Say that columns show nothing because of what others show."""
    is_one = len(names) == 1
    it, one, shows = ("it", "it", "shows") if is_one else ("them", "one of them", "show")
    opening = f"{enumerated(names)} {shows} nothing: every record has the same label. "
    if solution.ending in _EARLY:
        return f"{opening}The search was stopped before it came to {it}."
    return (
        f"{opening}Beside what other columns show, anything more of {it} would break a requirement or gain nothing. "
        f"Lower k, take columns out of the quasi-identifier that matter less, or give {one} more "
        f"weight{file_words('weight: 2')}; the reasons can be asked for{command_words('maskwise mask --why')}."
    )


def _why(column: Column, k: int) -> str | None:
    """What hides all values of a column whatever else is shown, and what would show more; None where they could be."""
    if not column.n_rest and (spelling := foreign_spelling(column.name, column.keys)):
        return f"its values were not understood, so each is hidden. {spelling}"
    n_values = len(column.texts) + column.n_rest
    most = int(column.counts.sum(axis=1).max(initial=0))
    if most >= k:
        return None
    each = "its only value has" if n_values == 1 else f"each of its {plural(n_values, 'value')} has"
    return (
        f"{each} fewer than {k:,} records, so all are hidden. Give it a tree, a rule such as first characters or parts "
        f"of a date, or groups that are made of its values{file_words('taxonomy', 'prefix', 'calendar', 'grow')}, by "
        f"which it can show something coarser; or leave it out{file_words('drop')}."
    )
