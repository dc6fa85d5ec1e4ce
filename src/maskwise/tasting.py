"""The conditional criterion from table to Solution: several searches, the best of which is kept.

One search takes milliseconds on a table of some ten thousand records, so it can
be run with different tastes. Which result is best is told by a classifier on
folds of the training records; nothing else is looked at.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.arrow import as_numpy
from maskwise.background import as_lookup, bin_records, free_columns
from maskwise.coding import numbered, records
from maskwise.compress import Compact, compress, compress_classes
from maskwise.conditional import Conditional, Taste
from maskwise.cut import Ending
from maskwise.elastic import plant
from maskwise.errors import InputError
from maskwise.forest import grow_forest
from maskwise.how import Limits
from maskwise.policy import Kind
from maskwise.rules import list_bounds, list_needs
from maskwise.search import assemble
from maskwise.sensitive import take_sensitive
from maskwise.tips import Tips
from maskwise.topdown import TopDown, descend

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.cut import Solution, Step
    from maskwise.elastic import Elastic
    from maskwise.evaluate.c45 import C45Classifier
    from maskwise.forest import Tree
    from maskwise.how import How
    from maskwise.policy import Policy
    from maskwise.profile import Profile
    from maskwise.read import Table
    from maskwise.room import Room
    from maskwise.rules import Bound
    from maskwise.topdown import Watcher

    Ints = NDArray[np.int64]

MOST_CLASSES = 50
RUNS_PER_EFFORT = 8
"""Searches for each unit of effort beyond the first."""
N_FOLDS = 3
MOST_JUDGED = 30_000
"""So many records judge a variant at most."""
_MOST_KEYS = 2**62
_UNREST = 0.7
"""How far the variants' weights spread: the standard deviation of their logarithms."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What all searches start from."""

    profile: Profile
    """One-dimensional counts."""
    policy: Policy
    """What is asked."""
    floors: dict[str, int]
    """For each attribute the largest k of its QIDs."""
    trees: tuple[Tree, ...]
    """The trees of taxonomy and suppress attributes; intervals are planted anew for each search."""
    bounds: tuple[Bound, ...]
    """The rules of all requirements."""
    tables: Sequence[Compact]
    """The compressed table of each distinct QID."""
    classes: Compact
    """The rows of all masked attributes, by class."""
    bins: Ints | None
    """What unmasked columns tell of each of those rows."""


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


def search_conditionally(
    table: Table, profile: Profile, policy: Policy, how: How, watch: Watcher, room: Room | None = None
) -> Solution:
    """Find a cut by conditional gain, and with more effort the best of several.

    Args:
        table: The records.
        profile: Their one-dimensional counts.
        policy: What is asked.
        how: How hard to look, and for how long.
        watch: Hears of every step of every search, and may ask to stop.
        room: Where compressed rows are kept.
    """
    ground = prepare(table, profile, policy, how.seed, room)
    begin = time.monotonic()
    runs: list[Run] = []
    for taste in _tastes(how.effort, len(ground.trees), how.seed, is_informed=ground.bins is not None):
        left = None if how.limits.seconds is None else max(how.limits.seconds - (time.monotonic() - begin), 0.0)
        if runs and left == 0.0:
            break
        run = search_once(ground, taste, Limits(how.limits.max_steps, left), watch)
        # A variant that was cut short where the first was not is no rival to it.
        if not runs or run.ending is runs[0].ending:
            runs.append(run)
        if run.ending is Ending.INTERRUPTED:
            break
    best, note = _select(ground, runs, how)
    solution = assemble(profile, policy, best.trees, best.state, best.steps, best.ending, how)
    return replace(solution, notes=(*solution.notes, note))


