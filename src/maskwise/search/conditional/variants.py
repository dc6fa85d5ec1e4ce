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

from maskwise.errors import plural
from maskwise.search.conditional.class_groups import Alone, Tips
from maskwise.search.conditional.criterion import Conditional, Taste
from maskwise.search.conditional.inputs import plant_all, prepare
from maskwise.search.options import Limits, stage_of, unheard
from maskwise.search.search import assemble
from maskwise.search.topdown import TopDown, descend
from maskwise.solution.solution import Ending
from maskwise.values.message import note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.compress.spill import Room
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.search.conditional.cross_validation import Jury
    from maskwise.search.conditional.inputs import Ground
    from maskwise.search.options import Announce, How
    from maskwise.search.topdown import Watcher
    from maskwise.search.value_trees import Tree
    from maskwise.solution.solution import Solution
    from maskwise.solution.steps import Step
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

FEWEST_RUNS, MOST_RUNS = 6, 64
"""Searches for each unit of effort beyond the first: few on a large table, many on a small one."""
WORK_OF_RUNS = 12_800_000
"""So many cells all searches of a unit of effort look at in one step, as far as the above allows."""
N_FINALISTS = 8
"""So many results get a closer look at most."""
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
    ground = prepare(table, profile, policy, how, room)
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
    best = contest.winner()
    solution = assemble(profile, policy, best.trees, best.state, best.steps, best.ending, how)
    return replace(solution, messages=(*solution.messages, note(contest.note)))


class Contest:
    """Runs as they come; the one that serves a classifier best on held-out folds wins, of equal ones the first."""

    def __init__(self, ground: Ground, seed: int) -> None:
        """Open a contest.

        Args:
            ground: What the runs start from.
            seed: Makes the folds repeatable.
        """
        self._ground, self._seed = ground, seed
        self._jury: Jury | None = None
        self._n_runs = 0
        self._errors: dict[bytes, float] = {}
        self._finalists: list[tuple[float, int, Run]] = []
        self.note = "Chosen by conditional gain, one search."
        """How the winner was chosen."""

    def enter(self, run: Run) -> None:
        """Judge a run. One that was cut short where the first was not is no rival to it."""
        run.state.let_go()
        if self._n_runs and run.ending is not self._finalists[0][2].ending:
            return
        self._n_runs += 1
        if self._n_runs == 1:
            # Judged when there is a second: one search alone needs no jury.
            self._finalists.append((0.0, 0, run))
            return
        if self._jury is None:
            self._jury = self._ground.jury(self._seed)
            first = self._finalists[0][2]
            self._finalists = [(self._judge(self._jury, first), 0, first)]
        n_known = len(self._errors)
        error = self._judge(self._jury, run)
        if len(self._errors) > n_known:
            # The first always stays; the others are the best so far.
            others = sorted([*self._finalists[1:], (error, self._n_runs, run)], key=lambda one: one[:2])
            self._finalists[1:] = others[: N_FINALISTS - 1]

    def _judge(self, jury: Jury, run: Run) -> float:
        places = run.places()
        cut = b"".join(of_code.tobytes() for of_code in places)
        if cut not in self._errors:
            self._errors[cut] = jury.error(places)
        return self._errors[cut]

    def winner(self) -> Run:
        """The run with the lowest error: of the few best, by a closer look where columns are unmasked."""
        if self._n_runs == 1:
            return self._finalists[0][2]
        close = self._ground.close_jury(self._seed)
        errors = [one[0] if close is None else close.error(one[2].places()) for one in self._finalists]
        best = int(np.argmin(errors))
        results = plural(len(self._errors), "result")
        self.note = (
            f"Chosen by conditional gain among {self._n_runs} searches with {results}: error on held-out folds of the "
            f"training records {100 * errors[best]:.2f} %, of the first search {100 * errors[0]:.2f} %."
        )
        return self._finalists[best][2]


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
