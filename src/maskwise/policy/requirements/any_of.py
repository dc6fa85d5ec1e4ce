"""Unions: several values of a sensitive column whose records are counted together.

Which values of a table an element stands for is found where the table is: the
profile and the recount each do it in their own way, by the rule that `AnyOf` states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from maskwise.policy.requirements.qid import refuse
from maskwise.values.spelling import one_spelling

ANY = "any"
"""How a policy file marks a union."""
STAR = "*"
"""How an element ends that stands for all values that begin alike."""
MISSING = "~"
"""How a policy names the missing value."""
FEW = 3
"""Up to so many protected values are named where a requirement is shown."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A union of sensitive values.

    An element is, by the first of these that fits: a value of the column's
    taxonomy, with all values below it; a value of the data; with a trailing `*`,
    all values that begin like it.

    >>> AnyOf(("B20.*", "Z21")).text
    'B20.* or Z21'
    """

    elements: tuple[str | None, ...]
    """What the policy names; None is the missing value."""

    def __post_init__(self) -> None:
        """Refuse a union of nothing, of everything, and an element that stands twice."""
        mistakes = []
        if not self.elements:
            mistakes.append("A union of sensitive values is empty. Name its values, such as any: [B20.*, Z21].")
        if len({text and one_spelling(text) for text in self.elements}) < len(self.elements):
            mistakes.append("A value stands twice in a union of sensitive values. Remove one.")
        if any(text is not None and is_prefix(text) and not text[:-1].strip("'") for text in self.elements):
            mistakes.append("In a union of sensitive values `*` alone would be every value. Write a letter before it.")
        refuse(mistakes)

    @property
    def text(self) -> str:
        """How the union is called, for the owner; many elements are only counted."""
        if len(self.elements) > FEW:
            return f"any of {len(self.elements)} values"
        return " or ".join(spelled_element(text) for text in self.elements)


Value: TypeAlias = str | AnyOf | None
"""What a template protects: a value, the missing value, or a union."""


def is_prefix(element: str) -> bool:
    """Say whether an element may stand for all values that begin alike."""
    return element.endswith(STAR)


def spelled_element(value: str | None) -> str:
    """A value as its policy spells it."""
    return "missing" if value is None else value


def spelled(value: Value) -> str:
    """A protected value, or a union of them, as the owner reads it."""
    return value.text if isinstance(value, AnyOf) else spelled_element(value)


def elements_of(value: Value) -> tuple[str | None, ...]:
    """The elements of a union; a single value is its only one.

    >>> elements_of("HIV"), elements_of(AnyOf(("B20.*", None)))
    (('HIV',), ('B20.*', None))
    """
    return value.elements if isinstance(value, AnyOf) else (value,)


def holds(one: Value, other: Value) -> bool:
    """Say whether a protected value stands for all that another one stands for, in every table.

    Claim: an element stands for the same values in every union, and at least for
    the value that is spelled like it, so more elements stand for more values.
    """
    if isinstance(one, AnyOf):
        return set(elements_of(other)) <= set(one.elements)
    return one == other
