"""What `anonymize` and `apply` give back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError, did_you_mean, plural
from maskwise.policy.requirements.wording import figure_text
from maskwise.risks.wording import everything_text
from maskwise.solution.cut import MissingShown
from maskwise.values.message import warnings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from maskwise.attacks.attack import Attack
    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement
    from maskwise.release.common_rows import CommonRow
    from maskwise.release.label_counts import RegionCounts
    from maskwise.release.mask import Unknown
    from maskwise.release.suppressed_share import SuppressedShare
    from maskwise.risks.risk import Risk
    from maskwise.solution.curve import Point
    from maskwise.solution.reasons import Reason, Reasons
    from maskwise.solution.solution import Solution
    from maskwise.solution.steps import Generalization, Step
    from maskwise.values.message import Message
    from maskwise.verify.verdict import Finding, Verdict

_MOST_LABELS = 6
"""So many shown values are listed; of more, the rest is counted."""


NO_SENSITIVE_COLUMN = "its sensitive column is not among these rows, or masked"
UNPROTECTED = (
    "The solution was found with differential privacy, which protects the records that it was found on. These rows are "
    "only generalized: epsilon does not protect them. Use them to test classifiers, or release them with an epsilon."
)
"""What is said of later rows that a private solution masks."""
NO_PERSON_COLUMN = "these rows do not say whom they are about"
"""Why a requirement cannot be recounted on later rows."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run was asked to work, and in what."""

    options: Mapping[str, Any]
    """Its options by name, without the seed."""
    engine: str
    """What the engine is called."""
    engine_version: str
    """Its version."""
    files: tuple[Path, ...] = ()
    """The files that were read; none for a data frame or a table of a database."""
    written: Path | None = None
    """The file or folder of the release before it gets its name, which `beside` can read; None for a table."""


@dataclass(frozen=True, slots=True, repr=False)
class Outcome:
    """A verified release and how it came about."""

    data: Any
    """The masked table: the path that was written, or a table of the kind that was given."""
    solution: Solution
    """The cut, with its steps."""
    verdict: Verdict
    """The recount of the released table."""
    policy: Policy
    """What was asked."""
    source: str
    """What the table is called."""
    n_dropped: int = 0
    """Records left out because of a missing cell."""
    messages: tuple[Message, ...] = ()
    """All notes and warnings of the run; each says who may read it."""
    risk: Risk | None = None
    """How likely somebody is found in the release, counted in what was written."""
    attacks: tuple[Attack, ...] = ()
    """The attacks that were tried on the release."""
    reasons: Reasons | None = None
    """Why each masked value is shown as it is, where that was asked for."""
    owner_risk: Risk | None = None
    """The same as `risk` with what the release does not show, for the owner alone: persons instead of records, or
    sensitive columns that are not released; None where `risk` says it all."""
    run: Run | None = None
    """How the run was asked to work; None for an outcome that no run made."""
    common: tuple[CommonRow, ...] = ()
    """The commonest rows of the release, by its masked columns."""
    regions: RegionCounts | None = None
    """How many records show each label, where regions of the table have labels of their own."""
    suppressed: SuppressedShare | None = None
    """How many records were suppressed, and whom that hits, for the owner alone; None where the policy allows none."""

    def __repr__(self) -> str:
        """What was reached, in a line; no cell of the table."""
        return f"Outcome({describe(self.solution, self.verdict)}; {plural(len(self.warnings), 'warning')})"

    def summary(self) -> str:
        """What was asked and reached, what is shown and left out, and what is to be known, for the owner to read.

        Example:
            >>> import maskwise, pyarrow as pa
            >>> people = pa.table({"Age": [23, 25, 41, 47], "Risk": ["lo", "lo", "hi", "hi"]})
            >>> policy = {"attributes": {"Age": {"interval": [0, 99]}}, "requirements": [{"qid": ["Age"], "k": 2}]}
            >>> print(maskwise.anonymize(people, {**policy, "class": "Risk"}).summary())
            4 records of the data frame.
            Asked and reached:
              k=2 on {Age}: met, reaches 2
            Masked:
              Age (interval) shows 2 values: [0, 40), [40, 99]
            Released as they were: Risk
            With all 2 released columns known, 0 % of the records are unique and 0 % are in groups smaller than 2.
        """
        kept = f"{plural(self.verdict.n_rows, 'record')} of {self.source}."
        if self.n_dropped:
            kept += f" {plural(self.n_dropped, 'record')} left out because a masked cell is missing."
        passed = [] if not self.passed else [f"Released as they were: {', '.join(self.passed)}"]
        dropped = [] if not self.solution.drop else [f"Left out: {', '.join(self.solution.drop)}"]
        notes = [message.text for message in self.messages if not message.is_warning]
        risk = self.owner_risk or self.risk
        found = [] if risk is None else [everything_text(risk)]
        lines = [kept, *findings_lines(self.verdict), *cut_lines(self.solution), *passed, *dropped, *found]
        return "\n".join([*lines, *listed("Warnings", self.warnings), *listed("Notes", notes)])

    def why(self, attribute: str | None = None) -> tuple[Reason, ...]:
        """Why each masked value is shown as it is, for the owner alone; `reasons` has what would free some of them.

        Args:
            attribute: The masked attribute; None is all of them.

        Raises:
            InputError: The run was not asked for reasons, or masks no such attribute.

        Example:
            >>> import maskwise, pyarrow as pa
            >>> people = pa.table({"Job": ["clerk", "clerk", "nurse", "nurse"], "Sex": ["F", "M", "F", "M"]})
            >>> policy = {"requirements": [{"qid": ["Job", "Sex"], "k": 2}]}
            >>> for reason in maskwise.anonymize(people, policy, why=True).why("Sex"):
            ...     print(reason.shown, "-", reason.text)
            * - If F were shown, a group of 1 record would be left; 2 are asked (on {Job, Sex}).
            * - If M were shown, a group of 1 record would be left; 2 are asked (on {Job, Sex}).
        """
        if self.reasons is None:
            raise InputError("This run did not look for reasons. Call `anonymize` with why=True.")
        masked = [cut.attribute for cut in self.solution.cuts]
        if attribute is None:
            return self.reasons.reasons
        if attribute not in masked:
            msg = f"`{attribute}` is not masked. Masked are: {', '.join(masked)}.{did_you_mean(attribute, masked)}"
            raise InputError(msg)
        return self.reasons.of(attribute)

    @property
    def steps(self) -> tuple[Step | Generalization, ...]:
        """The refinements, or bottom-up the generalizations, in order."""
        return self.solution.steps

    @property
    def curve(self) -> tuple[Point, ...]:
        """What each step reaches and keeps: the price of privacy."""
        return self.solution.curve

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner should know of the table and the search; not for recipients."""
        return self.solution.notes

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the owner must know: protected values that no record has, a class of one value, likely identifiers."""
        return warnings_of(self.messages)

    @property
    def passed(self) -> tuple[str, ...]:
        """The columns that were released as they were."""
        masked = {cut.attribute for cut in (*self.solution.cuts, *self.solution.fixed)}
        masked |= set() if self.solution.person is None else {self.solution.person.column}
        return tuple(name for name in self.solution.columns if name not in masked)


