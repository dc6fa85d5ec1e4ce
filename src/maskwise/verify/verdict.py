"""What a recount says of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.requirements.unit import Unit
from maskwise.values.message import warnings_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from maskwise.policy.requirements.base import Part, Requirement
    from maskwise.values.message import Message


_UNTOLD = "…"
"""What stands for a value of a sensitive column that the policy does not name."""


_MASKED = "*"
"""What a release may show instead of any value, so that it tells none."""


@dataclass(frozen=True, slots=True)
class Tightest:
    """The group that comes nearest to breaking a rule, or breaks it most."""

    part: Part
    """The rule; of several alike on different QIDs, the one that is tightest."""
    figure: float
    """How the group stands: its records, the share of a sensitive value, how diverse, how far."""
    n_records: int
    """The records of the group, or its persons where those are counted."""
    shown: tuple[str | None, ...]
    """What the group shows on the rule's QID; nothing if the group is one person."""
    unit: Unit = Unit.RECORD
    """What is counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the recount says of one requirement."""

    requirement: Requirement
    """What was asked."""
    figure: float
    """The smallest group (0 for a table without records), the largest confidence or distance, the least diversity."""
    n_groups: int
    """How many groups there are."""
    n_violating_groups: int
    """How many of them break the requirement."""
    n_violating_records: int
    """How many records, or persons, are in those; on several QIDs, summed over them."""
    sizes: tuple[tuple[int, int], ...]
    """Each group size in records or persons that occurs, and how many groups have it."""
    tightest: tuple[Tightest, ...] = ()
    """Where a sensitive column is protected: the group that stands worst by each rule."""
    n_rows: int = 0
    """The records of the table."""
    unit: Unit = Unit.RECORD
    """What was counted."""

    @property
    def is_met(self) -> bool:
        """Whether the requirement holds."""
        return self.n_violating_groups == 0

    @property
    def anonymity(self) -> int:
        """The smallest group; 0 for a table without records."""
        return self.sizes[0][0] if self.sizes else 0

    def complaint(self) -> str:
        """What is not met, in a few words.

        >>> from maskwise import KAnonymity
        >>> Finding(KAnonymity(("Age",), 5), 3, 4, 1, 3, ((3, 1), (9, 3))).complaint()
        'k=5 on {Age} is not met, it reaches 3'
        """
        reached = "no bound" if self.figure == float("inf") else f"{self.figure:.4g}"
        return f"{self.requirement.asks()} is not met, it reaches {reached}"

    def quantile(self, share: float) -> int:
        """The group size that `share` of the groups do not exceed.

        >>> from maskwise import KAnonymity
        >>> Finding(KAnonymity(("a",), 2), 2, 4, 0, 0, ((2, 3), (9, 1))).quantile(0.5)
        2
        """
        if not self.sizes:
            return 0
        upto = np.cumsum([n for _, n in self.sizes])
        return self.sizes[int(np.searchsorted(upto, share * upto[-1]))][0]

    def histogram(self) -> list[tuple[int, int | None, int, int]]:
        """Group sizes in ranges from below k to 100 k and more: (from, to or None, groups, records or persons)."""
        k = self.requirement.k or 10
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
    messages: tuple[Message, ...] = ()
    """Of protected values that no record had: of the audited table, or of the one that was masked."""
    n_persons: int | None = None
    """The persons that the records are about; None if records were counted."""

    @property
    def unit(self) -> Unit:
        """What was counted."""
        return Unit.RECORD if self.n_persons is None else Unit.PERSON

    @property
    def is_met(self) -> bool:
        """Whether every requirement holds."""
        return all(finding.is_met for finding in self.findings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes a requirement hold for the wrong reason; names protected values, so it is for the owner."""
        return warnings_of(self.messages)

    def hiding(self, named: Mapping[str, Collection[str]]) -> Verdict:
        """The same without the values of sensitive columns that groups show where such a column is in another's QID.

        Args:
            named: The sensitive columns, each with the values of it that may be told.
        """
        return replace(self, findings=tuple(replace(f, tightest=_hide(f.tightest, named)) for f in self.findings))


def _hide(tightest: tuple[Tightest, ...], named: Mapping[str, Collection[str]]) -> tuple[Tightest, ...]:
    return tuple(
        replace(
            tight,
            shown=tuple(
                _UNTOLD if name in named and text is not None and text not in (*named[name], _MASKED) else text
                for name, text in zip(tight.part.qid, tight.shown, strict=False)
            ),
        )
        for tight in tightest
    )
