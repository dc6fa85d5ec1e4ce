"""What is wrong with `numbers`, which says how the numbers of some columns are written; how a release is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy
    from maskwise.values.reading import Reading


def number_mistakes(policy: Policy) -> list[str]:
    """Refuse columns that cannot have numbers of a form: whom records are about, and dates.

    Args:
        policy: What is asked.
    """
    about = None if policy.person is None else policy.person.column
    dated = {name for name, _ in policy.reading.dates}
    roles = (
        ("the person, who is told apart by the cells as they are written", {about}),
        ("a column of dates", dated),
    )
    return [
        policy.at(("numbers", name)) + f"`{name}` is {role}, so it has no form of numbers. Delete the line."
        for name, _ in policy.reading.numbers
        for role, names in roles
        if name in names
    ]


def reading_of_release(policy: Policy) -> Reading:
    """How a table that was masked by a policy is read."""
    return policy.reading.of_release({*policy.masked, *(one.name for one in policy.fixed)})
