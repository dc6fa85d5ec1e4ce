"""Rules on all values of a sensitive column at once: what diversity and closeness have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.policy.requirements.grouping import GroupedBy
from maskwise.policy.requirements.wording import group_data
from maskwise.values.spelling import one_spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.requirements.base import Counted, Requirement, SensitiveColumn, WorstGroup
    from maskwise.policy.requirements.file_form import Entry

MAX_VALUES = 256
"""Above so many values diversity and closeness want the column grouped: a group has a counter for each."""
_LEADS = ("diversity", "closeness")
_COMPANIONS = ("distance", "order", "by")


def too_many_values(counted: Counted, column: SensitiveColumn) -> str | None:
    """Say so if a sensitive column has more values than can be counted in every group, or some outside its tree.

    Args:
        counted: Which values are counted.
        column: The column.
    """
    name, by, tree = counted.column, counted.by, column.tree
    if by is not None and by.kind is GroupedBy.LEVEL and tree is not None:
        labels = set(map(one_spelling, tree.labels))
        n_outside = len({one_spelling(text) for text in column.texts} - labels)
        if n_outside:
            return (
                f"The taxonomy of `{name}` lacks {plural(n_outside, 'value')} of the table, so `by: {by.text}` cannot "
                f"group {'it' if n_outside == 1 else 'them'}. Add {'it' if n_outside == 1 else 'them'}."
            )
    n_values = len(column.sets_of(replace(counted, order=())))
    if n_values <= MAX_VALUES:
        return None
    if by is not None:
        return (
            f"`by: {by.text}` makes {n_values:,} groups of the values of `{name}`; diversity and closeness count up to "
            f"{MAX_VALUES}. Write a smaller number."
        )
    return (
        f"The sensitive column `{name}` has {n_values:,} different values; diversity and closeness "
        f"count up to {MAX_VALUES}. Group them with `by: prefix 1`, or with a taxonomy of the column and `by: level 1`."
    )


def spread_data(requirement: Requirement, worst: Sequence[WorstGroup]) -> dict[str, Any]:
    """What a requirement asks and the group that stands worst, as plain values."""
    group = group_data(worst[0]) if worst else {}
    return {**requirement.public_data(), "asks": requirement.asked_cell(), **group}


def spread_misfit(entry: Entry, stray: str | None) -> str | None:
    """Say why the keys of an entry with `diversity` or `closeness` do not fit together."""
    lead = next(lead for lead in _LEADS if lead in entry)
    if set(entry) - {"qid", "sensitive", lead, *_COMPANIONS}:
        return f"`{lead}` stands alone with `qid` and `sensitive`. Write another requirement for the rest"
    if not isinstance(entry.get("sensitive"), str):
        return f"`{lead}` needs one `sensitive` column, such as sensitive: Illness"
    return stray
