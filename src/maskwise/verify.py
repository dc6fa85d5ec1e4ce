"""An independent recount: does a table meet the requirements?

Nothing here knows how a table was masked. The verdict comes from plain GROUP
BYs over the table as it was written, so it also audits what other tools made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.arrow import as_numpy
from maskwise.policy import Confidence, KAnonymity, Template
from maskwise.typed import is_spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.policy import Requirement
    from maskwise.read import Table


@dataclass(frozen=True, slots=True)
class Tightest:
    """The group in which a sensitive value has its largest share."""

    sensitive: str
    """The sensitive column."""
    confidence: float
    """The share."""
    bound: float
    """The largest share allowed."""
    n_records: int
    """The records of the group."""
    shown: tuple[str | None, ...]
    """What the group shows on the QID."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the recount says of one requirement."""

    requirement: Requirement
    """What was asked."""
    figure: float
    """The smallest group (0 for a table without records), or the largest confidence."""
    n_groups: int
    """How many groups there are."""
    n_violating_groups: int
    """How many of them break the requirement."""
    n_violating_records: int
    """How many records are in those."""
    sizes: tuple[tuple[int, int], ...]
    """Each group size that occurs, and how many groups have it."""
    tightest: tuple[Tightest, ...] = ()
    """For templates: of each protected value the group that tells most."""

    @property
    def is_met(self) -> bool:
        """Whether the requirement holds."""
        return self.n_violating_groups == 0

    @property
    def anonymity(self) -> int:
        """The smallest group; 0 for a table without records."""
        return self.sizes[0][0] if self.sizes else 0

    def complaint(self) -> str:
        """What is not met, in a few words."""
        if isinstance(self.requirement, KAnonymity):
            return f"{self.requirement.name} reaches {self.anonymity}, asked {self.requirement.k}"
        return f"{self.requirement.name} reaches a confidence of {self.figure:.4f}, asked {self.requirement.asks()}"

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
        """Group sizes in ranges from below k to 100 k and more: (from, to or None, groups, records)."""
        k = max(self.requirement.k, 1) if isinstance(self.requirement, KAnonymity) else 10
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


def verify(table: Table, requirements: Sequence[Requirement]) -> Verdict:
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
        for part in requirement.parts:
            if isinstance(part, Template):
                table.require_sensitive(part.sensitive)
    findings = tuple(_recount(table, requirement) for requirement in requirements)
    n_rows = sum(size * n for size, n in findings[0].sizes) if findings else table.n_rows()
    return Verdict(n_rows, findings)


def _recount(table: Table, requirement: Requirement) -> Finding:
    sizes, n_groups = _group_sizes(table, requirement.qid)
    told = tuple(zip(sizes.tolist(), n_groups.tolist(), strict=True))
    if isinstance(requirement, KAnonymity):
        small = sizes < requirement.k
        n_broken, n_records = int(n_groups[small].sum()), int((sizes * n_groups)[small].sum())
        return Finding(requirement, int(sizes[0]) if len(sizes) else 0, int(n_groups.sum()), n_broken, n_records, told)
    tightest, n_broken, n_records = _inferences(table, requirement)
    worst = max((tight.confidence for tight in tightest), default=0.0)
    return Finding(requirement, worst, int(n_groups.sum()), n_broken, n_records, told, tightest)


def _inferences(table: Table, requirement: Confidence) -> tuple[tuple[Tightest, ...], int, int]:
    """Of each protected value the group that tells most; and how many groups, and records in them, tell too much.

    A share is compared with its bound as whole numbers: s / n <= p / q where s * q <= p * n.
    """
    import ibis  # noqa: PLC0415 - heavy

    parts = requirement.templates
    keys = {f"k{i}": table.column(name).cast("string") for i, name in enumerate(requirement.qid)}
    cells = {name: table.distinct(name).keys.to_pylist() for name in dict.fromkeys(part.sensitive for part in parts)}
    marks = {f"s{p}": _is_value(table, part, cells[part.sensitive]).cast("int64") for p, part in enumerate(parts)}
    marked = table.expr.select(**keys, **marks)
    groups = marked.group_by(list(keys)).agg(n=marked.count(), **{name: marked[name].sum() for name in marks})
    told = ibis.literal(value=False)
    for p, part in enumerate(parts):
        over, under = part.bound.as_integer_ratio()
        told |= groups[f"s{p}"] * under > groups["n"] * over
    broken = groups.filter(told)
    counted = table.engine.fetch(broken.aggregate(groups=broken.count(), records=broken["n"].sum().fill_null(0)))
    tightest = []
    for p, part in enumerate(parts):
        share = groups[f"s{p}"].cast("float64") / groups["n"]
        first = groups.mutate(share=share).order_by(ibis.desc("share"), ibis.desc("n"), *keys).limit(1)
        for row in table.engine.fetch(first).to_pylist():
            shown = tuple(row[key] for key in keys)
            tightest.append(Tightest(part.sensitive, float(row["share"]), float(part.bound), int(row["n"]), shown))
    return tuple(tightest), int(counted.column(0)[0].as_py()), int(counted.column(1)[0].as_py())


def _is_value(table: Table, part: Template, cells: Sequence[object]) -> ir.BooleanValue:
    """Whether a cell holds the protected value, however its type spells it.

    Args:
        table: The records.
        part: Whose value.
        cells: The distinct cells of its column.
    """
    cell = table.column(part.sensitive)
    if part.value is None:
        return cell.isnull()
    return cell.isin([key for key in cells if is_spelled(key, part.value)]).fill_null(False)  # noqa: FBT003


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
