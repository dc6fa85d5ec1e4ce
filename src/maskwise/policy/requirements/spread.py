"""Rules on all values of a sensitive column at once: what diversity and closeness have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.policy.requirements.wording import group_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.requirements.base import Requirement, SensitiveColumn, WorstGroup
    from maskwise.policy.requirements.file_form import Entry

MAX_VALUES = 256
"""Above so many values diversity and closeness want the column grouped: a group has a counter for each."""
_LEADS = ("diversity", "closeness")
_COMPANIONS = ("distance", "order")


def too_many_values(name: str, column: SensitiveColumn) -> str | None:
    """Say so if a sensitive column has more values than can be counted in every group.

    Args:
        name: The column's name.
        column: Its values.
    """
    n_values = len(column.values())
    if n_values <= MAX_VALUES:
        return None
    return (
        f"The sensitive column `{name}` has {n_values:,} different values; diversity and closeness "
        f"count up to {MAX_VALUES}. Group them into a column of its own."
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
