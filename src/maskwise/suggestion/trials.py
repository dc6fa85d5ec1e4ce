"""Trying a draft on its table: what a release by it would show, what its attacks say, and what would free most.

Of several drafts that differ in what an attacker is taken to know the strictest is taken that leaves the table of use.
Counted on raw records, so all of it is for the owner.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maskwise.attacks.attack import AttackResult
from maskwise.attacks.registry import Attacked, try_all
from maskwise.errors import MaskwiseError
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline.solving import solve
from maskwise.release import mask as masking
from maskwise.release.released_columns import look_at_columns
from maskwise.search.options import search_options
from maskwise.search.registry import PLAIN_CRITERION
from maskwise.solution.solution import Ending
from maskwise.suggestion.roles import Role
from maskwise.table.kept_counts import KeptCounts
from maskwise.table.random_part import RandomPart
from maskwise.values.kernel import on_compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from maskwise.attacks.attack import Attack
    from maskwise.pipeline.solving import Solved
    from maskwise.policy.policy import Policy
    from maskwise.search.options import SearchOptions
    from maskwise.suggestion.suggestion import Suggestion
    from maskwise.table.table import Table

METHODS = ("tdr", "regions")
"""The ways of masking that are tried; of equals the first."""
_MOST_RECORDS = 50_000
"""Of a larger table a random part is tried."""
_SECONDS = 20.0
"""A search takes no longer, and after so long no further one begins; what the first one compiles is not counted."""
_HALF = 0.5
"""A draft is of use where at most so many of its masked columns show nothing."""
_MOST_CHANGES = 4
"""So many single changes are tried at most."""
_PLAINLY = "masking with `--criterion score`, which also shows columns that tell nothing new of the class"
_EASIER_RISK = 0.2
"""A larger risk that is tried as a change: groups of 5."""


@dataclass(frozen=True, slots=True)
class DraftChange:
    """One change of a draft, and how many columns would then show nothing."""

    text: str
    """The change."""
    n_hidden: int
    """How many of the draft's columns would show nothing."""


@dataclass(frozen=True, slots=True)
class DraftTrial:
    """What one way of masking by a draft would show."""

    method: str
    """Which way."""
    n_records: int
    """On so many records."""
    is_whole: bool
    """Whether these are all records of the table."""
    n_masked: int
    """The masked columns."""
    hidden: tuple[str, ...]
    """Those that would show one label in every record."""
    attacks: tuple[Attack, ...] = ()
    """What our attacks come to."""
    other: DraftTrial | None = None
    """The same by the other way, if it was tried."""
    changes: tuple[DraftChange, ...] = ()
    """Single changes, the one that frees most first."""

    @property
    def failed(self) -> tuple[Attack, ...]:
        """The attacks that succeed."""
        return tuple(one for one in self.attacks if one.result is AttackResult.FAILED)

    @property
    def is_useful(self) -> bool:
        """Whether enough columns show something."""
        return len(self.hidden) <= _HALF * self.n_masked

    @property
    def rank(self) -> tuple[bool, int, int]:
        """What is better comes first."""
        return bool(self.failed), len(self.hidden), METHODS.index(self.method)

    @property
    def told(self) -> dict[str, list[tuple[str, float]]]:
        """For each released column the masked ones that it tells, and of how many records."""
        found: dict[str, list[tuple[str, float]]] = {}
        for one in self.attacks:
            for leak in one.details.get("leaks", ()) if one.name == "told" else ():
                found.setdefault(leak["column"], []).append((leak["attribute"], leak["share"]))
        return found


def choose_draft(
    table: Table, drafts: Sequence[Suggestion], progress: Callable[[str, int, int], None] | None = None
) -> Suggestion:
    """The strictest draft that withstands the attacks and leaves enough to be seen, with what it would show.

    Args:
        table: The records.
        drafts: The strictest first.
        progress: Called with what is being tried, the number of trials that are over, and their largest number.
    """
    n_most = len(METHODS) * len(drafts) + _MOST_CHANGES
    return _Trials(table, drafts[0].person, drafts[0].n_records, n_most, progress or _nobody).choose(drafts)


def _nobody(_what: str, _done: int, _total: int) -> None:
    """Nobody listens."""


