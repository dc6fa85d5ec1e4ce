"""Earlier releases of the same people: what they show is known to attackers, so it is counted with.

The label that an earlier solution gives each cell becomes a column beside the
table. Every requirement is asked a second time on its QID and these columns, so
that the search, the gate and the recount judge the groups of all releases
together, without a case of their own. The columns are left out of the release.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from maskwise.errors import InfeasibleError, InputError, plural, quote
from maskwise.formats.solution_file import dumps, read_solution
from maskwise.policy.attributes import Attribute, Kind, Missing
from maskwise.policy.requirements.joint import Joint
from maskwise.release import mask as masking
from maskwise.release.earlier_regions import label_earlier_regions
from maskwise.solution.solution import Solution
from maskwise.values.message import Audience, Level, Message, private_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.source_lines import Document, Place
    from maskwise.profile.columns import Profile
    from maskwise.solution.cut import Cut
    from maskwise.solution.reasons import Reasons
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict


@dataclass(frozen=True, slots=True)
class EarlierRelease:
    """A release of the same people that others have already."""

    number: int
    """Its place among those that were named, from 1."""
    solution: Solution
    """How it was masked."""
    sha256: str
    """The hash of its solution file, by which the owner finds it again."""
    path: Path | None = None
    """That file, if it was read from one."""

    def cut(self, attribute: str) -> Cut | None:
        """How it shows a column that it does not show as it is."""
        cuts = (*self.solution.cuts, *self.solution.fixed)
        return next((cut for cut in cuts if cut.attribute == attribute), None)

    def shows(self, attribute: str) -> bool:
        """Whether it has the column, masked or as it is."""
        return attribute in self.solution.columns

    def label_column(self, attribute: str) -> str:
        """What the column with its labels is called."""
        return f"{attribute}, earlier release {self.number}"


def read_earlier(against: str | Path | Solution | Sequence[str | Path | Solution]) -> tuple[EarlierRelease, ...]:
    """Read the solutions of earlier releases.

    Args:
        against: Solution files, or Solutions; one or several.
    """
    named = [against] if isinstance(against, str | Path | Solution) else list(against)
    found = []
    for number, one in enumerate(named, 1):
        solution = one if isinstance(one, Solution) else read_solution(Path(one))
        path = None if isinstance(one, Solution) else Path(one)
        if solution.suppression is not None:
            raise InputError(
                "An earlier release suppressed records, and which of them others have seen cannot be counted with yet. "
                "Mask both tables without `suppress`, or leave out --against."
            )
        content = dumps(solution).encode() if path is None else path.read_bytes()
        found.append(EarlierRelease(number, solution, hashlib.sha256(content).hexdigest(), path))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class JointProblem:
    """What is searched and recounted: the table and policy of the owner, with what earlier releases show."""

    table: Table
    """The records, with a column for each earlier label."""
    policy: Policy
    """The requirements, then each that earlier releases concern together with these."""
    asked: Policy
    """What the owner asks."""
    earlier: tuple[EarlierRelease, ...]
    """The earlier releases."""
    n_strange: tuple[int, ...]
    """For each of them the records with a cell that its solution does not know."""

    def own_solution(self, found: Solution) -> Solution:
        """The solution in the owner's terms: without what was counted with earlier releases."""
        n, implied = len(self.asked.requirements), self.asked.implied_by()
        known = set(self.policy.known)
        return replace(
            found,
            reached=tuple(replace(one, implied_by=implied.get(i)) for i, one in enumerate(found.reached[:n])),
            policy_hash=self.asked.fingerprint(),
            columns=tuple(name for name in found.columns if name not in known),
            against=tuple(one.sha256 for one in self.earlier),
            steps=tuple(replace(step, requirements=step.requirements[:n]) for step in found.steps),
            curve=tuple(replace(point, requirements=point.requirements[:n]) for point in found.curve),
        )

    def own_profile(self, profile: Profile) -> Profile:
        """The profile of the attributes that have a cut."""
        return replace(profile, columns=profile.columns[: self.policy.n_cuts])

    def own_reasons(self, reasons: Reasons) -> Reasons:
        """The reasons in the owner's terms: each is of a requirement of the policy.

        Args:
            reasons: Why each masked value is shown as it is.
        """
        asked = list(self.asked.requirements)
        own = [*range(len(asked)), *(asked.index(one.asked) for one in self.policy.requirements[len(asked) :])]  # type: ignore[attr-defined]

        def place(requirement: int | None) -> int | None:
            return None if requirement is None else own[requirement]

        return replace(
            reasons,
            reasons=tuple(
                replace(
                    one,
                    requirement=place(one.requirement),
                    breaks=tuple(replace(each, requirement=own[each.requirement]) for each in one.breaks),
                )
                for one in reasons.reasons
            ),
            binding=tuple((name, own[at]) for name, at in reasons.binding),
            changes=tuple(replace(change, requirement=place(change.requirement)) for change in reasons.changes),
        )

    def own_table(self, table: Table) -> Table:
        """The records without earlier labels."""
        return masking.drop_columns(table, self.policy.known)

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Where no masking meets the requirements, say of records that an earlier release cannot have had."""
        try:
            yield
        except InfeasibleError as error:
            strange = [
                f"Earlier release {one.number} does not know a value of at least {plural(n, 'record')} of this table: "
                "leave records out that were not in it."
                for one, n in zip(self.earlier, self.n_strange, strict=True)
                if n
            ]
            if not strange:
                raise
            raise InfeasibleError("\n".join([str(error), *strange])) from None

    def own_verdict(self, verdict: Verdict) -> Verdict:
        """The verdict on the release by itself."""
        return replace(verdict, findings=verdict.findings[: len(self.asked.requirements)])

    def messages(self, n_rows: int) -> tuple[Message, ...]:
        """What the owner should know of the earlier releases.

        Args:
            n_rows: The records of this release.
        """
        found: list[Message] = []
        for one, n_strange in zip(self.earlier, self.n_strange, strict=True):
            shown = [name for name in self.asked.masked if one.shows(name)]
            name = f"Earlier release {one.number} (solution {one.sha256[:12]})"
            if not shown:
                text = f"{name} shows no masked attribute, so nothing of it was counted with. Is it the right file?"
                found.append(Message(Level.WARNING, Audience.OWNER, text))
                continue
            found.append(private_note(f"{name} shows {quote(shown)}: what it shows of them counts as known."))
            signs = []
            if one.solution.n_rows != n_rows:
                signs.append(f"it has {plural(one.solution.n_rows, 'record')} and this one {n_rows:,}")
            if n_strange:
                hold = "holds" if n_strange == 1 else "hold"
                signs.append(
                    f"at least {plural(n_strange, 'record')} of this table {hold} a value that it did not know"
                )
            if signs:
                text = (
                    f"{name} is not of the same records: {', and '.join(signs)}. Joint groups are counted as if all "
                    "people of this table had been in it; among those who are in both they can be smaller."
                )
                found.append(Message(Level.WARNING, Audience.OWNER, text))
        return tuple(found)


def join_earlier(table: Table, policy: Policy, earlier: Sequence[EarlierRelease]) -> JointProblem:
    """Put the labels of earlier releases beside a table, and ask every requirement together with them, too.

    For each QID, what earlier releases show of its attributes counts as known:
    an attacker who knows these attributes of a person, and can tell which
    records of the releases are the same person's, looks for the person among
    the records that agree in all of it. What earlier releases show of other
    columns is not among what this attacker knows of the person.

    Args:
        table: The records.
        policy: What is asked.
        earlier: The earlier releases.

    Claim: a solution of the joint problem meets every requirement on the groups
    that all releases of these records form together.
    """
    known: dict[str, list[str]] = {name: [] for name in policy.masked}
    sources: dict[str, str] = {}
    relabels, n_strange = {}, []
    # Of releases with regions the labels stand beside the table already.
    regional: list[str] = []
    for one in earlier:
        _refuse_other_reading(one, policy)
        n = 0
        masked = [] if one.solution.regions is None else [cut.attribute for cut in one.solution.cuts]
        for attribute in filter(one.shows, policy.masked):
            table.require(attribute)
            label = one.label_column(attribute)
            if label in table.names:
                msg = f"The table has a column `{label}`. The labels of the earlier release are called so; rename it."
                raise InputError(msg)
            known[attribute].append(label)
            if attribute in masked:
                regional.append(label)
                continue
            sources[label] = attribute
            if (cut := one.cut(attribute)) is not None:
                fitted = masking.fit(table, cut, Missing.KEEP)
                relabels[label] = fitted.relabel
                n = max(n, fitted.unknown.n_records + fitted.n_outside)
        if masked:
            table, n_by_region = label_earlier_regions(
                table, one.solution, one.label_column, set(policy.masked), one.number
            )
            n = max(n, n_by_region)
        n_strange.append(n)
    # All at once: an expression of many layers takes seconds to compile.
    beside = {f"c{len(table.names) + i}": table.column(name) for i, name in enumerate(sources.values())}
    if sources:
        table = replace(table, expr=table.expr.mutate(**beside), names=(*table.names, *sources)).relabel(relabels)
    entries = tuple(Attribute(label, Kind.SUPPRESS, at_least=1, is_known=True) for label in (*sources, *regional))
    joint = {
        i: together
        for i, requirement in enumerate(policy.requirements)
        if (together := _together(requirement, known, earlier)) is not None
    }
    searched = policy
    if joint:
        searched = replace(
            policy,
            requirements=(*policy.requirements, *joint.values()),
            attributes=(*policy.attributes, *entries),
            document=_with_places(policy, list(joint)),
        )
    return JointProblem(table, searched, policy, tuple(earlier), tuple(n_strange))


def _with_places(policy: Policy, again: Sequence[int]) -> Document:
    """The file of a policy, in which requirements that are asked again stand where they stood.

    Args:
        policy: What the owner asks.
        again: The positions of these requirements.
    """
    lines, n = policy.document.lines, len(policy.requirements)
    found: dict[Place, int] = {
        ("requirements", n + j): lines["requirements", i] for j, i in enumerate(again) if ("requirements", i) in lines
    }
    return replace(policy.document, lines={**lines, **found})


def _together(requirement: Requirement, known: dict[str, list[str]], earlier: Sequence[EarlierRelease]) -> Joint | None:
    """A requirement together with the earlier releases that show one of its attributes; None if there are none."""
    n_releases = sum(any(one.shows(name) for name in requirement.qid) for one in earlier)
    if not n_releases:
        return None
    return Joint(requirement, tuple((name, tuple(known[name])) for name in requirement.qid if known[name]), n_releases)


def _refuse_other_reading(one: EarlierRelease, policy: Policy) -> None:
    """Refuse an earlier release that read cells in another way: what it showed of them is not to be told."""
    before, now = set(one.solution.reading.na_values), set(policy.reading.na_values)
    if before != now:
        texts = quote(sorted(before ^ now))
        msg = (
            f"Earlier release {one.number} and this policy do not take the same cells for missing ({texts}), so "
            "what it showed of them cannot be told. Name the same na_values."
        )
        raise InputError(msg)
    shown = {cut.attribute for cut in one.solution.cuts}
    earlier, asked = one.solution.reading, policy.reading
    for key, first, second in (("dates", earlier.dates, asked.dates), ("numbers", earlier.numbers, asked.numbers)):
        if other := sorted({name for name, _ in {*first} ^ {*second}} & shown):
            msg = (
                f"Earlier release {one.number} and this policy do not read the {key} of {quote(other)} alike, so what "
                f"it showed of them cannot be told. Name the same forms in `{key}`."
            )
            raise InputError(msg)