def prepare(table: Table, profile: Profile, policy: Policy, seed: int, room: Room | None = None) -> Ground:
    """Count everything that the searches need.

    Args:
        table: The records.
        profile: Their one-dimensional counts.
        policy: What is asked.
        seed: Makes the folds of the background repeatable.
        room: Where compressed rows are kept.
    """
    if policy.class_name is None:
        raise InputError("The criterion `conditional` needs a class to tell. Name one in the policy, or use `score`.")
    found = take_sensitive(table, policy.class_name)
    values = found.values()
    if len(values) > MOST_CLASSES:
        msg = f"The criterion `conditional` takes up to {MOST_CLASSES} classes; found {len(values):,}. Use `score`."
        raise InputError(msg)
    floors = policy.floors()
    grown = grow_forest(profile, floors)
    trees = _plant(profile, grown, floors)[0]
    needs = list_needs(profile, policy)
    bins = None
    free = free_columns(table, policy)
    if free:
        table = numbered(table)
        known = records(table, [*free, policy.class_name])
        of_class = known.column(known.num_columns - 1).combine_chunks().dictionary_encode(null_encoding="encode")
        # By spelling, so that the order of the records changes nothing.
        order = np.argsort(np.argsort([str(text) for text in of_class.dictionary.to_pylist()], kind="stable"))
        numbers = order[as_numpy(of_class.indices)].astype(np.int64)
        of_record = bin_records(known.columns[1:-1], numbers, seed)
        bins = None if of_record is None else as_lookup(as_numpy(known.column(0)).astype(np.int64), of_record)
    pairs = [(policy.class_name, found.keys_of(value)) for value in values]
    classes, of_row = compress_classes(table, profile, trees, pairs, bins, room)
    tables = compress(table, profile, trees, needs, room)
    bounds = tuple(list_bounds(profile, policy, needs))
    return Ground(profile, policy, floors, grown, bounds, tables, classes, of_row)


def _plant(
    profile: Profile, grown: Sequence[Tree], floors: dict[str, int]
) -> tuple[tuple[Tree, ...], dict[int, Elastic]]:
    elastic = {
        i: plant(column, floors[column.name])
        for i, column in enumerate(profile.columns)
        if column.kind is Kind.INTERVAL
    }
    trees = tuple(elastic[i].tree if i in elastic else tree for i, tree in enumerate(grown))
    return trees, elastic


def _tastes(effort: int, n_attributes: int, seed: int, *, is_informed: bool) -> Iterator[Taste]:
    """What to try: the papers' trade of gain against loss first, then others, then attributes weighed at random."""
    yield Taste()
    if effort == 1:
        return
    fixed = [
        Taste(exponent, with_background=told)
        for told in (True, False)[: 1 + is_informed]
        for exponent in (1.0, 0.5, 0.0)
    ]
    rng = np.random.default_rng(seed)
    for n in range(1, RUNS_PER_EFFORT * (effort - 1) + 1):
        if n < len(fixed):
            yield fixed[n]
            continue
        weights = tuple(np.exp(_UNREST * rng.standard_normal(n_attributes)).tolist())
        yield Taste((1.0, 0.5, 0.0)[n % 3], weights, with_background=is_informed)


def search_once(ground: Ground, taste: Taste, limits: Limits, watch: Watcher) -> Run:
    """Search with one taste."""
    trees, elastic = _plant(ground.profile, ground.trees, ground.floors)
    state = TopDown(trees, ground.tables, ground.bounds, has_class=True)
    bins = ground.bins if taste.with_background else None
    tips = Tips(ground.classes, state.first[:-1], int(state.first[-1]), bins)
    chooser = Conditional(state, tips, elastic, taste)
    steps, ending = descend(chooser, limits, watch)
    return Run(taste, trees, state, steps, ending)


def _shown_codes(ground: Ground, trees: Sequence[Tree], state: TopDown) -> Ints:
    """What each row shows on each attribute, as the place of the shown value in its tree."""
    shown = np.zeros(ground.classes.codes.shape, np.int64)
    for i, tree in enumerate(trees):
        of_code = np.zeros(tree.n_codes, np.int64)
        first = int(state.first[i])
        # In the order of codes, so that intervals stay ordered; `*` of a suppress attribute comes first.
        spans = sorted(tree.codes[node - first].tolist() for node in state.shown[i])
        for place, (low, high) in enumerate(spans):
            of_code[low:high] = place
        shown[:, i] = of_code[ground.classes.codes[:, i]]
    return shown


