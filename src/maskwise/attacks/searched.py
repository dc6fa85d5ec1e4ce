"""What a search leaves behind for those who attack its result: its trees, its counts and its cuts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.compress.qid_tables import QidTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import Compact
    from maskwise.compress.request import TableRequest
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.search.interface import Search
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.solution import Solution

REGIONAL = "Regions have cuts of their own, and this attack is worked out for one cut of the whole table."
"""Why some attacks are not tried on a solution with regions."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A cut, and the counts from which it was found."""

    policy: Policy
    """What the owner asked."""
    tried: Policy
    """What the search went by: the same, or with tighter bounds."""
    profile: Profile
    """One-dimensional counts."""
    trees: Sequence[AnyTree]
    """The value trees by whose codes the records were counted."""
    requests: Sequence[TableRequest]
    """What was counted on each distinct QID."""
    tables: Sequence[Compact]
    """The counts."""
    solution: Solution
    """The cut that was found."""
    search: Search | None = None
    """What found it; None where an earlier solution was put beside its counts again."""

    @property
    def has_class(self) -> bool:
        """Whether the search wants to tell a class."""
        return self.profile.class_name is not None

    @property
    def n_cells(self) -> int:
        """How many codes its compressed tables have: what an attack has to look at."""
        return self.tables.n_codes if isinstance(self.tables, QidTables) else sum(one.codes.size for one in self.tables)

    @property
    def has_linked_rows(self) -> bool:
        """Whether some persons have several rows."""
        tables = self.tables.counted if isinstance(self.tables, QidTables) else self.tables
        return any(table.persons is not None for table in tables)
