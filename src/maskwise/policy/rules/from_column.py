"""`from_column`: a tree that other columns of the table tell, such as city, county and state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from maskwise.errors import PolicyError


@dataclass(frozen=True, slots=True)
class FromColumn:
    """A tree of a column's values in which each stands below the cells that its records have in other columns.

    >>> FromColumn.from_data(["county", "state"]).height
    3
    """

    columns: tuple[str, ...]
    """The columns, the one with the smallest groups first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "from_column"

    @property
    def height(self) -> int:
        """How many levels its tree has, at most."""
        return len(self.columns) + 1

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read what stands beside the key: a column, or several, the one with the smallest groups first."""
        names = data if isinstance(data, list | tuple) else [] if data is None else [data]
        columns = tuple(str(name) for name in names)
        if not columns or len(set(columns)) < len(columns):
            msg = (
                "`from_column` lists other columns, each once, the smallest groups first: from_column: [county, state]."
            )
            raise PolicyError([msg])
        return cls(columns)

    def to_data(self) -> Any:
        """What a policy says."""
        return list(self.columns)
