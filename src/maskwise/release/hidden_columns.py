"""Quasi-identifiers of which a release shows nothing: every record has the same label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN
from maskwise.values.file_words import file_words
from maskwise.values.message import Audience, Level, Message
from maskwise.values.spelling_advice import foreign_spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column
    from maskwise.solution.solution import Solution

_OTHERS_TELL = (
    "beside what other columns show, any value of it would break a requirement or tell nothing of the class. Lower k, "
    f"take columns out of the quasi-identifier that matter less, or give it more weight{file_words('weight: 2')}."
)


def warn_of_hidden_columns(solution: Solution, columns: Sequence[Column], policy: Policy) -> tuple[Message, ...]:
    """Warn of columns all of whose values are hidden, with the cause and what to do about it.

    A column that is masked by a tree or in intervals may show nothing because too little can be shown. One whose
    values are hidden one by one may show nothing because no value is frequent enough, or because they were not
    understood: that is a warning.

    Args:
        solution: What is shown.
        columns: The distinct cells of each masked attribute.
        policy: What was asked.
    """
    floors = policy.floors()
    messages = []
    for cut, column in zip(solution.cuts, columns, strict=True):
        # A column of missing cells alone has no value to hide.
        has_values = bool(len(column.texts) or column.n_rest)
        if cut.kind is not Kind.SUPPRESS or cut.labels != (HIDDEN,) or not has_values:
            continue
        hopeless = _why(column, floors.get(cut.attribute, 0))
        text = f"`{cut.attribute}` shows nothing: {hopeless or _OTHERS_TELL}"
        # How frequent hidden values are does not follow from the release.
        messages.append(Message(Level.WARNING if hopeless else Level.NOTE, Audience.OWNER, text))
    return tuple(messages)


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
