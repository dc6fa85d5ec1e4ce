"""What a private run gives back: only what the mechanism released, and what follows from the policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.policy.private_release import COUNT, PrivateForm

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.policy.policy import Policy
    from maskwise.policy.private_release import PrivateRelease
    from maskwise.private.ledger import LedgerState
    from maskwise.private.mechanism import Released
    from maskwise.solution.solution import Solution


@dataclass(frozen=True, slots=True, repr=False)
class PrivateOutcome:
    """A differentially private release and how it came about; all of it may accompany the release.

    Claim: two tables for which the mechanism draws the same give the same
    outcome. It holds the policy, what the mechanism released, and the engine.
    """

    data: Any
    """What was released: the path that was written, or a table of the kind that was given."""
    policy: Policy
    """What was asked."""
    released: Released
    """What the mechanism released."""
    solution: Solution
    """The cuts, which mask later rows in the same way."""
    ledger: LedgerState | None = None
    """What was spent on the same people by all releases, where a ledger is kept."""
    engine: tuple[str, str] = ("", "")
    """What the engine is called, and its version."""
    written: Path | None = None
    """The file or folder of the release before it gets its name, which `beside` can read; None for a table."""
    is_escaped: bool = False
    """Whether cells that a spreadsheet would run were quoted."""

    def __repr__(self) -> str:
        """What was released, in a line."""
        return f"PrivateOutcome({self.asked.asks()}; {plural(self.n_records, 'record')} by noisy counts)"

    @property
    def asked(self) -> PrivateRelease:
        """What was asked."""
        assert self.policy.private is not None  # noqa: S101 - every private run has one
        return self.policy.private

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release."""
        return released_columns(self.policy)

    @property
    def n_records(self) -> int:
        """All noisy counts together."""
        return int(self.released.cells.counts.sum())

    @property
    def n_rows(self) -> int:
        """The rows of the release: records, or combinations with their counts."""
        is_counts = self.asked.form is PrivateForm.COUNTS
        return len(self.released.cells.counts) if is_counts else self.n_records

    def summary(self) -> str:
        """What was asked and released, in lines."""
        cells = self.released.cells
        steps = [f"  {one.attribute}: {one.before} -> {', '.join(one.after)}" for one in self.released.chosen]
        shown = [f"  {cut.attribute} ({cut.kind}) shows {', '.join(cut.labels)}" for cut in self.solution.cuts]
        counted = (
            f"{self.asked.asks()}: {plural(self.n_records, 'record')} in {plural(len(cells.counts), 'combination')}, "
            f"by noisy counts (scale {cells.scale:.3g}, threshold {cells.threshold})."
        )
        lines = [
            counted,
            f"Chosen by the mechanism ({plural(len(steps), 'refinement')} of at most {self.released.n_steps}):",
            *steps,
            "Shown:",
            *shown,
            "Every other column is left out.",
        ]
        if self.ledger is not None:
            said = self.ledger
            lines.append(
                f"Ledger: {float(said.spent):g} of {float(said.total):g} spent on these people, by "
                f"{plural(said.n_releases, 'release')}{'; the file is new' * said.is_new}."
            )
        return "\n".join(lines)


def released_columns(policy: Policy) -> tuple[str, ...]:
    """The columns of a private release: the attributes, the class, and the counts where these are asked for."""
    assert policy.private is not None  # noqa: S101 - asked of private policies only
    counts = [COUNT] if policy.private.form is PrivateForm.COUNTS else []
    return (*policy.private.attributes, str(policy.class_name), *counts)
