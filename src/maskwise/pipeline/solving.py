"""Find the cut of a table: profile, compress, search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from maskwise.compress.compress import compress
from maskwise.errors import InputError
from maskwise.profile.boundaries import read_midnights_as_dates
from maskwise.profile.persons import with_boundaries
from maskwise.profile.profile import profile as take_profile
from maskwise.progress import SearchProgress, Silent
from maskwise.solution.lone_values import disclose_lone_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.attacks.searched import Searched
    from maskwise.compress.spill import Workspace
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.progress import Observer
    from maskwise.search.options import SearchOptions
    from maskwise.solution.reasons import Reasons
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table


def solve(
    table: Table,
    policy: Policy,
    options: SearchOptions,
    observer: Observer | None = None,
    is_asked_to_stop: Callable[[], bool] = lambda: False,
    workspace: Workspace | None = None,
    *,
    columns: Sequence[str] | None = None,
    after: Callable[[Searched], None] | None = None,
    reasons: list[Reasons] | None = None,
) -> tuple[Solution, Profile, Table]:
    """Find the cut, without masking anything yet.

    Args:
        table: The records.
        policy: What is asked.
        options: Which way, by what measure, for how long.
        observer: Is told how far the search has come.
        is_asked_to_stop: Asked after every step.
        workspace: Where compressed tables are kept; None is memory without bound.
        columns: The columns of the release; None is all but those that the policy leaves out.
        after: Is given what was searched, while its counts are still there.
        reasons: Takes why each masked value is shown as it is, which needs what was counted; None does not ask.

    Returns:
        The solution, the profile it rests on, and the table without dropped records.
    """
    from maskwise.attacks.guard import run_search  # noqa: PLC0415 - compiled code is slow to load
    from maskwise.search.bounds import check_feasible  # noqa: PLC0415 - as above
    from maskwise.search.interface import Problem  # noqa: PLC0415 - as above
    from maskwise.search.registry import start_search  # noqa: PLC0415 - as above

    if reasons is not None and policy.suppress is not None:
        raise InputError(
            "Reasons (why) are not found for a policy with `suppress` yet: whether a value could be shown depends on "
            "who else is suppressed. Leave out one of them."
        )
    progress = SearchProgress(observer or Silent(), is_asked_to_stop)
    progress.stage("profile")
    profile, table = take_profile(table, policy, keep_rare=options.search.starts_from_raw_values)
    check_feasible(profile, policy)
    profile = profile if options.as_published else read_midnights_as_dates(profile)
    profile = with_boundaries(profile, table, policy, options.boundaries_for(policy.boundaries))
    dropped = policy.dropped(table.names)
    if columns is None:
        columns = [name for name in table.names if name not in dropped]
    problem = Problem(profile, policy, options, tuple(columns), dropped)
    search = start_search(problem)
    progress.stage("compress")
    counts = compress(table, profile, search.request, workspace)
    searched = run_search(problem, search, counts, progress)
    if after is not None:
        after(searched)
    solution = searched.solution
    if not options.as_published:
        solution = disclose_lone_values(solution)
    if reasons is not None:
        from maskwise.search.explain import explain  # noqa: PLC0415 - as above
        from maskwise.search.explain_regions import explain_regions  # noqa: PLC0415 - as above

        progress.stage("explain")
        explained = explain if solution.regions is None else explain_regions
        reasons.append(explained(replace(problem, policy=searched.tried), search.request, counts, solution))
    return solution, profile, replace(table, binned=None)
