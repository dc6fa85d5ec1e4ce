"""The product in one place: read, profile, compress, search, mask, verify.

`anonymize`, `audit` and `apply` are what the command line and Python users
call. A release that the verifier has not accepted is never handed out.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from maskwise.compress.compress import compress
from maskwise.compress.spill import Room
from maskwise.errors import InputError, NotMetError
from maskwise.formats.policy_file import read_policy
from maskwise.formats.solution_file import read_solution
from maskwise.profile.identifier_warning import forgotten_identifiers
from maskwise.profile.profile import check_columns, check_sensitive
from maskwise.profile.profile import profile as take_profile
from maskwise.profile.sensitive import named_values, unseen_values
from maskwise.release import mask as masking
from maskwise.release.escape import safe_name
from maskwise.release.interrupt import stop_on_interrupt
from maskwise.release.publish import Sidecar, as_written, given_back, hand_out, insist, recount
from maskwise.release.shuffle import shuffled
from maskwise.release.target import where_to
from maskwise.search.options import Criterion, Method, choose_how
from maskwise.table.endpoints import open_data
from maskwise.values.memory import for_search, memory_given

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement
    from maskwise.profile.columns import Profile
    from maskwise.release.mask import Unknown
    from maskwise.search.options import How
    from maskwise.solution.curve import Point
    from maskwise.solution.solution import Solution
    from maskwise.solution.steps import Generalization, Step
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict


class Observer(Protocol):
    """Hears how far a run has come."""

    def stage(self, name: str) -> None:
        """A stage begins: read, profile, compress, search, mask, verify.

        Where several searches are made, each is a stage: `search 3 of 9`.
        """

    def step(self, step: Step | Generalization) -> None:
        """A refinement or generalization was performed, in the search that was announced last."""


class _Silent:
    def stage(self, name: str) -> None:
        """Say nothing."""

    def step(self, step: Step | Generalization) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
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
    cautions: tuple[str, ...] = ()
    """What the owner must know of the table: a class of one value, columns that may be identifiers."""

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
        """What the owner should know."""
        return self.solution.notes

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the owner must know: protected values that no record has, and the cautions."""
        return (*self.verdict.warnings, *self.cautions)

    @property
    def passed(self) -> tuple[str, ...]:
        """The columns that were released as they were."""
        masked = {cut.attribute for cut in self.solution.cuts}
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
    """Numbers outside the range, by attribute; they are shown in the outermost interval."""
    n_dropped: int
    """Records left out because of a missing cell."""
    left_out: tuple[str, ...]
    """Columns left out because the release did not have them."""
    unchecked: tuple[Requirement, ...]
    """Requirements that could not be recounted, because their sensitive column is not there."""