class _Trials:
    """Tries drafts on one table, for a limited time."""

    def __init__(
        self,
        table: Table,
        person: str | None,
        n_records: int,
        n_most: int,
        progress: Callable[[str, int, int], None],
    ) -> None:
        """Take the table, or of a large one a part: all records of some persons, or else any."""
        self._ends_at: float | None = None
        self._n_done, self._n_most, self._progress = 0, n_most, progress
        self._is_whole = n_records <= _MOST_RECORDS
        if not self._is_whole and person is not None:
            one_of = -(-n_records // _MOST_RECORDS)
            table = replace(table, expr=table.expr.filter(table.hashed(person).abs() % one_of == 0))
        elif not self._is_whole:
            table = RandomPart(table, n_records).at_most(_MOST_RECORDS).table
        self._table = table

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self._ends_at is not None and time.monotonic() >= self._ends_at

    def choose(self, drafts: Sequence[Suggestion]) -> Suggestion:
        """What `choose_draft` returns."""
        found: list[Suggestion] = []
        for draft in drafts:
            tried = self._try_both(draft)
            if tried is None:
                continue
            found.append(replace(draft, trial=tried))
            if (not tried.failed and tried.is_useful) or self.is_over:
                break
        if not found:
            return drafts[0]
        best = min(range(len(found)), key=lambda i: (*_rank(found[i].trial), i))
        chosen = found[best]
        assert chosen.trial is not None  # noqa: S101 - it was just put there
        at = drafts.index(replace(chosen, trial=None))
        return replace(chosen, trial=replace(chosen.trial, changes=self._changes(chosen, drafts[at + 1 :])))

    def _try_both(self, draft: Suggestion) -> DraftTrial | None:
        found: list[DraftTrial] = []
        for method in METHODS:
            if found and (not found[0].hidden or self.is_over):
                break
            tried = self._try(f"trying {draft.knowledge_said}, method {method}", draft.policy, method)
            found += [] if tried is None else [tried]
            self._ends_at = self._ends_at or time.monotonic() + _SECONDS
        if not found:
            return None
        best, *others = sorted(found, key=lambda trial: trial.rank)
        return replace(best, other=next(iter(others), None))

    def _try(
        self, what: str, policy: Policy, method: str, criterion: str | None = None, *, attacks: bool = True
    ) -> DraftTrial | None:
        """Search, and attack what is found; None where it cannot be done."""
        self._progress(what, self._n_done, self._n_most)
        self._n_done += 1
        table = replace(self._table, forms=policy.reading.forms, kept=KeptCounts())
        try:
            options = search_options(0, method=method, criterion=criterion, time_limit=_SECONDS)
            solved, has_compiled = self._solve(table, policy, options)
            if has_compiled and solved.solution.ending == Ending.TIME:
                # Its time went into loops that are compiled now.
                solved, _ = self._solve(table, policy, options)
            solution, profile = solved.solution, solved.profile
            hidden = tuple(cut.attribute for cut in solution.cuts if len(cut.labels) == 1)
            found: tuple[Attack, ...] = ()
            if attacks:
                whole = masking.mask(solved.table, solution, profile.columns)
                # Many questions are asked of it, and each would mask it anew.
                whole = replace(whole, expr=whole.engine.materialize(whole.expr))
                leaks = look_at_columns(solved.table, policy, solution, profile).leaks
                release = masking.drop_columns(whole, solution.drop)
                found = try_all(Attacked(policy, release, solved.searched, leaks, whole))
                whole.engine.discard(whole.expr)
        except MaskwiseError:
            return None
        return DraftTrial(method, solution.n_rows, self._is_whole, len(solution.cuts), hidden, found)

    def _solve(self, table: Table, policy: Policy, options: SearchOptions) -> tuple[Solved, bool]:
        """Search; and whether loops had to be compiled."""
        compiled: list[None] = []

        def hear() -> None:
            compiled.append(None)
            self._progress("compiling loops, once", self._n_done, self._n_most)

        with on_compiling(hear):
            return solve(table, policy, options), bool(compiled)

    def _changes(self, draft: Suggestion, weaker: Sequence[Suggestion]) -> tuple[DraftChange, ...]:
        """Single changes that would let more columns show something, the one that frees most first."""
        assert draft.trial is not None  # noqa: S101 - only what was tried is asked about
        if not draft.trial.hidden:
            return ()
        asked: dict[str, dict[str, Any]] = {}
        if weaker:
            asked[f"an attacker who knows {weaker[0].knowledge_said}"] = weaker[0].data
        easier = round(1 / _EASIER_RISK)
        if draft.k > easier:
            asked[f"a chance of being found of {_EASIER_RISK:g} (k = {easier})"] = _with_k(draft.data, easier)
        masked = [column for column in draft.columns if column.role is Role.QUASI_IDENTIFIER]
        shown = [column for column in masked if column.name not in draft.trial.hidden]
        if len(masked) > 2 and shown:  # noqa: PLR2004
            # What tells most records apart takes most of the room.
            most = max(shown, key=lambda column: column.figures.separation).name
            asked[f"leaving `{most}` out"] = _without(draft.data, most)
        ways: list[tuple[str, dict[str, Any], str, str | None]] = [
            (text, data, draft.trial.method, None) for text, data in asked.items()
        ]
        if draft.class_name is not None:
            # The usual search shows only what adds to what it shows already.
            ways.insert(0, (_PLAINLY, draft.data, "tdr", PLAIN_CRITERION))
        found = []
        for text, data, method, criterion in ways:
            if self.is_over:
                break
            tried = self._try(f"trying {text}", read_policy(data), method, criterion, attacks=False)
            if tried is not None and len(tried.hidden) < len(draft.trial.hidden):
                found.append(DraftChange(text, len(tried.hidden)))
        return tuple(sorted(found, key=lambda change: change.n_hidden))


def _rank(trial: DraftTrial | None) -> tuple[bool, bool, int]:
    assert trial is not None  # noqa: S101 - only drafts that were tried are ranked
    return bool(trial.failed), not trial.is_useful, 0 if trial.is_useful else len(trial.hidden)


def _with_k(data: Mapping[str, Any], k: int) -> dict[str, Any]:
    return {**data, "requirements": [{**one, "k": k} if "k" in one else one for one in data["requirements"]]}


def _without(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A policy that drops a column it masks."""
    requirements: list[dict[str, Any]] = []
    for one in data["requirements"]:
        if "lkc" in one:
            names = [other for other in one["lkc"]["attributes"] if other != name]
            requirements.append({**one, "lkc": {"attributes": names, "L": min(one["lkc"]["L"], len(names))}})
        elif names := [other for other in one["qid"] if other != name]:
            requirements.append({**one, "qid": names})
    entries = {
        other: "suppress" if isinstance(entry, dict) and name in entry.get("from_column", ()) else entry
        for other, entry in data["attributes"].items()
        if other != name
    }
    return {
        **data,
        "attributes": entries,
        "requirements": requirements,
        "drop": [*data.get("drop", ()), name],
        **{key: {o: form for o, form in data[key].items() if o != name} for key in ("dates", "numbers") if key in data},
    }
