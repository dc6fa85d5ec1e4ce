"""The search by the conditional criterion: several variants, the best of which is kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from maskwise.compress.request import CountRequest
from maskwise.errors import InputError
from maskwise.search.bounds import list_bounds, list_requests
from maskwise.search.build_solution import build_solution
from maskwise.search.conditional import variants
from maskwise.search.conditional.chooser import Variant
from maskwise.search.conditional.inputs import ConditionalInputs, plant_trees, request_classes, start_trees
from maskwise.search.interface import NoProgress
from maskwise.search.linked_records import linked_records
from maskwise.search.options import Limits
from maskwise.search.preferences import check_levels
from maskwise.search.registry import MAX_CLASSES
from maskwise.search.suppression.requests import with_union
from maskwise.search.value_trees import codings_of
from maskwise.solution.solution import Ending
from maskwise.values.message import private_note
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.search.interface import Problem, Progress
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.solution import Solution


class ConditionalSearch:
    """Finds a cut by conditional gain, and with more effort the best of several; see `interface.Search`."""

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
        self.effort = problem.options.spent_effort
        self.seed = problem.options.seed or 0
        self.trees = plant_trees(problem)
        self._tables = list_requests(problem.profile, problem.policy, by_subsets=problem.policy.suppress is None)
        self._classes = request_classes(problem, class_name, in_detail=self.effort > 1)
        self._chosen = Variant()

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

    def inputs(self, counts: CompressedTables) -> ConditionalInputs:
        """What every variant starts from."""
        bounds = list_bounds(self.problem.profile, self.problem.policy, self._tables)
        classes, *others = counts.class_tables
        unmasked = others[0] if others else None
        return ConditionalInputs(
            self.problem, self.trees, tuple(bounds), counts.tables, classes, unmasked, tuple(self._tables)
        )

    def run(self, counts: CompressedTables, progress: Progress) -> Solution:
        """Search with each variant while there is time, and keep the best result."""
        inputs, limits = self.inputs(counts), self.problem.options.limits
        if self.problem.policy.suppress is None:
            check_levels(self.problem.policy, start_trees(self.problem, self.trees)[0], inputs.tables, inputs.bounds)
        tried = variants.list_variants(inputs, self.effort, self.seed)
        selection = variants.VariantSelection(inputs, self.seed)
        begin = time.monotonic()
        for n, variant in enumerate(tried, 1):
            left = None if limits.seconds is None else max(limits.seconds - (time.monotonic() - begin), 0.0)
            if n > 1 and left == 0.0:
                break
            progress.stage(Stage.SEARCH, n, len(tried))
            result = variants.run_variant(inputs, variant, Limits(limits.max_steps, left), progress.step)
            if result.state.suppressible is not None and result.state.suppressible.is_over:
                trees = start_trees(self.problem, self.trees)[0]
                check_levels(self.problem.policy, trees, inputs.tables, inputs.bounds)
            selection.add(result)
            if result.ending is Ending.INTERRUPTED:
                break
        if len(tried) > 1:
            progress.stage(Stage.COMPARE)
        best, note = selection.best()
        self._chosen = best.variant
        return self._solution(best, counts, note)

    def rerun(self, counts: CompressedTables, n_steps: int) -> Solution:
        """Refine so many times by the variant that was chosen."""
        inputs = self.inputs(counts)
        result = variants.run_variant(inputs, self._chosen, Limits(n_steps), NoProgress().step)
        result.state.release()
        return self._solution(result, counts, f"Chosen by conditional gain, stopped after {n_steps:,} steps.")

    def _solution(self, best: variants.VariantResult, counts: CompressedTables, note: str | None) -> Solution:
        notes = [] if note is None else [private_note(note)]
        messages = (*notes, *counts.workspace.messages(), *linked_records(self.problem, counts))
        return build_solution(
            self.problem, best.trees, best.state, best.steps, best.curve, best.ending, messages=messages
        )
