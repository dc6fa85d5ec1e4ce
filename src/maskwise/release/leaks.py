"""Released columns that tell what a masked one hides.

`relationship = Husband` tells the sex, however well `sex` is masked. For each
masked attribute and each other released column the records are counted whose
raw cell follows from the other column's cell and the label shown. The figures
rest on raw cells, so they are for the owner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.engines.pair_counts import Target
from maskwise.policy.attributes import Kind
from maskwise.release import mask as masking
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.engines.pair_counts import Pair, PairCounts, Repetition, Shares
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution
    from maskwise.table.random_part import RandomPart

NEARLY_ALL = 0.95
"""A group tells its raw cell if so many of its records have the same one."""
WARNED_FROM = 0.05
"""From such a share of all records on a column is warned of."""
_GROUP_BY_CHANCE = 0.01
"""A group counts only if fewer than so many groups of its size would have one raw cell by chance."""
_COLUMN_BY_CHANCE = 1e-6
"""A column follows from another only if chance would make it look so less often than this."""
_WITHOUT_ERRORS = 0.999
"""A column follows from another if it does in so many of the records; data have errors, and hashes may collide."""
_REPEATED = 0.5
"""So many records must share their cell with another record; that the rest follows from it says nothing."""
_MOST_CELLS = 4_000_000
"""So many cells are counted in all: with very many pairs of columns, fewer records are looked at."""
_LEAST_RECORDS = 2_000
"""So many records are looked at nevertheless."""


class LeakKind(StrEnum):
    """How a released column tells a masked one."""

    TELLS = "tells"
    """For some records, its cell and the label shown leave nearly one raw cell."""
    DETERMINES = "determines"
    """Each of its cells occurs with one raw cell."""
    REPEATS = "repeats"
    """It has the raw cell in every record."""
    NARROWS = "narrows"
    """It follows from the raw cell, and has several cells behind one label."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A released column that tells a masked attribute."""

    column: str
    """The released column."""
    attribute: str
    """The masked attribute."""
    kind: LeakKind
    """How it tells it."""
    share: float
    """In which part of all records; of a column that repeats or determines the attribute, in all."""
    is_masked: bool
    """Whether the released column is itself a masked attribute."""


@dataclass(frozen=True, slots=True)
class _Pairs:
    """What is counted: masked attributes that hide something, and the columns that may tell them."""

    names: tuple[str, ...]
    """The released columns; their places are their numbers."""
    targets: tuple[Target, ...]
    """The attributes, with the columns beside each."""
    passed: frozenset[int]
    """The released columns that are not masked."""


