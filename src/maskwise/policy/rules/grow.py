"""`grow`: a tree that is grown from the counts of a column."""

from __future__ import annotations

from enum import StrEnum


class GrowBy(StrEnum):
    """What the values of a grown tree are put together by."""

    CLASSES = "classes"
    """Values with alike classes."""
    FREQUENCY = "frequency"
    """Halves with alike numbers of records."""
    SIMILARITY = "similarity"
    """Values that are spelled alike."""
