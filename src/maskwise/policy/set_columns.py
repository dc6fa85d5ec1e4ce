"""What is wrong with `set`, which says that the cells of a sensitive column hold several values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy

UNMASKABLE = (
    "holds several values in a cell, and a set of values cannot be masked. Make a column of yes and no of each value "
    "that people may know, and name those; or drop it, or protect it as `sensitive`."
)
"""What is said of a quasi-identifier whose cells are sets."""


def set_mistakes(policy: Policy) -> list[str]:
    """Refuse columns of sets that would have to be masked, or whose cells are read as something else.

    Args:
        policy: What is asked.
    """
    other = {name for name, _ in (*policy.reading.dates, *policy.reading.numbers)}
    roles = (
        (set(policy.masked), UNMASKABLE),
        ({one.name for one in policy.fixed}, "holds several values in a cell, so it has no depth. Take out `release`."),
        (other, "holds several values in a cell, so it has no form of dates or numbers. Delete that line."),
    )
    return [
        policy.at(("requirements",)) + f"`{name}` {why}"
        for name, _ in policy.reading.sets
        for names, why in roles
        if name in names
    ]
