"""Whom the records are about: the column that says so, what the release shows of it, and what is counted.

Without such a column a record stands for a person. With one, every requirement
counts distinct persons, however many records each of them has.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import InputError, plural

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class PersonColumn(StrEnum):
    """What a release shows of the column that names persons."""

    DROP = "drop"
    """Nothing: the column is left out."""
    PSEUDONYM = "pseudonym"
    """A random text for each person, the same in all records of the person, another one in every release."""


@dataclass(frozen=True, slots=True)
class Person:
    """The column that says whom a record is about.

    Example:
        >>> Person("patient_id").is_released
        False
    """

    column: str
    """Its name. Equal cells are the same person."""
    release: PersonColumn = PersonColumn.DROP
    """What the release shows of it."""

    @property
    def is_released(self) -> bool:
        """Whether the release has the column, with pseudonyms."""
        return self.release is PersonColumn.PSEUDONYM

    def refuse_missing(self, n_missing: int) -> None:
        """Refuse records of nobody: they could be one person's or many persons'."""
        if n_missing:
            msg = (
                f"Column `{self.column}` says whom a record is about, and {plural(n_missing, 'cell')} of it "
                f"{'is' if n_missing == 1 else 'are'} missing. Fill them, or leave these records out."
            )
            raise InputError(msg)

    def mistakes(self, roles: Sequence[tuple[str, Collection[str | None]]]) -> list[str]:
        """Say what else the column is asked to be, which it cannot be.

        Args:
            roles: What a column may be, and the columns that are it.
        """
        return [
            f"`{self.column}` names persons and is also {role}. Take it out of one of them."
            for role, columns in roles
            if self.column in columns
        ]
