"""What requirements count: records, or the persons that they are about."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """What is counted, as the noun that messages use."""

    RECORD = "record"
    """Each record by itself."""
    PERSON = "person"
    """A person once, however many records are about it."""

    @property
    def plural(self) -> str:
        """Several of them.

        >>> Unit.PERSON.plural
        'persons'
        """
        return f"{self}s"

    def limits(self, what: str) -> str:
        """Why the whole table as one group limits what a search finds.

        Args:
            what: What no masking of records reaches.
        """
        # A person may be in several groups, so parts may have smaller shares of persons than the whole.
        return f"no masking can reach {what}" if self is Unit.RECORD else "every search starts there"
