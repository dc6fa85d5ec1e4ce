"""An independent recount: does a table meet the requirements?

Nothing here knows how a table was masked. The verdict comes from plain GROUP
BYs over the table as it was written, so it also audits what other tools made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.arrow import as_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.policy import KAnonymity
    from maskwise.read import Table


@dataclass(frozen=True, slots=True)
class Finding:
    """What the recount says of one requirement."""

    requirement: KAnonymity
    """What was asked."""
    anonymity: int
    """The smallest group; 0 for a table without records."""
    n_groups: int
    """How many groups there are."""
    n_violating_groups: int
    """How many of them are too small."""
    n_violating_records: int
    """How many records are in those."""
    sizes: tuple[tuple[int, int], ...]
    """Each group size that occurs, and how many groups have it."""

    @property
    def is_met(self) -> bool:
        """Whether the requirement holds."""
        return self.n_violating_groups == 0

    def quantile(self, share: float) -> int:
        """The group size that `share` of the groups do not exceed.

        >>> from maskwise.policy import KAnonymity
        >>> Finding(KAnonymity(("a",), 2), 2, 4, 0, 0, ((2, 3), (9, 1))).quantile(0.5)
        2
        """
        if not self.sizes:
            return 0
        upto = np.cumsum([n for _, n in self.sizes])
        return self.sizes[int(np.searchsorted(upto, share * upto[-1]))][0]

    def histogram(self) -> list[tuple[int, int | None, int, int]]:
        """Group sizes in ranges that double from k on: (from, to or None, groups, records)."""
        k = max(self.requirement.k, 1)
        edges = [1, k, 2 * k, 5 * k, 10 * k, 100 * k]
        rows = []
        for low, high in zip(edges, [*edges[1:], None], strict=True):
            if high is not None and low >= high:
                continue
            inside = [(size, n) for size, n in self.sizes if size >= low and (high is None or size < high)]
            top = None if high is None else high - 1
            rows.append((low, top, sum(n for _, n in inside), sum(size * n for size, n in inside)))
        return rows


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the recount says of a table."""

    n_rows: int
    """Its records."""
    findings: tuple[Finding, ...]
    """One for each requirement, in policy order."""

    @property
    def is_met(self) -> bool:
        """Whether every requirement holds."""
        return all(finding.is_met for finding in self.findings)


def verify(table: Table, requirements: Sequence[KAnonymity]) -> Verdict:
    """Recount a table from nothing but its cells.

    Claim: a requirement holds if and only if its finding has no violating
    group, because every record is in exactly one group of the recount.

    Example:
        >>> import pyarrow as pa
        >>> from maskwise.policy import KAnonymity
        >>> from maskwise.read import read
        >>> masked = pa.table({"Age": ["[1, 40)", "[1, 40)", "[40, 99]"]})
        >>> verify(read(masked), [KAnonymity(("Age",), 2)]).is_met
        False
    """
    for requirement in requirements:
        for name in requirement.qid:
            table.require(name)
    findings = tuple(_recount(table, requirement) for requirement in requirements)
    n_rows = sum(size * n for size, n in findings[0].sizes) if findings else table.n_rows()
    return Verdict(n_rows, findings)


def _recount(table: Table, requirement: KAnonymity) -> Finding:
    sizes, n_groups = _group_sizes(table, requirement.qid)
    small = sizes < requirement.k
    return Finding(
        requirement,
        int(sizes[0]) if len(sizes) else 0,
        int(n_groups.sum()),
        int(n_groups[small].sum()),
        int((sizes * n_groups)[small].sum()),
        tuple(zip(sizes.tolist(), n_groups.tolist(), strict=True)),
    )


def _group_sizes(table: Table, qid: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The group sizes that occur, ascending, and how many groups have each; only these leave the engine."""
    groups = table.expr.group_by(**{f"k{i}": table.column(name) for i, name in enumerate(qid)}).agg(
        n=table.expr.count()
    )
    counted = table.engine.fetch(groups.group_by("n").agg(groups=groups.count()).order_by("n"))
    return (
        as_numpy(counted.column("n")).astype(np.int64),
        as_numpy(counted.column("groups")).astype(np.int64),
    )
