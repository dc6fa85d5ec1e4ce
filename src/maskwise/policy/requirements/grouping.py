"""Groups of sensitive values: diversity and closeness may look at groups of values instead of single ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.requirements.file_form import Key, ValueMistake
from maskwise.policy.requirements.qid import refuse

if TYPE_CHECKING:
    from maskwise.policy.requirements.file_form import Entry

MOST_LETTERS = 1_000
"""Longer prefixes than any value has."""


class GroupedBy(StrEnum):
    """By what the values of a sensitive column are grouped."""

    PREFIX = "prefix"
    """By their first characters."""
    LEVEL = "level"
    """By the value of the column's taxonomy above them that is so deep; a value less deep is a group of its own."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """How the values of a sensitive column are grouped before they are counted.

    >>> Grouping(GroupedBy.PREFIX, 3).text
    'prefix 3'
    """

    kind: GroupedBy
    """By what."""
    n: int
    """How many characters, or how deep below the root."""

    def __post_init__(self) -> None:
        """Refuse a grouping that makes one group of all values."""
        if not 1 <= self.n <= MOST_LETTERS:
            refuse([f"`by: {self.text}` would make one group of all values. Write a number from 1 on."])

    @property
    def text(self) -> str:
        """How a policy file says it."""
        return f"{self.kind} {self.n}"


def _read_by(value: object) -> object:
    found = re.fullmatch(r"\s*(prefix|level)\s+([0-9]{1,4})\s*", value) if isinstance(value, str) else None
    if value is not None and found is None:
        raise ValueMistake("`by` is `prefix 1`, the first character of a value, or `level 1`, a depth in its taxonomy")
    return None if found is None else (GroupedBy(found[1]), int(found[2]))


BY = Key("by", read=_read_by)
"""How sensitive values are grouped first."""


def grouping_of(entry: Entry) -> Grouping | None:
    """The grouping that an entry asks for, if it does."""
    return Grouping(*entry["by"]) if "by" in entry else None


def by_text(by: Grouping | None) -> str:
    """How a requirement names its grouping, after its column.

    >>> by_text(Grouping(GroupedBy.PREFIX, 3)), by_text(Grouping(GroupedBy.LEVEL, 1))
    (' grouped by its first 3 characters', ' grouped 1 level below the top of its tree')
    """
    if by is None:
        return ""
    if by.kind is GroupedBy.LEVEL:
        return f" grouped {plural(by.n, 'level')} below the top of its tree"
    return f" grouped by its first {'character' if by.n == 1 else plural(by.n, 'character')}"


def by_data(by: Grouping | None) -> dict[str, str]:
    """What a policy file says of it."""
    return {} if by is None else {"by": by.text}
