"""What is wrong with `dates`, which says how the dates of some columns are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy


def date_mistakes(policy: Policy) -> list[str]:
    """Refuse columns that are counted by their cells as they are: a date would be counted twice, once by each spelling.

    Args:
        policy: What is asked.
    """
    about = None if policy.person is None else policy.person.column
    roles = (("the class", {policy.class_name}), ("a sensitive column", {*policy.sensitive}), ("the person", {about}))
    return [
        policy.at(("dates", name))
        + f"`{name}` is {role}, whose cells are counted as they are written, so it has no form of dates. Delete the "
        "line."
        for name, _ in policy.reading.dates
        for role, names in roles
        if name in names
    ]
