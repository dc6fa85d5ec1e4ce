"""Find the cut of a table: profile, compress, search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from maskwise.attacks.guard import go_back, run_search
from maskwise.compress.compress import compress
from maskwise.errors import InputError
from maskwise.profile.boundaries import read_midnights_as_dates
from maskwise.profile.persons import with_boundaries
from maskwise.profile.profile import profile as take_profile
from maskwise.progress import RunProgress
from maskwise.search.bounds import MOST_TABLES, check_feasible
from maskwise.search.explain import explain
from maskwise.search.explain_regions import explain_regions
from maskwise.search.interface import Problem
from maskwise.search.registry import start_search
from maskwise.solution.lone_values import disclose_lone_values
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.attacks.searched import Searched
    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.compress.spill import Workspace
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.search.options import SearchOptions
    from maskwise.solution.reasons import Reasons
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class Solved:
    """A cut, and the counts from which it was found."""

    solution: Solution
    """The cut."""
    table: Table
    """The records without dropped ones."""
    problem: Problem
    """What was solved."""
    searched: Searched
    """How it was found."""
    counts: CompressedTables
    """What was counted for that."""

    @property
    def profile(self) -> Profile:
        """One-dimensional counts of every masked attribute."""
        return self.problem.profile

    def at(self, n_steps: int) -> Solved:
        """The state after so many steps of the search.

        Raises:
            InputError: There were fewer steps, or that state is not safe.
        """
        n_all = len(self.solution.steps)
        if not 0 <= n_steps <= n_all:
            msg = f"The search has the steps 1 to {n_all:,}, and 0 is where it began; found {n_steps:,}."
            raise InputError(msg)
        if n_steps == n_all:
            return self
        searched = go_back(self.searched, self.counts, n_steps)
        return replace(self, searched=searched, solution=_shown(searched.solution, self.problem.options))

    def explain(self) -> Reasons:
        """Why each masked value is shown as it is.

        Raises:
            InputError: The policy has a budget for suppression, or stands for too many quasi-identifiers.
        """
        refuse_reasons(self.problem.policy)
        assert self.searched.search is not None  # noqa: S101 - a search that was run is kept
        explained = explain if self.solution.regions is None else explain_regions
        problem = replace(self.problem, policy=self.searched.tried)
        return explained(problem, self.searched.search.request, self.counts, self.solution)


def refuse_reasons(policy: Policy) -> None:
    """Refuse to look for reasons where they are not known."""
    if policy.suppress is not None:
        raise InputError(
            "Reasons (why) are not found for a policy with `suppress` yet: whether a value could be shown depends on "
            "who else is suppressed. Leave out one of them."
        )
    n_qids = len({frozenset(part.qid) for requirement in policy.requirements for part in requirement.parts})
    if n_qids > MOST_TABLES:
        msg = (
            f"Reasons (why) are looked for on each quasi-identifier, and the requirements stand for {n_qids:,} of "
            f"them, more than {MOST_TABLES:,}. Leave out --why, or ask for reasons with a lower L."
        )
        raise InputError(msg)


def solve(
    table: Table,
    policy: Policy,
    options: SearchOptions,
    progress: RunProgress | None = None,
    workspace: Workspace | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> Solved:
    """Find the cut, without masking anything yet.

    Args:
        table: The records.
        policy: What is asked.
        options: Which way, by what measure, for how long.
        progress: Is told how far the search has come, and may ask to stop.
        workspace: Where compressed tables are kept; None is memory without bound.
        columns: The columns of the release; None is all but those that the policy leaves out.
    """
    progress = progress or RunProgress()
    progress.stage(Stage.PROFILE)
    profile, table = take_profile(table, policy, keep_rare=options.search.starts_from_raw_values)
    options = options.decided(profile.n_classes if profile.class_name is not None else None)
    check_feasible(profile, policy)
    profile = profile if options.as_published else read_midnights_as_dates(profile)
    profile = with_boundaries(profile, table, policy, options.boundaries_for(policy.boundaries))
    dropped = policy.dropped(table.names)
    if columns is None:
        columns = [name for name in table.names if name not in dropped]
    problem = Problem(profile, policy, options, tuple(columns), dropped)
    search = start_search(problem)
    progress.stage(Stage.COMPRESS)
    counts = compress(table, profile, search.request, workspace, progress.stage)
    searched = run_search(problem, search, counts, progress)
    return Solved(_shown(searched.solution, options), replace(table, binned=None), problem, searched, counts)


def _shown(solution: Solution, options: SearchOptions) -> Solution:
    """What is released of a solution: where `*` stands for one value alone, that is shown."""
    return solution if options.as_published else disclose_lone_values(solution)
