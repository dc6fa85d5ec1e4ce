"""Whom suppression hits: how many records of each class and of each protected value it takes, beside the share of all.

For the owner alone: suppression must not quietly remove a minority.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import RefusedError, plural
from maskwise.policy.budget import Suppressed
from maskwise.release.suppress import FLAG
from maskwise.values.message import Audience, Level, Message, private_note
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.release.suppress import SuppressedTable
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table

TIMES = 5
"""The owner is warned where a class or a protected value loses so many times the share of all."""


@dataclass(frozen=True, slots=True)
class HitPart:
    """The records of one class, or with one protected value."""

    column: str
    """The class, or the sensitive column."""
    value: str | None
    """Which class or value; None is the missing one."""
    n_records: int
    """How many records it has in the table."""
    n_suppressed: int
    """How many of them are suppressed."""

    @property
    def share(self) -> float:
        """The share that is suppressed."""
        return self.n_suppressed / self.n_records


@dataclass(frozen=True, slots=True)
class SuppressedShare:
    """How many records were suppressed, and whom that hits."""

    shown_as: Suppressed
    """What became of them."""
    most: int
    """How many the budget allows, of what requirements count."""
    n_counted: int
    """How many were suppressed, of what requirements count: records or persons."""
    n_all: int
    """The records of the table."""
    n_records: int = 0
    """The records that were suppressed."""
    parts: tuple[HitPart, ...] = ()
    """The classes, then the values that templates protect."""

    @property
    def share(self) -> float:
        """The share of records that were suppressed."""
        return self.n_records / self.n_all if self.n_all else 0.0

    @property
    def hard_hit(self) -> tuple[HitPart, ...]:
        """The parts that lose five times the share of all, or more."""
        return tuple(part for part in self.parts if part.n_suppressed and part.share >= TIMES * self.share)


def count_suppressed(
    suppressed: SuppressedTable | None, policy: Policy, solution: Solution, profile: Profile
) -> SuppressedShare:
    """Count whom suppression hits.

    Args:
        suppressed: The masked table and its suppressed records; None if there are none.
        policy: What was asked; it has a budget.
        solution: What was found.
        profile: The counts of the table.

    Raises:
        RefusedError: The engine suppressed other records than the search did.
    """
    budget, said = policy.suppress, solution.suppression
    assert budget is not None  # noqa: S101 - else nothing is suppressed
    assert said is not None  # noqa: S101 - as above
    found = SuppressedShare(budget.shown_as, budget.most(profile.n_counted), said.n_counted, profile.n_rows)
    if suppressed is None:
        return found
    is_same = suppressed.n_suppressed == said.n_counted or policy.person is not None
    if not is_same or not said.n_counted:
        msg = (
            f"{plural(suppressed.n_suppressed, 'record')} of the masked table are suppressed, not {said.n_counted:,}. "
            "Nothing was released. Please report this as a bug."
        )
        raise RefusedError(msg)
    masked = {cut.attribute for cut in solution.cuts}
    parts = list(_classes(suppressed.marked, policy.class_name))
    parts += _protected(suppressed.marked, policy, profile, masked)
    return SuppressedShare(
        found.shown_as, found.most, found.n_counted, found.n_all, suppressed.n_suppressed, tuple(parts)
    )


def _counts(table: Table, name: str) -> dict[str | None, tuple[int, int]]:
    """For each value of a column its records, and those that are suppressed."""
    records = table.expr.select(cell=table.column(name), flag=table.expr[FLAG])
    counted = records.group_by("cell").aggregate(n=records.count(), gone=records["flag"].sum())
    found: dict[str | None, tuple[int, int]] = {}
    for row in table.engine.fetch(counted).to_pylist():
        text = None if row["cell"] is None else text_of(row["cell"])
        n, gone = found.get(text, (0, 0))
        found[text] = (n + int(row["n"]), gone + int(row["gone"]))
    return found


def _classes(table: Table, class_name: str | None) -> Iterator[HitPart]:
    if class_name is not None and class_name in table.names:
        counts = _counts(table, class_name)
        for value in sorted(counts, key=lambda text: (text is None, text)):
            yield HitPart(class_name, value, *counts[value])


def _protected(table: Table, policy: Policy, profile: Profile, masked: set[str]) -> Iterator[HitPart]:
    """The values that requirements name, each by itself; of columns that are not masked themselves."""
    named: dict[tuple[str, str | None], None] = {}
    for part in (part for requirement in policy.requirements for part in requirement.parts):
        counted = part.counted
        if counted is not None and counted.values is not None and counted.column not in masked:
            sets = profile.sensitive[counted.column].sets_of(counted)
            named.update({(counted.column, value): None for values in sets for value in values})
    for column in dict.fromkeys(column for column, _ in named):
        counts = _counts(table, column)
        for own, value in named:
            if own == column and value in counts:
                yield HitPart(column, value, *counts[value])


def suppression_messages(hit: SuppressedShare | None, policy: Policy) -> tuple[Message, ...]:
    """Say how many records were suppressed, and warn where that takes most of a minority.

    Args:
        hit: What was suppressed.
        policy: What was asked.
    """
    budget = policy.suppress
    if hit is None or budget is None:
        return ()
    became = "removed" if hit.shown_as is Suppressed.REMOVED else "shown as roots"
    of_all = f"{plural(hit.n_records, 'record')} of {hit.n_all:,} ({100 * hit.share:.2f} %)"
    about = "" if policy.person is None else f", of {plural(hit.n_counted, 'person')},"
    notes = [private_note(f"{of_all}{about} {'was' if hit.n_records == 1 else 'were'} suppressed: {became}.")]
    if not hit.most:
        notes.append(
            private_note(f"`suppress: {budget.text}` of this table is less than one {policy.unit}: it allows none.")
        )
    largest = max(policy.floors().values(), default=0)
    if hit.most and hit.shown_as is Suppressed.ROOT and hit.most < largest:
        text = (
            f"`suppress: {budget.text}` allows {plural(hit.most, policy.unit)}, which is fewer than k={largest:,}. "
            "Shown as roots they would be a group that is too small by itself. Write `as: removed`, or raise the share."
        )
        notes.append(private_note(text))
    warnings = []
    for part in hit.hard_hit:
        of = f"a class of `{part.column}`" if part.column == policy.class_name else f"a value of `{part.column}`"
        text = (
            f"Suppression takes {100 * part.share:.1f} % of the records of {of}, and {100 * hit.share:.1f} % of all. "
            "The owner's report lists whom it hits. Lower the share, or ask for less."
        )
        warnings.append(Message(Level.WARNING, Audience.OWNER, text))
    return (*warnings, *notes)