@dataclass(frozen=True, slots=True)
class Applied:
    """Later rows, masked with a saved solution."""

    data: Any
    """The masked rows, as in `Outcome`."""
    verdict: Verdict
    """The recount of these rows alone."""
    unknown: Mapping[str, Unknown]
    """Cells the solution does not know, by attribute; they are shown as the root."""
    outside: Mapping[str, int]
    """Records with a number or date outside every interval, by attribute; they are shown as the whole range and "or
    outside", or left out."""
    n_dropped: int
    """Records left out because of a missing cell."""
    n_outside_dropped: int
    """Records left out because of a number or date outside every interval."""
    left_out: tuple[str, ...]
    """Columns left out because the release did not have them."""
    unchecked: tuple[Requirement, ...]
    """Requirements that could not be recounted, because their sensitive column is not there."""
    unchecked_why: str = NO_SENSITIVE_COLUMN
    """Why not."""
    n_suppressed: int = 0
    """Records suppressed because the solution suppresses their combination of labels."""
    is_private: bool = False
    """Whether the solution was found with differential privacy, which does not protect these rows."""
    uninformative: tuple[str, ...] = ()
    """Attributes of which every cell is shown as the root, so that it does not matter which values are unknown."""


def describe(solution: Solution, verdict: Verdict) -> str:
    """The records, what each requirement reaches and how many attributes are masked, in a few words without a cell."""
    reached = ", ".join(_finding_text(finding) for finding in verdict.findings)
    masked = f"{plural(len(solution.cuts), 'attribute')} masked"
    return f"{plural(verdict.n_rows, 'record')}; {reached}; {masked}"


def findings_lines(verdict: Verdict) -> list[str]:
    """What was asked and reached, a line for each requirement."""
    return listed("Asked and reached", [_finding_text(finding) for finding in verdict.findings])


def _finding_text(finding: Finding) -> str:
    word = "met" if finding.is_met else "not met"
    return f"{finding.requirement.asks()}: {word}, reaches {figure_text(finding.figure)}"


def cut_lines(solution: Solution) -> list[str]:
    """What each masked attribute shows, a line for each."""
    lines = []
    for cut in solution.cuts:
        labels = [*cut.labels, *(["(missing)"] if cut.missing is MissingShown.ITSELF else [])]
        more = f" and {len(labels) - _MOST_LABELS:,} more" if len(labels) > _MOST_LABELS else ""
        what = plural(len(labels), "value") if solution.regions is None else f"{plural(len(labels), 'label')} by region"
        shown = f"shows {what}: {', '.join(labels[:_MOST_LABELS])}{more}"
        lines.append(f"{cut.attribute} ({cut.kind}) {shown}")
    return listed("Masked", lines)


def listed(title: str, lines: Sequence[str]) -> list[str]:
    """Lines under a title; nothing if there are none."""
    return [f"{title}:", *(f"  {line}" for line in lines)] if lines else []
