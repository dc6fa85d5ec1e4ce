"""Variants of the conditional criterion, and the choice among their results.

One search takes milliseconds on a table of some ten thousand records, so it can
be run with different trades of gain against loss. Cross-validation on the
training records decides which result is best; nothing else is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import plural
from maskwise.search.conditional.chooser import ROWS_FOR_THREADS, ConditionalChooser, Variant
from maskwise.search.conditional.class_groups import ClassGroups, SingleAttributeClasses
from maskwise.search.conditional.inputs import start_trees
from maskwise.search.curve import start_curve
from maskwise.search.preferences import preferences_of
from maskwise.search.topdown import TopDown, descend
from maskwise.search.value_trees import flatten
from maskwise.values.processors import both

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.search.conditional.cross_validation import CrossValidation
    from maskwise.search.conditional.inputs import ConditionalInputs
    from maskwise.search.curve import SearchCurve
    from maskwise.search.interface import Watcher
    from maskwise.search.options import Limits
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.solution import Ending
    from maskwise.solution.steps import Step

    Ints = NDArray[np.int64]

MIN_RUNS, MAX_RUNS = 6, 64
"""Searches for each unit of effort beyond the first: few on a large table, many on a small one."""
WORK_OF_RUNS = 12_800_000
"""So many cells all searches of a unit of effort look at in one step, as far as the above allows."""
MAX_FINALISTS = 8
"""So many results are compared in detail at most."""
EXPONENTS = (1.0, 0.5, 0.0)
_SPREAD = 0.7
"""How far weights that are drawn at random spread: the standard deviation of their logarithms."""


@dataclass(frozen=True, slots=True)
class VariantResult:
    """One search and what it led to."""

    variant: Variant
    """How gain and loss were traded."""
    trees: tuple[AnyTree, ...]
    """The trees as they have grown."""
    state: TopDown
    """The last state."""
    steps: list[Step]
    """The refinements."""
    curve: SearchCurve
    """What each of them kept and reached."""
    ending: Ending
    """Why it ended."""
    n_cuts: int
    """How many attributes have a cut."""

    def places(self) -> list[Ints]:
        """For each attribute with a cut the shown value that each code falls under, by its place among the codes."""
        by_attribute = []
        for i, tree in enumerate(self.trees[: self.n_cuts]):
            of_code = np.zeros(tree.n_codes, np.int64)
            first = int(self.state.first[i])
            # In the order of codes, so that intervals stay ordered; `*` of a suppress attribute comes first.
            spans = sorted(tree.codes[node - first].tolist() for node in self.state.shown[i])
            for place, (low, high) in enumerate(spans):
                of_code[low:high] = place
            by_attribute.append(of_code)
        return by_attribute


class VariantSelection:
    """The results so far; the one with the lowest log-loss on held-out folds is the best, of equal ones the first."""

    def __init__(self, inputs: ConditionalInputs, seed: int) -> None:
        """Start without results.

        Args:
            inputs: What the searches start from.
            seed: Makes the folds repeatable.
        """
        self._inputs, self._seed = inputs, seed
        self._validation: CrossValidation | None = None
        self._n_runs = 0
        self._losses: dict[bytes, float] = {}
        self._finalists: list[tuple[float, int, VariantResult]] = []

    def add(self, result: VariantResult) -> None:
        """Compare a result with the others. One that was cut short where the first was not is left out."""
        result.state.release()
        if self._n_runs and result.ending is not self._finalists[0][2].ending:
            return
        self._n_runs += 1
        if self._n_runs == 1:
            # Its log-loss is measured when there is a second one to compare with.
            self._finalists.append((0.0, 0, result))
            return
        if self._validation is None:
            self._validation = self._inputs.cross_validation(self._seed)
            first = self._finalists[0][2]
            self._finalists = [(self._loss(self._validation, first), 0, first)]
        n_cuts = len(self._losses)
        loss = self._loss(self._validation, result)
        if len(self._losses) > n_cuts:
            # The first always stays; the others are the best so far.
            others = sorted([*self._finalists[1:], (loss, self._n_runs, result)], key=lambda one: one[:2])
            self._finalists[1:] = others[: MAX_FINALISTS - 1]

    def _loss(self, validation: CrossValidation, result: VariantResult) -> float:
        """The log-loss of a result; measured once for each cut."""
        places = result.places()
        cut = b"".join(of_code.tobytes() for of_code in places)
        if cut not in self._losses:
            self._losses[cut] = validation.log_loss(places)
        return self._losses[cut]

    def best(self) -> tuple[VariantResult, str | None]:
        """The result with the lowest log-loss, and a note of how it was chosen if there were several.

        Where columns are unmasked, the few best are compared once more beside these columns.
        """
        if self._n_runs == 1:
            return self._finalists[0][2], None
        detailed = self._inputs.detailed_cross_validation(self._seed)
        losses = [one[0] if detailed is None else detailed.log_loss(one[2].places()) for one in self._finalists]
        best = int(np.argmin(losses))
        results = plural(len(self._losses), "result")
        note = (
            f"Chosen by conditional gain among {self._n_runs} searches with {results}: log-loss on held-out folds of "
            f"the training records {losses[best]:.4f} bits, of the first search {losses[0]:.4f}."
        )
        return self._finalists[best][2], note


def list_variants(inputs: ConditionalInputs, effort: int, seed: int) -> list[Variant]:
    """What to try: the papers' trade of gain against loss first, then others, then attributes weighed at random.

    Args:
        inputs: What the searches start from.
        effort: How many to try.
        seed: Makes the weights repeatable.
    """
    if effort == 1:
        return [Variant()]
    has_bins = inputs.classes.group_of_row is not None
    variants = [
        Variant(exponent, with_background=with_background)
        for with_background in (True, False)[: 1 + has_bins]
        for exponent in EXPONENTS
    ]
    variants += [Variant(exponent, is_alone=True) for exponent in EXPONENTS]
    n_cells = max(inputs.classes.rows.codes.size, 1)
    n_runs = 1 + min(max(WORK_OF_RUNS // n_cells, MIN_RUNS), MAX_RUNS) * (effort - 1)
    rng = np.random.default_rng(seed)
    for n in range(len(variants), n_runs):
        weights = tuple(np.exp(_SPREAD * rng.standard_normal(len(inputs.trees))).tolist())
        variants.append(Variant(EXPONENTS[n % 3], weights, with_background=has_bins, is_alone=n % 4 == 0))
    return variants[:n_runs]


def run_variant(inputs: ConditionalInputs, variant: Variant, limits: Limits, watch: Watcher) -> VariantResult:
    """Search with one variant."""
    trees, growing = start_trees(inputs.problem, inputs.trees)
    preferences = preferences_of(inputs.problem.policy)
    groups, bounds = inputs.suppressible(trees)
    n_cuts, first = inputs.problem.policy.n_cuts, flatten(trees).first
    roots, n_nodes = first[:n_cuts], int(first[-1])
    rows = inputs.classes.rows
    bins = inputs.classes.group_of_row if variant.with_background else None

    def start_classes() -> ClassGroups | SingleAttributeClasses:
        if variant.is_alone:
            return SingleAttributeClasses(rows, roots, n_nodes)
        return ClassGroups(rows, roots, n_nodes, bins)

    start = partial(TopDown, trees, inputs.tables, bounds, preferences, has_class=True, suppressible=groups)
    state, classes = both(start, start_classes, pays=len(rows.codes) >= ROWS_FOR_THREADS)
    curve = start_curve(inputs.problem, state)
    steps, ending = descend(ConditionalChooser(state, classes, growing, variant), curve, limits, watch)
    return VariantResult(variant, trees, state, steps, curve, ending, n_cuts)
