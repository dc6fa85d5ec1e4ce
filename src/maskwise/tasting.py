"""The conditional criterion from table to Solution: several searches, the best of which is kept.

One search takes milliseconds on a table of some ten thousand records, so it can
be run with different tastes. Which result is best is told by a `Jury` on folds
of the training records; nothing else is looked at.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.conditional import Conditional, Taste
from maskwise.cut import Ending
from maskwise.errors import plural
from maskwise.ground import plant_all, prepare
from maskwise.how import Limits, stage_of, unheard
from maskwise.jury import Jury
from maskwise.policy import Kind
from maskwise.search import assemble
from maskwise.tips import Alone, Tips
from maskwise.topdown import TopDown, descend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.cut import Solution, Step
    from maskwise.forest import Tree
    from maskwise.ground import Ground
    from maskwise.how import Announce, How
    from maskwise.policy import Policy
    from maskwise.profile import Profile
    from maskwise.read import Table
    from maskwise.room import Room
    from maskwise.topdown import Watcher

    Ints = NDArray[np.int64]

FEWEST_RUNS, MOST_RUNS = 8, 64
"""Searches for each unit of effort beyond the first: few on a large table, many on a small one."""
WORK_OF_RUNS = 12_800_000
"""So many cells all searches of a unit of effort look at in one step, as far as the above allows."""
EXPONENTS = (1.0, 0.5, 0.0)
_UNREST = 0.7
"""How far weights that are drawn at random spread: the standard deviation of their logarithms."""


@dataclass(frozen=True, slots=True)
class Run:
    """One search and what it led to."""

    taste: Taste
    """How gain and loss were traded."""
    trees: tuple[Tree, ...]
    """The trees as they have grown."""
    state: TopDown
    """The last state."""
    steps: list[Step]
    """The refinements."""
    ending: Ending
    """Why it ended."""

    def places(self) -> list[Ints]:
        """For each attribute the shown value that each code falls under, by its place in the order of codes."""
        found = []
        for i, tree in enumerate(self.trees):
            of_code = np.zeros(tree.n_codes, np.int64)
            first = int(self.state.first[i])
            # In the order of codes, so that intervals stay ordered; `*` of a suppress attribute comes first.
            spans = sorted(tree.codes[node - first].tolist() for node in self.state.shown[i])
            for place, (low, high) in enumerate(spans):
                of_code[low:high] = place
            found.append(of_code)
        return found


def search_conditionally(
    table: Table,
    profile: Profile,
    policy: Policy,
    how: How,
    watch: Watcher,
    announce: Announce = unheard,
    room: Room | None = None,
) -> Solution:
    """Find a cut by conditional gain, and with more effort the best of several.

    Args:
        table: The records.
        profile: Their one-dimensional counts.
        policy: What is asked.
        how: How hard to look, and for how long.
        watch: Hears of every step of every search, and may ask to stop.
        announce: Hears that compressing begins, and each of the searches.
        room: Where compressed rows are kept.
    """
    announce("compress")
    ground = prepare(table, profile, policy, how.seed, room)
    tastes = list_tastes(ground, how)
    contest = Contest(ground, how.seed)
    begin = time.monotonic()
    for n, taste in enumerate(tastes, 1):
        left = None if how.limits.seconds is None else max(how.limits.seconds - (time.monotonic() - begin), 0.0)
        if n > 1 and left == 0.0:
            break
        announce(stage_of(n, len(tastes)))
        run = search_once(ground, taste, Limits(how.limits.max_steps, left), watch)
        contest.enter(run)
        if run.ending is Ending.INTERRUPTED:
            break
    best = contest.best
    solution = assemble(profile, policy, best.trees, best.state, best.steps, best.ending, how)
    return replace(solution, notes=(*solution.notes, contest.note()))


class Contest:
    """Runs as they come; the one with the lowest error on held-out folds is kept, of equal ones the first."""

    best: Run
    """The best so far."""

    def __init__(self, ground: Ground, seed: int) -> None:
        """Open a contest.

        Args:
            ground: What the runs start from.
            seed: Makes the folds repeatable.
        """
        self._ground, self._seed = ground, seed
        self._jury: Jury | None = None
        self._first: list[Ints] = []
        self._n_runs = 0
        self._errors: dict[bytes, float] = {}
        self._lowest = self._first_error = 0.0

    def enter(self, run: Run) -> None:
        """Judge a run. One that was cut short where the first was not is no rival to it."""
        if not self._n_runs:
            self.best, self._first, self._n_runs = run, run.places(), 1
            return
        if run.ending is not self.best.ending:
            return
        if self._jury is None:
            # One search alone needs no jury.
            is_number = [tree.kind is Kind.INTERVAL for tree in self._ground.trees]
            self._jury = Jury(self._ground.classes, self._ground.bins, is_number, self._seed)
            self._lowest = self._first_error = self._judge(self._jury, self._first)
        self._n_runs += 1
        error = self._judge(self._jury, run.places())
        if error < self._lowest:
            self.best, self._lowest = run, error

    def _judge(self, jury: Jury, places: list[Ints]) -> float:
        cut = b"".join(of_code.tobytes() for of_code in places)
        if cut not in self._errors:
            self._errors[cut] = jury.error(places)
        return self._errors[cut]

    def note(self) -> str:
        """How the best was chosen."""
        if self._n_runs == 1:
            return "Chosen by conditional gain, one search."
        results = plural(len(self._errors), "result")
        return (
            f"Chosen by conditional gain among {self._n_runs} searches with {results}: error on held-out folds of the "
            f"training records {100 * self._lowest:.2f} %, of the first search {100 * self._first_error:.2f} %."
        )


def list_tastes(ground: Ground, how: How) -> list[Taste]:
    """What to try: the papers' trade of gain against loss first, then others, then attributes weighed at random."""
    if how.effort == 1:
        return [Taste()]
    is_informed = ground.bins is not None
    tastes = [
        Taste(exponent, with_background=told) for told in (True, False)[: 1 + is_informed] for exponent in EXPONENTS
    ]
    tastes += [Taste(exponent, is_alone=True) for exponent in EXPONENTS]
    n_cells = max(ground.classes.codes.size, 1)
    n_runs = 1 + min(max(WORK_OF_RUNS // n_cells, FEWEST_RUNS), MOST_RUNS) * (how.effort - 1)
    rng = np.random.default_rng(how.seed)
    for n in range(len(tastes), n_runs):
        weights = tuple(np.exp(_UNREST * rng.standard_normal(len(ground.trees))).tolist())
        tastes.append(Taste(EXPONENTS[n % 3], weights, with_background=is_informed, is_alone=n % 4 == 0))
    return tastes[:n_runs]


def search_once(ground: Ground, taste: Taste, limits: Limits, watch: Watcher) -> Run:
    """Search with one taste."""
    trees, elastic = plant_all(ground.profile, ground.trees, ground.floors)
    state = TopDown(trees, ground.tables, ground.bounds, has_class=True)
    roots, n_nodes = state.first[:-1], int(state.first[-1])
    bins = ground.bins if taste.with_background else None
    tips = Alone(ground.classes, roots, n_nodes) if taste.is_alone else Tips(ground.classes, roots, n_nodes, bins)
    chooser = Conditional(state, tips, elastic, taste)
    steps, ending = descend(chooser, limits, watch)
    return Run(taste, trees, state, steps, ending)