def find_leaks(part: RandomPart, solution: Solution, columns: Sequence[Column], policy: Policy) -> tuple[Leak, ...]:
    """Find the released columns that tell a masked attribute, largest share first.

    A record counts if its raw cell is hidden, and its group, the records with
    the same label and the same cell of the other column, has at least k records
    of which 95 % have one raw cell. Where the label alone tells as much, the
    other column adds nothing. The group must also be large enough that it is no
    chance. Of a part of the table, k is scaled down to it.

    Args:
        part: The records, unmasked.
        solution: What is shown.
        columns: The distinct cells of each masked attribute, as `profile` found them.
        policy: What was asked.
    """
    pairs = _pairs(part, solution, columns)
    n_pairs = sum(len(target.beside) for target in pairs.targets)
    if not n_pairs:
        return ()
    part = part.at_most(max(_MOST_CELLS // n_pairs, _LEAST_RECORDS))
    counts = part.table.engine.count_pairs(_code(part, pairs, solution, columns), pairs.targets)
    floors = policy.floors()
    least = {target.number: math.ceil(floors[pairs.names[target.number]] * part.share) for target in pairs.targets}
    found = {pair: (LeakKind.TELLS, share) for pair, share in _told(counts, least).items() if share >= WARNED_FROM}
    found = {**_followers(counts, pairs, found, policy.class_name), **found}
    found |= dict.fromkeys(counts.repeating(pairs.passed), (LeakKind.REPEATS, 1.0))
    counts.drop()
    leaks = [
        Leak(pairs.names[other], pairs.names[target], kind, share, other not in pairs.passed)
        for (target, other), (kind, share) in found.items()
    ]
    return tuple(sorted(leaks, key=lambda leak: (-leak.share, leak.column, leak.attribute)))


def _hides(cut: Cut, column: Column) -> bool:
    """Whether some raw cell is shown as something else; one that every record has is known without it."""
    # Ranges stand for more numbers than there are keys.
    is_by_key = cut.kind is Kind.INTERVAL or column.rule is not None
    n_values = len(column.keys) + int(column.is_ranged) if is_by_key else len(column.texts)
    if n_values + column.n_rest + bool(column.missing.any()) == 1:
        return False
    if cut.kind is Kind.INTERVAL or column.n_rest > 0 or cut.regional:
        return True
    labels = column.labels_by(cut)
    if column.rule is None:
        return any(label != text for label, text in zip(labels, column.texts, strict=True))
    # The finest level of a rule may show less than the cell.
    values = column.value_of_key.tolist()
    return any(labels[value] != text_of(key) for value, key in zip(values, column.keys.to_pylist(), strict=True))


def _pairs(part: RandomPart, solution: Solution, columns: Sequence[Column]) -> _Pairs:
    """Choose what is counted: not what hides nothing, and not what shows one label only."""
    cuts = list(zip(solution.cuts, columns, strict=True))
    hiding = {cut.attribute for cut, column in cuts if _hides(cut, column)}
    constant = {cut.attribute for cut, column in cuts if len(cut.labels) == 1 and not column.missing.any()}
    # A pseudonym is drawn at random, so it tells nothing.
    person = None if solution.person is None else solution.person.column
    names = tuple(name for name in solution.columns if name in part.table.names and name != person)
    masked = {cut.attribute for cut in solution.cuts}
    # The labels of a region go together, so there every masked column tells of others what their groups tell.
    left_out = constant if solution.regions is None else masked
    beside = {
        i: f"label_{i}" if name in hiding else f"cell_{i}" for i, name in enumerate(names) if name not in left_out
    }
    targets = tuple(
        Target(i, f"raw_{i}", f"label_{i}", {other: cell for other, cell in beside.items() if other != i})
        for i, name in enumerate(names)
        if name in hiding
    )
    return _Pairs(names, targets, frozenset(i for i, name in enumerate(names) if name not in masked))


def _code(part: RandomPart, pairs: _Pairs, solution: Solution, columns: Sequence[Column]) -> ir.Table:
    """Put the raw cells beside what is released, all as whole numbers."""
    table, numbers = part.table, [target.number for target in pairs.targets]
    raw = {f"raw_{i}": table.hashed(pairs.names[i]) for i in numbers}
    masked = masking.mask(replace(table, expr=table.expr.mutate(**raw)), solution, columns)
    shown = {number: name for target in pairs.targets for number, name in target.beside.items()}
    shown |= {target.number: target.label for target in pairs.targets}
    return masked.expr.select(
        **{name: masked.expr[name] for name in raw},
        **{name: masked.hashed(pairs.names[number]) for number, name in shown.items()},
    )


def _told(counts: PairCounts, least: Mapping[int, int]) -> dict[Pair, float]:
    """In which share of all records each column tells each masked attribute."""
    labels = counts.labels()
    least_of = {(target, label): _least(shares, least[target]) for (target, label), shares in labels.items()}
    n_rows = dict.fromkeys(least, 0)
    for (target, _), shares in labels.items():
        n_rows[target] += shares.n_records
    n_told: dict[Pair, int] = {}
    for groups in counts.telling(max(2, min(least.values())), NEARLY_ALL):
        if groups.n_records >= least_of[groups.target, groups.label]:
            pair = groups.target, groups.other
            n_told[pair] = n_told.get(pair, 0) + groups.n_groups * groups.n_records
    return {pair: n / n_rows[pair[0]] for pair, n in n_told.items()}


def _least(shares: Shares, k: int) -> float:
    """How many records a group behind a label needs to count; infinitely many if the label alone tells as much.

    By chance all s records of a group have one raw cell with a probability of
    at most q p ** (s - 2), where p is the largest share of a raw cell behind the
    label and q the sum of the squares of all shares.
    """
    p, q = shares.n_most / shares.n_records, shares.n_squares / shares.n_records**2
    if p >= NEARLY_ALL:
        return math.inf
    return max(2, k, 2 + math.ceil(math.log(_GROUP_BY_CHANCE / q) / math.log(p)))


def _followers(
    counts: PairCounts, pairs: _Pairs, known: Mapping[Pair, object], class_name: str | None
) -> dict[Pair, tuple[LeakKind, float]]:
    """The unmasked columns that an attribute follows from, and those that follow from it and show more than its label.

    The class is meant to be predicted, so that it follows from an attribute is no reason to warn.
    """
    found = {}
    for pair, (by_other, by_raw) in counts.repetitions(pairs.passed).items():
        target, other = pair
        if pair in known:
            continue
        if _follows(by_other, by_raw):
            found[pair] = LeakKind.DETERMINES, 1.0
        elif pairs.names[other] != class_name and _follows(by_raw, by_other):
            share = counts.n_narrowed(target, other) / by_raw.n_all
            if share >= WARNED_FROM:
                found[pair] = LeakKind.NARROWS, share
    return found


def _follows(first: Repetition, second: Repetition) -> bool:
    """Whether the second column follows from the first, which chance does not explain.

    By chance a value with s records goes with one value of the other column with
    a probability of at most q p ** (s - 2), as in `_least`.
    """
    if first.n_records < _REPEATED * first.n_all or first.n_single < _WITHOUT_ERRORS * first.n_records:
        return False
    p, q = second.n_most / second.n_all, second.n_squares / second.n_all**2
    exponent = first.n_records - 2 * first.n_values
    return first.n_values * math.log(q) + exponent * math.log(p) <= math.log(_COLUMN_BY_CHANCE)