def anonymize(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    output: str | Path | None = None,
    *,
    method: str = Method.TDR,
    criterion: str = Criterion.SCORE,
    max_steps: int | None = None,
    time_limit: float | None = None,
    restarts: int = 0,
    effort: int | None = None,
    shuffle: bool = False,
    seed: int | None = None,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
    observer: Observer | None = None,
    beside: Callable[[Outcome], Sequence[Sidecar]] | None = None,
) -> Outcome:
    """Mask a table so that it meets a policy and still tells the class.

    Args:
        data: A path, a folder of parquet files, a pattern, or a pandas, Polars, Arrow, Spark or Ibis table; with an
            engine that has tables, the name of one.
        policy: A YAML file, a mapping of the same form, or a Policy.
        output: Where to write: a file, a folder (`released/`), or a table of the engine. Without it the masked table
            comes back as the kind that was given.
        method: `tdr` (top-down refinement) or `bug` (bottom-up generalization).
        criterion: For `tdr`: `score` (information gained per privacy lost), `infogain`, or `conditional`
            (what is told beyond what is already shown; see the reference).
        max_steps: Stop after so many steps; `bug` is safe only at its end and then writes nothing.
        time_limit: Stop searching after so many seconds; `bug` as above.
        restarts: For `bug`: search so many times more with some randomness, and keep what lost least information.
        effort: For `conditional`: how many variants to try.
        shuffle: Release the records in random order.
        seed: Makes the shuffle, restarts and variants repeatable; keep it secret if you shuffle.
        escape_formulas: Quote cells that a spreadsheet would run.
        engine: Where the work is done: `duckdb`, `duckdb:///people.db`, `postgres://user@host/database`, `spark`,
            `spark://host:port`, a Spark session or an Ibis backend; None goes by the data.
        memory: How much memory a run may use before it spills to disk, such as `4GB`; by default, most of what the
            machine allows. PostgreSQL, and a Spark that runs already, go by their own settings.
        observer: Hears how far the run has come.
        beside: Makes the files that appear together with the output.

    Returns:
        The release and what is known about it. A pandas table comes back with
        a fresh index: the old one was neither masked nor recounted.

    Raises:
        PolicyError: The policy has mistakes; all are listed.
        InputError: The data cannot be read or does not fit the policy.
        InfeasibleError: No masking meets the policy.
        UnfinishedError: A bottom-up search was stopped before its end.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"Age": [23, 25, 41, 47], "Sex": ["F", "M", "F", "M"], "Risk": ["lo", "lo", "hi", "hi"]})
        >>> outcome = anonymize(people, {"class": "Risk", "requirements": [{"qid": ["Age", "Sex"], "k": 2}]})
        >>> outcome.data["Age"].to_pylist()
        ['[23, 41)', '[23, 41)', '[41, 47]', '[41, 47]']
    """
    observer = observer or _Silent()
    how = choose_how(method, criterion, max_steps, time_limit, restarts, effort, seed)
    _check_seed(seed, is_used=shuffle or restarts > 0 or how.criterion is Criterion.CONDITIONAL)
    asked = read_policy(policy)
    target = None if output is None else where_to(output, data, engine)
    observer.stage("read")
    warming = threading.Thread(target=_warm_up, daemon=True)
    warming.start()
    table = open_data(data, engine, target, memory)
    warming.join()
    with given_back(table):
        with stop_on_interrupt() as is_asked_to_stop:
            room = Room(for_search(memory_given(memory)))
            solution, profile, table = solve(table, asked, how, observer, is_asked_to_stop, room)
        cautions = (*profile.warnings, *forgotten_identifiers(table, asked))
        observer.stage("mask")
        masked = masking.mask(table, solution, profile.columns)
        masked = shuffled(masked, seed) if shuffle else masked
        solution = replace(solution, columns=masked.names)

        def accept(found: Table, verdict: Verdict) -> Outcome:
            insist(verdict, asked, solution, profile.n_rows, found.names)
            told = verdict.hiding(named_values(asked.requirements, asked.trees))
            verdict = replace(told, unseen=unseen_values(asked, profile.sensitive))
            return Outcome(target, solution, verdict, asked, table.source, profile.n_dropped, cautions)

        released, outcome = hand_out(
            masked, target, asked.requirements, accept, observer.stage, beside, escape=escape_formulas
        )
    finished: Outcome = replace(outcome, data=released)
    return finished


def solve(
    table: Table,
    policy: Policy,
    how: How,
    observer: Observer | None = None,
    is_asked_to_stop: Callable[[], bool] = lambda: False,
    room: Room | None = None,
) -> tuple[Solution, Profile, Table]:
    """Find the cut, without masking anything yet.

    Args:
        table: The records.
        policy: What is asked.
        how: Which way, by what measure, for how long.
        observer: Hears how far the search has come.
        is_asked_to_stop: Asked after every step.
        room: Where compressed tables are kept; None is memory without bound.

    Returns:
        The solution, the profile it rests on, and the table without dropped records.
    """
    from maskwise.search.bounds import check_feasible  # noqa: PLC0415 - compiled code is slow to load
    from maskwise.search.search import plan  # noqa: PLC0415 - as above
    from maskwise.search.search import search as run_search  # noqa: PLC0415 - as above

    listener = observer or _Silent()
    room = room or Room()
    listener.stage("profile")
    profile, table = take_profile(table, policy, keep_rare=how.method is Method.BUG)
    check_feasible(profile, policy)

    def watch(step: Step | Generalization) -> bool:
        listener.step(step)
        return not is_asked_to_stop()

    if how.criterion is Criterion.CONDITIONAL:
        from maskwise.search.conditional.variants import search_conditionally  # noqa: PLC0415 - as above

        solution = search_conditionally(table, profile, policy, how, watch, listener.stage, room)
        return replace(solution, notes=(*solution.notes, *room.notes())), profile, table
    trees, needs = plan(profile, policy, how.method)
    listener.stage("compress")
    compacts = compress(table, profile, trees, needs, room)
    solution = run_search(profile, trees, needs, compacts, policy, how, watch, listener.stage)
    return replace(solution, notes=(*solution.notes, *room.notes())), profile, table


