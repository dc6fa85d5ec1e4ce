"""Quasi-identifiers of which a release shows nothing: every record has the same label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN
from maskwise.values.message import Audience, Level, Message
from maskwise.values.parsing import foreign_spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column
    from maskwise.solution.solution import Solution


def warn_of_hidden_columns(solution: Solution, columns: Sequence[Column], policy: Policy) -> tuple[Message, ...]:
    """Warn of columns all of whose values are hidden, with the cause and what to do about it.

    A column that is masked by a tree or in intervals may show nothing because too little can be shown; whose values
    are hidden one by one shows nothing because no value is frequent enough, or because its values were not understood.

    Args:
        solution: What is shown.
        columns: The distinct cells of each masked attribute.
        policy: What was asked.
    """
    floors = policy.floors()
    messages = []
    for cut, column in zip(solution.cuts, columns, strict=True):
        if cut.kind is not Kind.SUPPRESS or cut.labels != (HIDDEN,):
            continue
        public = f"`{cut.attribute}` shows nothing: every record has `{HIDDEN}`."
        text = f"`{cut.attribute}` shows nothing: {_why(column, floors.get(cut.attribute, 0))}"
        messages.append(Message(Level.WARNING, Audience.RECIPIENT, text, public))
    return tuple(messages)


def _why(column: Column, k: int) -> str:
    """What hides all values of a column, and what would show more."""
    if not column.n_rest and (spelling := foreign_spelling(column.name, column.keys)):
        return f"its values were not understood, so each is hidden. {spelling}"
    n_values = len(column.texts) + column.n_rest
    most = int(column.counts.sum(axis=1).max(initial=0))
    if most < k:
        each = "its only value has" if n_values == 1 else f"each of its {plural(n_values, 'value')} has"
        said = f"{each} fewer than {k:,} records, so all are hidden."
    else:
        said = "any value of it would break a requirement, so all are hidden."
    return (
        f"{said} Give it a taxonomy, a rule such as `prefix` or `calendar`, or `{{grow: frequency}}`, by which it can "
        "show something coarser; or leave it out with `drop`."
    )