def _misplaced(ground: Ground, trees: Sequence[Tree], state: TopDown) -> float:
    """The share of records outside the largest class of their group, what unmasked columns tell included."""
    key = np.zeros(len(ground.classes.codes), np.int64)
    shown = _shown_codes(ground, trees, state)
    n_keys = 1
    for column in (*shown.T, *([] if ground.bins is None else [ground.bins])):
        if n_keys > _MOST_KEYS // (int(column.max()) + 1):
            _, key = np.unique(key, return_inverse=True)
            n_keys = int(key.max()) + 1
        n_keys *= int(column.max()) + 1
        key = key * (int(column.max()) + 1) + column
    _, group = np.unique(key, return_inverse=True)
    of_class = ground.classes.counts.T
    counts = np.stack([np.bincount(group, weights=n) for n in of_class])
    return float(1.0 - counts.max(axis=0).sum() / counts.sum())


def _select(ground: Ground, runs: Sequence[Run], how: How) -> tuple[Run, str]:
    """Keep the run with the lowest error on held-out folds, among the few that look best on all records."""
    if len(runs) == 1:
        return runs[0], "Chosen by conditional gain, one search."
    finalists = [runs[0]]
    for run in sorted(runs[1:], key=lambda run: _misplaced(ground, run.trees, run.state)):
        if len(finalists) > how.effort + 1:
            break
        is_new = all(run.state.shown != other.state.shown or _ends(run) != _ends(other) for other in finalists)
        finalists += [run] if is_new else []
    errors = [_held_out_error(ground, run, how.seed) for run in finalists]
    best = finalists[int(np.argmin(errors))]
    where = "held-out folds of the training records" if _judge() else "the training records (without scikit-learn)"
    return best, (
        f"Chosen by conditional gain among {len(runs)} searches: error on {where} "
        f"{100 * min(errors):.2f} %, of the first search {100 * errors[0]:.2f} %."
    )


def _ends(run: Run) -> list[tuple[str, str | None, tuple[str | None, ...]]]:
    return sorted(((step.attribute, step.before, step.after) for step in run.steps), key=str)


def _judge() -> type[C45Classifier] | None:
    """The classifier that judges variants, where scikit-learn is there."""
    try:
        from maskwise.evaluate.c45 import C45Classifier  # noqa: PLC0415 - heavy and optional
    except ImportError:
        return None
    return C45Classifier


def _held_out_error(ground: Ground, run: Run, seed: int) -> float:
    """The error of a decision tree on folds of the training records; without scikit-learn, on all of them."""
    classifier = _judge()
    if classifier is None or ground.profile.n_rows < N_FOLDS:
        return _misplaced(ground, run.trees, run.state)
    import pyarrow as pa  # noqa: PLC0415 - heavy

    # Rows in an order of their own: engines count in any order.
    by_hash = _in_own_order(ground)
    counts = ground.classes.counts[by_hash]
    rows = by_hash[np.repeat(np.arange(counts.size) // counts.shape[1], counts.ravel())]
    labels = np.repeat(np.arange(counts.size) % counts.shape[1], counts.ravel())
    order = np.random.default_rng(seed).permutation(len(rows))[:MOST_JUDGED]
    shown = _shown_codes(ground, run.trees, run.state)[rows[order]]
    columns = {}
    for i, tree in enumerate(run.trees):
        cells = pa.array(shown[:, i])
        columns[f"a{i}"] = cells if tree.kind is Kind.INTERVAL else cells.cast(pa.string())
    if ground.bins is not None:
        columns["background"] = pa.array(ground.bins[rows[order]])
    table, classes = pa.table(columns), labels[order].astype(str)
    fold = np.arange(len(order)) % N_FOLDS
    n_wrong = 0
    for f in range(N_FOLDS):
        model = classifier().fit(table.filter(pa.array(fold != f)), classes[fold != f])
        n_wrong += int((model.predict(table.filter(pa.array(fold == f))) != classes[fold == f]).sum())
    return n_wrong / len(order)


def _in_own_order(ground: Ground) -> Ints:
    """The rows by a hash of what they hold; sorting by all columns took seconds at a million rows."""
    codes = ground.classes.codes
    # Any odd numbers: those of different columns are far apart.
    odd = np.random.default_rng(0).integers(2**64, size=codes.shape[1] + 1, dtype=np.uint64) | np.uint64(1)
    key = np.zeros(len(codes), np.uint64)
    for j in range(codes.shape[1]):
        key += codes[:, j].astype(np.uint64) * odd[j]
    if ground.bins is not None:
        key += ground.bins.astype(np.uint64) * odd[-1]
    return np.argsort(key, kind="stable")
