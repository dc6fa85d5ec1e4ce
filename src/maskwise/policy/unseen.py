"""Protected values that no record has."""

from __future__ import annotations

from dataclasses import dataclass


def occurs_nowhere(column: str) -> str:
    """Say that no record has a protected value of a column, without the value."""
    return f"A protected value of `{column}` occurs in no record. Is it spelled as in the data?"


@dataclass(frozen=True, slots=True)
class Unseen:
    """A value that a policy protects and no record has: most likely it is misspelt, and nobody is protected."""

    at: str
    """Where it stands in its file."""
    column: str
    """The sensitive column."""
    value: str
    """The value as the policy spells it; no cell of the data is spelled so."""
    ask: str
    """What to look at. Another spelling is one of the policy's own, never one of the data."""

    @property
    def note(self) -> str:
        """What may accompany a release."""
        return self.at + occurs_nowhere(self.column)

    @property
    def warning(self) -> str:
        """What the owner is told."""
        return f"{self.at}`{self.value}` of `{self.column}` is protected but occurs in no record.{self.ask}"