def apply(
    data: Any,
    solution: str | Path | Solution,
    output: str | Path | None = None,
    *,
    strict: bool = False,
    enforce: bool = False,
    shuffle: bool = False,
    seed: int | None = None,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> Applied:
    """Mask other rows in the way a saved solution says.

    The cut was found on other records, so these rows alone need not meet its
    requirements; the verdict says whether they do.

    Args:
        data: As in `anonymize`.
        solution: A solution file, or a Solution.
        output: As in `anonymize`.
        strict: Refuse values that the solution does not know, and columns that the release did not have.
        enforce: Refuse rows that alone do not meet the requirements.
        shuffle: As in `anonymize`.
        seed: As in `anonymize`.
        escape_formulas: As in `anonymize`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.
    """
    _check_seed(seed, is_used=shuffle)
    saved = read_solution(Path(solution)) if isinstance(solution, str | Path) else solution
    target = None if output is None else where_to(output, data, engine)
    table = open_data(data, engine, target, memory)
    with given_back(table):
        later = masking.apply(table, saved, strict=strict)
        masked = shuffled(later.table, seed) if shuffle else later.table

        # Later rows may not tell the sensitive value yet, or show it masked; then its templates cannot be recounted.
        asked = [reached.requirement for reached in saved.reached]
        seen = set(masked.names)
        hidden = {cut.attribute for cut in saved.cuts}
        requirements = [
            one for one in asked if set(one.columns) <= seen and not (set(one.columns) - set(one.qid)) & hidden
        ]
        unchecked = tuple(one for one in asked if one not in requirements)
        if enforce and unchecked:
            msg = f"{unchecked[0].asks()} cannot be recounted: its sensitive column is not among these rows, or masked."
            raise NotMetError(msg)

        def accept(found: Table, verdict: Verdict) -> Applied:
            del found
            if enforce and not verdict.is_met:
                broken = "; ".join(finding.complaint() for finding in verdict.findings if not finding.is_met)
                msg = f"These rows alone do not meet the requirements: {broken}. Mask them anew, together with others."
                raise NotMetError(msg)
            verdict = verdict.hiding(named_values(asked, {cut.attribute: cut.taxonomy for cut in saved.cuts}))
            return Applied(target, verdict, later.unknown, later.outside, later.n_dropped, later.left_out, unchecked)

        released, applied = hand_out(masked, target, requirements, accept, escape=escape_formulas)
    finished: Applied = replace(applied, data=released)
    return finished


def audit(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> Verdict:
    """Recount any table, also one that another tool masked.

    Args:
        data: As in `anonymize`.
        policy: As in `anonymize`.
        escape_formulas: The table was written with this option, so cells and names are looked for as it spells them.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"Age": [23, 23, 41], "Sex": ["F", "F", "M"]})
        >>> audit(table, {"requirements": [{"qid": ["Age", "Sex"], "k": 2}]}).is_met
        False
    """
    asked = read_policy(policy)
    table = open_data(data, engine, None, memory)
    with given_back(table):
        spelled = asked
        if escape_formulas:
            called = {safe_name(name): name for one in asked.requirements for name in one.columns}
            table = replace(table, names=tuple(called.get(name, name) for name in table.names))
            spelled = replace(asked, requirements=tuple(map(as_written, asked.requirements)))
        check_columns(table, replace(asked, attributes=(), class_name=None), with_drop=False)
        sensitive, _ = check_sensitive(table, spelled)
        verdict = recount(table, asked.requirements, escaped=escape_formulas)
        verdict = verdict.hiding(named_values(spelled.requirements, asked.trees))
        return replace(verdict, unseen=unseen_values(spelled, sensitive, asked.masked))


def _check_seed(seed: int | None, *, is_used: bool) -> None:
    if seed is not None and not is_used:
        raise InputError(
            "A seed makes a shuffle, restarts or the variants of `conditional` repeatable, but none is asked for. "
            "Add one, or leave out seed."
        )
    if seed is not None and seed < 0:
        raise InputError("A seed is a whole number that is at least 0.")


def _warm_up() -> None:
    """Import what is slow to import while the engine reads a csv, which needs no Python."""
    import ibis.backends.duckdb  # noqa: PLC0415 - the point
    import pyarrow.compute  # noqa: PLC0415 - the point

    from maskwise.search.interval_split import warm_up  # noqa: PLC0415 - the point

    del ibis, pyarrow
    warm_up()
