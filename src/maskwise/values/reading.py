"""How a table is read before anything is asked of it; a policy says so, and a solution remembers it for later rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """How the cells of a table are understood when it is opened.

    >>> Reading(na_values=("NA", "?")).na_values
    ('NA', '?')
    """

    na_values: tuple[str, ...] = ()
    """Cells spelled so are missing cells, in every column."""


AS_IT_IS = Reading()
"""Nothing is taken for something else."""
