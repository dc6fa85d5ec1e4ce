"""One search of a session: its curve, its steps, what each would release, and the release itself."""

from __future__ import annotations

import secrets
import weakref
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.pipeline.releasing import ReleaseOptions, release
from maskwise.progress import RunProgress
from maskwise.release.target import resolve_target
from maskwise.release.target_checks import make_folder
from maskwise.session.row_pairs import pair_rows
from maskwise.session.sidecars import SidecarPaths
from maskwise.table.endpoints import refuse_source
from maskwise.values.number_forms import Numbers, check_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.outcome import Outcome
    from maskwise.pipeline.finding import FinishedSearch
    from maskwise.policy.policy import Policy
    from maskwise.progress import Event
    from maskwise.release.file_set import Sidecar
    from maskwise.risks.risk import Risk
    from maskwise.session.row_pairs import RowPairs
    from maskwise.session.session import Session
    from maskwise.solution.curve import Point
    from maskwise.solution.reasons import Reason, Reasons
    from maskwise.solution.solution import Solution
    from maskwise.solution.steps import Generalization, Step
    from maskwise.values.location import Place
    from maskwise.verify.verdict import Verdict


class SearchRun:
    """What a search found. Nothing is released before `write`, which recounts it first."""

    def __init__(
        self, session: Session, found: FinishedSearch, on_event: Callable[[Event], None] | None, seed: int | None
    ) -> None:
        """Keep what was found; `Session.search` makes it.

        Args:
            session: Where the table is open.
            found: What was found.
            on_event: Is told of what is done later, too.
            seed: Makes the order of released records repeatable.
        """
        self._session, self._found, self._on_event, self._seed = session, found, on_event, seed

    @cached_property
    def solution(self) -> Solution:
        """What is shown, with the steps that led to it."""
        return self._found.solution

    @property
    def policy(self) -> Policy:
        """What was asked."""
        return self._found.joint.asked

    @property
    def steps(self) -> tuple[Step | Generalization, ...]:
        """The refinements, or bottom-up the generalizations, in order."""
        return self.solution.steps

    @property
    def curve(self) -> tuple[Point, ...]:
        """What each step reaches and keeps, the start first."""
        return self.solution.curve

    def at(self, step: int) -> SearchRun:
        """The state after an earlier step of a top-down search, each of which can be released.

        Args:
            step: Its number; 0 is the most masked table.

        Raises:
            InputError: There is no such step, or the search went bottom-up.
        """
        self._session.require_open()
        return SearchRun(self._session, self._found.at(step), self._on_event, self._seed)

    @cached_property
    def reasons(self) -> Reasons:
        """Why each masked value is shown as it is, and what would free some of them."""
        self._session.require_open()
        return self._found.explain()

    def why(self, attribute: str | None = None) -> tuple[Reason, ...]:
        """Why each masked value is shown as it is, for the owner alone.

        Args:
            attribute: The masked attribute; None is all of them.

        Raises:
            InputError: There is no such attribute, or the policy has a budget for suppression.
        """
        if attribute is None:
            return self.reasons.reasons
        masked = [cut.attribute for cut in self.solution.cuts]
        if attribute not in masked:
            msg = f"`{attribute}` is not masked. Masked are: {', '.join(masked)}."
            raise InputError(msg)
        return self.reasons.of(attribute)

    def rows(self, start: int = 0, n: int = 20) -> RowPairs:
        """Some records before and after masking, in the order of the table. For the owner alone.

        Args:
            start: How many records are passed over.
            n: How many are given.
        """
        with self._session.using():
            return pair_rows(self._found.joint.own_table(self._found.solved.table), self.solution, start, n)

    @cached_property
    def outcome(self) -> Outcome:
        """The masked table as it would be released, recounted and assessed.

        It is written to a private folder only, and is there as long as this run.
        """
        target = self._session.private_folder() / f"preview-{secrets.token_hex(8)}.parquet"
        weakref.finalize(self, target.unlink, missing_ok=True)
        return self._release(target, ReleaseOptions(is_shuffled=True, seed=self._seed))

    @property
    def verdict(self) -> Verdict:
        """The recount of the masked table."""
        return self.outcome.verdict

    @property
    def risk(self) -> Risk | None:
        """How likely somebody is found in it; for the owner, where that is more than recipients can count."""
        return self.outcome.owner_risk or self.outcome.risk

    def write(
        self,
        folder: str | Path,
        *,
        name: str = "release.csv",
        solution: str | None = "solution.json",
        trace: str | None = "trace.jsonl",
        report: str | None = "report.html",
        owner_report: str | None = "owner-report.html",
        keep_order: bool = False,
        escape_formulas: bool = False,
        strict_leaks: bool = False,
        numbers: str = Numbers.LABEL,
        beside: Sequence[Sidecar] = (),
    ) -> Outcome:
        """Release into a folder, through the same gate as `maskwise mask`: all files appear together, or none.

        Args:
            folder: Where the files go; it is made if it is not there.
            name: What the release is called; its suffix says the format.
            solution: What the solution is called, for `maskwise apply`; None writes none. Private.
            trace: What the trace is called; None writes none. Private.
            report: What the report for recipients is called; None writes none.
            owner_report: What the owner's report is called; None writes none. Private.
            keep_order: As in `anonymize`.
            escape_formulas: As in `anonymize`.
            strict_leaks: As in `anonymize`.
            numbers: As in `anonymize`.
            beside: More files that appear together with it.
        """
        self._session.require_open()
        place = Path(folder)
        paths = [None if one is None else place / one for one in (solution, trace, report, owner_report)]
        sidecars = SidecarPaths(solution=paths[0], trace=paths[1], report=paths[2], owner_report=paths[3])
        make_folder(place)
        sidecars.check()
        target = resolve_target(place / name, self._session.data, self._session.engine, [])
        refuse_source(target, self._session.data, self._found.solved.table.engine.dialect)
        how = ReleaseOptions(
            is_shuffled=not keep_order,
            seed=self._seed,
            escape_formulas=escape_formulas,
            strict_leaks=strict_leaks,
            numbers=check_numbers(numbers),
        )
        why = owner_report is not None and self.policy.suppress is None
        return self._release(target, how, why=why, beside=lambda outcome: [*sidecars.make(outcome), *beside])

    def _release(
        self,
        target: Place,
        how: ReleaseOptions,
        *,
        why: bool = False,
        beside: Callable[[Outcome], Sequence[Sidecar]] | None = None,
    ) -> Outcome:
        progress = RunProgress(self._on_event)
        with self._session.using(), progress.ticking(), self._found.solved.table.engine.scratch():
            plan = self._found.take(progress, why=why)
            source = (self._session.data, self._session.engine)
            return release(plan, target, how, progress, source, beside)
