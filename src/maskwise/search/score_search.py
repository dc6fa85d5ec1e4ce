"""Top-down refinement by the papers' Score, or by information gain alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.compress.request import CountRequest
from maskwise.search.bounds import list_bounds, list_requests
from maskwise.search.build_solution import build_solution
from maskwise.search.curve import start_curve
from maskwise.search.grow_trees import grow_forest
from maskwise.search.interface import NoProgress
from maskwise.search.linked_records import linked_records
from maskwise.search.options import Limits
from maskwise.search.preferences import check_levels, preferences_of
from maskwise.search.suppression.chooser import SuppressingChooser
from maskwise.search.suppression.found import spare_records, start_groups
from maskwise.search.suppression.requests import with_union
from maskwise.search.topdown import ScoreChooser, TopDown, descend
from maskwise.search.value_trees import codings_of
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.search.interface import Problem, Progress
    from maskwise.search.topdown import Chooser
    from maskwise.search.value_trees import ValueTree
    from maskwise.solution.solution import Solution


class ScoreSearch:
    """Finds a maximally refined cut that meets every requirement; see `interface.Search`."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._preferences = preferences_of(problem.policy)
        self.trees = grow_forest(
            problem.profile, problem.policy.floors(), self._preferences.levels, spare=spare_records(problem)
        )
        self._tables = list_requests(problem.profile, problem.policy, by_subsets=problem.policy.suppress is None)

    @property
    def request(self) -> CountRequest:
        """The rows of each QID, coded by the finest reachable values."""
        has_budget = self.problem.policy.suppress is not None
        return CountRequest(codings_of(self.trees), with_union(self._tables) if has_budget else self._tables)

    @property
    def coded_trees(self) -> Sequence[ValueTree]:
        """The trees of all attributes, pruned to what can be reached."""
        return self.trees

    def run(self, counts: CompressedTables, progress: Progress) -> Solution:
        """Refine until nothing valid and beneficial is left, or a limit is reached."""
        progress.stage(Stage.SEARCH)
        return self._run(counts, self.problem.options.limits, progress)

    def rerun(self, counts: CompressedTables, n_steps: int) -> Solution:
        """Refine so many times."""
        return self._run(counts, Limits(n_steps), NoProgress())

    def _run(self, counts: CompressedTables, limits: Limits, progress: Progress) -> Solution:
        problem, options = self.problem, self.problem.options
        bounds = list_bounds(problem.profile, problem.policy, self._tables)
        by_gain = options.criterion == "infogain"
        chooser: Chooser
        if problem.policy.suppress is None:
            check_levels(problem.policy, self.trees, counts.tables, bounds)
            state = TopDown(self.trees, counts.tables, bounds, self._preferences, has_class=problem.has_class)
            chooser = ScoreChooser(state, by_gain=by_gain)
        else:
            groups, own = start_groups(problem, self.trees, self._tables, counts.tables)
            state = TopDown(
                self.trees,
                counts.tables[: len(self._tables)],
                own,
                self._preferences,
                has_class=problem.has_class,
                suppressible=groups,
            )
            if groups.is_over:
                check_levels(problem.policy, self.trees, counts.tables, bounds)
            chooser = SuppressingChooser(state, groups, by_gain=by_gain)
        curve = start_curve(problem, state)
        steps, ending = descend(chooser, curve, limits, progress.step)
        messages = (*counts.workspace.messages(), *linked_records(problem, counts))
        return build_solution(problem, self.trees, state, steps, curve, ending, messages=messages)
