"""What a search takes for known of a record before any masked column: the choices."""

from __future__ import annotations

from enum import StrEnum


class Background(StrEnum):
    """How it is found out what the unmasked columns tell of the class, which recipients get anyway."""

    ODDS = "odds"
    """By the odds of each value, counted where the records are; only counts travel."""
    NONE = "none"
    """Not at all: every masked column is weighed as if it were alone."""
