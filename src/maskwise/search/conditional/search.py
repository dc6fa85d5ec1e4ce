"""The search by the conditional criterion."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from maskwise.compress.request import ClassRequest, CountRequest
from maskwise.errors import InputError
from maskwise.search.bounds import list_bounds, list_requests
from maskwise.search.build_solution import build_solution
from maskwise.search.conditional.chooser import ROWS_FOR_THREADS, ConditionalChooser
from maskwise.search.conditional.class_groups import ClassGroups
from maskwise.search.conditional.inputs import plant_trees, start_trees
from maskwise.search.curve import start_curve
from maskwise.search.interface import NoProgress
from maskwise.search.linked_records import linked_records
from maskwise.search.options import Limits
from maskwise.search.preferences import check_levels, preferences_of
from maskwise.search.registry import MAX_CLASSES
from maskwise.search.suppression.found import start_groups
from maskwise.search.suppression.requests import with_union
from maskwise.search.topdown import TopDown, descend
from maskwise.search.value_trees import codings_of, flatten
from maskwise.values.processors import both
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.search.interface import Problem, Progress
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.solution import Solution


class ConditionalSearch:
    """Finds a cut by conditional gain; see `interface.Search`."""

    def __init__(self, problem: Problem) -> None:
        class_name, n_classes = problem.policy.class_name, problem.profile.n_classes
        if class_name is None:
            raise InputError(
                "The criterion `conditional` needs a class to tell. Name one in the policy, or use `score`."
            )
        if n_classes > MAX_CLASSES:
            msg = f"The criterion `conditional` takes up to {MAX_CLASSES} classes; found {n_classes:,}. Use `score`."
            raise InputError(msg)
        self.problem = problem
        self.trees = plant_trees(problem)
        self._tables = list_requests(problem.profile, problem.policy, by_subsets=problem.policy.suppress is None)
        self._classes = ClassRequest(class_name, problem.background, problem.policy.n_cuts)

    @property
    def request(self) -> CountRequest:
        """The rows of each QID, and the class by the rows of all masked attributes together."""
        has_budget = self.problem.policy.suppress is not None
        tables = with_union(self._tables) if has_budget else self._tables
        return CountRequest(codings_of(self.coded_trees), tables, self._classes)

    @property
    def coded_trees(self) -> Sequence[AnyTree]:
        """The trees that a search starts from: those of intervals have not grown yet."""
        return start_trees(self.problem, self.trees)[0]

    def run(self, counts: CompressedTables, progress: Progress) -> Solution:
        """Refine until nothing valid gains information, or a limit is reached."""
        progress.stage(Stage.SEARCH)
        return self._run(counts, self.problem.options.limits, progress)

    def rerun(self, counts: CompressedTables, n_steps: int) -> Solution:
        """Refine so many times."""
        return self._run(counts, Limits(n_steps), NoProgress())

    def _run(self, counts: CompressedTables, limits: Limits, progress: Progress) -> Solution:
        problem, policy, tables = self.problem, self.problem.policy, counts.tables
        classes = counts.classes
        assert classes is not None  # noqa: S101 - asked for
        trees, growing = start_trees(problem, self.trees)
        groups, bounds = None, list_bounds(problem.profile, policy, self._tables)
        if policy.suppress is None:
            check_levels(policy, trees, tables, bounds)
        else:
            groups, bounds = start_groups(problem, trees, self._tables, tables)
        first, rows = flatten(trees).first, classes.rows
        preferences = preferences_of(policy)
        start = partial(TopDown, trees, tables, bounds, preferences, has_class=True, suppressible=groups)
        start_classes = partial(ClassGroups, rows, first[: policy.n_cuts], int(first[-1]), classes.group_of_row)
        state, of_class = both(start, start_classes, pays=len(rows.codes) >= ROWS_FOR_THREADS)
        if groups is not None and groups.is_over:
            check_levels(policy, trees, tables, list_bounds(problem.profile, policy, self._tables))
        curve = start_curve(problem, state)
        steps, ending = descend(ConditionalChooser(state, of_class, growing), curve, limits, progress.step)
        messages = (*counts.workspace.messages(), *linked_records(problem, counts))
        return build_solution(problem, trees, state, steps, curve, ending, messages=messages)
