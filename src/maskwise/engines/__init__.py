"""Where the records are.

Only four verbs cross this border: scan, group, relabel, write. An engine gets
them through Ibis, so the rest of maskwise never names a database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.typed import Scale


@dataclass(frozen=True, slots=True)
class Relabel:
    """How one column is rewritten as text."""

    keys: pa.Array
    """Every distinct value the column holds, without the missing one."""
    shown: Sequence[str | None]
    """For each key the text that replaces it; None writes a missing cell."""
    missing: str | None = None
    """The text that replaces a missing cell."""
    steps: tuple[tuple[Any, str], ...] = ()
    """For an ordered column, instead of `shown`: ascending (exclusive upper end, text); the last end is None."""
    scale: Scale | None = None
    """What the ends of `steps` are."""


class Engine(Protocol):
    """Four verbs, each a scan, a GROUP BY or a relabelling."""

    def scan(self, source: Path | pa.Table, columns: Sequence[str]) -> ir.Table:
        """Open a file or an Arrow table, its columns renamed to c0, c1, ... in order."""

    def group(self, table: ir.Table, keys: Sequence[ir.Value]) -> pa.Table:
        """Count the records of each combination of keys, as columns k0, k1, ... and n."""

    def relabel(self, table: ir.Table, columns: Mapping[str, Relabel]) -> ir.Table:
        """Rewrite columns as text, keeping the order of rows."""

    def write(self, table: ir.Table, path: Path, names: Sequence[str]) -> None:
        """Write a table under `names` to a file whose format the suffix tells."""
