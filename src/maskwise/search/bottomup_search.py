"""Bottom-up generalization: from the raw values until every requirement holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.compress.request import CountRequest
from maskwise.errors import InputError, UnfinishedError, plural
from maskwise.policy.requirements.qid import called
from maskwise.search.bottomup import BottomUp
from maskwise.search.bounds import list_bounds, list_requests
from maskwise.search.build_solution import build_solution
from maskwise.search.curve import start_curve
from maskwise.search.grow_trees import grow_forest
from maskwise.search.preferences import check_levels, preferences_of
from maskwise.search.suppression.requests import with_union
from maskwise.search.suppression.stopping import Stopping
from maskwise.search.value_trees import codings_of
from maskwise.solution.solution import Ending
from maskwise.values.file_words import command_words
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.search.interface import Problem, Progress
    from maskwise.search.value_trees import ValueTree
    from maskwise.solution.solution import Solution
    from maskwise.solution.steps import Generalization

_MEASURE = "ip"
"""What the steps are chosen by, as a solution names it: information lost per unit of privacy gained."""


class BottomUpSearch:
    """Finds the first cut on the way up that meets every requirement; see `interface.Search`."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        # The search starts from the raw values, so only intervals are pruned.
        self._preferences = preferences_of(problem.policy)
        self.trees = grow_forest(problem.profile, problem.policy.floors(), self._preferences.levels, raw=True)
        self._tables = list_requests(problem.profile, problem.policy)

    @property
    def request(self) -> CountRequest:
        """The rows of each QID, coded by the raw values."""
        has_budget = self.problem.policy.suppress is not None
        return CountRequest(codings_of(self.trees), with_union(self._tables) if has_budget else self._tables)

    @property
    def coded_trees(self) -> Sequence[ValueTree]:
        """The trees of all attributes."""
        return self.trees

    def run(self, counts: CompressedTables, progress: Progress) -> Solution:
        """Generalize until all requirements hold."""
        problem, options = self.problem, self.problem.options
        _refuse_persons_with_several_rows(counts, problem)
        bounds = list_bounds(problem.profile, problem.policy, self._tables)
        tables, stopping = counts.tables[: len(self._tables)], None
        if problem.policy.suppress is not None:
            stopping = Stopping(problem, self._tables, counts.tables)
        if stopping is None or not stopping.is_reachable(self.trees, self._preferences.levels):
            check_levels(problem.policy, self.trees, tables, bounds)

        progress.stage(Stage.SEARCH)
        state = BottomUp(self.trees, tables, bounds, self._preferences, has_class=problem.has_class, stopping=stopping)
        curve = start_curve(problem, state, upward=True)
        steps, ending = state.run(curve, options.limits, progress.step)
        if ending is not Ending.MET:
            raise UnfinishedError(_unfinished(steps, ending))
        messages = counts.workspace.messages()
        return build_solution(problem, self.trees, state, steps, curve, ending, criterion=_MEASURE, messages=messages)

    def rerun(self, counts: CompressedTables, n_steps: int) -> Solution:
        """Refuse: only the last state of a bottom-up search is safe."""
        del counts, n_steps
        msg = (
            "Going bottom-up the table is safe only at the end of the search. Search "
            f"top-down{command_words('--method tdr')}, each step of which can be released."
        )
        raise InputError(msg)


def _unfinished(steps: list[Generalization], ending: Ending) -> str:
    """Say why nothing is released."""
    why = {Ending.STEPS: "the step limit was reached", Ending.TIME: "the time limit was reached"}
    return (
        f"Nothing was written: {why.get(ending, 'the search was interrupted')} after "
        f"{plural(len(steps), 'generalization')}, and going bottom-up the table is safe only at the end. Allow "
        f"more, or search top-down{command_words('--method tdr')}, which may stop at any step."
    )


def _refuse_persons_with_several_rows(counts: CompressedTables, problem: Problem) -> None:
    """Refuse a table in which a person has several rows: merged groups would count it more than once."""
    for table in counts.tables:
        if table.persons is not None:
            qid = called([problem.profile.columns[a].name for a in table.attributes])
            msg = (
                f"Some persons have records with different values on {qid}. A bottom-up search adds up groups, so it "
                f"would count them more than once. Search top-down{command_words('--method tdr')}."
            )
            raise InputError(msg)
