"""What is wrong with `numbers`, which says how the numbers of some columns are written; how a release is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maskwise.values.number_spellings import USUAL_NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.policy.policy import Policy
    from maskwise.values.reading import Reading


def number_mistakes(policy: Policy) -> list[str]:
    """Refuse columns that cannot have numbers of a form (whom records are about, and dates), and values in a form.

    Args:
        policy: What is asked.
    """
    about = None if policy.person is None else policy.person.column
    dated = {name for name, _ in policy.reading.dates}
    roles = (
        ("the person, who is told apart by the cells as they are written", {about}),
        ("a column of dates", dated),
    )
    mistakes = [
        policy.at(("numbers", name)) + f"`{name}` is {role}, so it has no form of numbers. Delete the line."
        for name, _ in policy.reading.numbers
        for role, names in roles
        if name in names
    ]
    return [*mistakes, *_misspelt(policy)]


def _misspelt(policy: Policy) -> Iterator[str]:
    """Refuse values that requirements name as the column writes them: they are compared in the usual spelling."""
    forms = dict(policy.reading.numbers)
    for i, requirement in enumerate(policy.requirements):
        counted = [part.counted for part in requirement.parts if part.counted is not None]
        named = {(one.column, text): None for one in counted if one.column in forms for text in one.named}
        for column, text in named:
            usual = forms[column].to_usual(text)
            if usual != text and re.match(USUAL_NUMBER, text) is None:
                yield policy.at(("requirements", i)) + (
                    f"`{text}` of `{column}` is named as the column writes it. Write `{usual}`: with a form of "
                    "numbers, values are named with a decimal point."
                )


def reading_of_release(policy: Policy) -> Reading:
    """How a table that was masked by a policy is read."""
    return policy.reading.of_release({*policy.masked, *(one.name for one in policy.fixed)})
