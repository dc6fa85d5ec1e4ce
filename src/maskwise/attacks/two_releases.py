"""Two releases of the same people, group by group: does one tell all that both tell together?

Everything follows from the groups of each release on a QID: what they show and
how many records each has. No record of one is compared with a record of the
other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.attacks.label_sets import compare_labels
from maskwise.errors import quote
from maskwise.values.arrow import as_numpy
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.attacks.label_sets import LabelPairs
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

ORDINALS = ("first", "second")
"""What the two releases are called."""


@dataclass(frozen=True, slots=True)
class ReleaseGroups:
    """The groups of one release on a QID."""

    labels: tuple[tuple[str | None, ...], ...]
    """For each attribute its distinct labels; None is a missing cell."""
    codes: Ints  # (n_groups, n_attributes)
    """What each group shows, by the place of the label."""
    n_records: Ints  # (n_groups,)
    """The records of each."""


def count_groups(table: Table, qid: Sequence[str], read_text: Callable[[str], str] = str) -> ReleaseGroups:
    """Count the groups of a release.

    Args:
        table: The release.
        qid: The attributes.
        read_text: Reads a cell as it was before it was written, where writing changed cells.
    """
    found = table.engine.group(table.expr, [table.column(name) for name in qid])
    labels, codes = [], []
    for cells in found.columns[:-1]:
        texts = [None if cell is None else read_text(text_of(cell)) for cell in cells.to_pylist()]
        at = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        labels.append(tuple(at))
        codes.append([at[text] for text in texts])
    return ReleaseGroups(tuple(labels), np.array(codes, np.int64).T, as_numpy(found.column("n")).astype(np.int64))


@dataclass(frozen=True, slots=True)
class LinkCandidates:
    """How many records of the other release a record may be, by what both show on a QID: an upper bound."""

    smallest: int
    """The fewest that a record has."""
    share_below: float | None
    """The share of records with fewer than k; None without a k."""


@dataclass(frozen=True, slots=True)
class JointGroups:
    """What two releases tell together on one QID."""

    qid: tuple[str, ...]
    """The attributes."""
    finer: int | None
    """The release whose groups are those of both together: 0 or 1; None if that cannot be told."""
    why: str
    """Why it cannot be told; empty if it can."""
    candidates: tuple[LinkCandidates, LinkCandidates] | None
    """For the records of each release, where it cannot be told."""


def join_groups(
    qid: tuple[str, ...],
    releases: tuple[ReleaseGroups, ReleaseGroups],
    trees: Mapping[str, Taxonomy | RuleTree | None],
    k: int | None,
) -> JointGroups:
    """Decide which of two releases tells all that both tell together on a QID.

    Args:
        qid: The attributes.
        releases: The groups of each.
        trees: The taxonomies of the attributes.
        k: The smallest group that is asked for.

    Claim: if every label of one release is inside one label of the other, on
    every attribute of the QID, and its groups add up to the other's, then a
    person's group in it decides the group in the other: the groups of both
    together are its own.
    """
    first, second = releases
    pairs = [
        compare_labels(ours, theirs, trees.get(name))
        for name, ours, theirs in zip(qid, first.labels, second.labels, strict=True)
    ]
    adds_up = True
    for finer, (inner, outer) in ((1, (second, first)), (0, (first, second))):
        into = [one.of_second if finer else one.of_first for one in pairs]
        inside = [codes for codes in into if codes is not None]
        if len(inside) == len(pairs):
            if _add_up(inner, outer, inside):
                return JointGroups(qid, finer, "", None)
            adds_up = False
    why = "their groups do not add up to each other, so they are not of the same records" if not adds_up else ""
    counted = (_candidates(first, second, pairs, k), _candidates(second, first, [_exchanged(one) for one in pairs], k))
    return JointGroups(qid, None, why or _why(qid, pairs), counted)


def _add_up(inner: ReleaseGroups, outer: ReleaseGroups, into: Sequence[Ints]) -> bool:
    """Whether the groups of one release, by what the other shows of them, have as many records as its groups."""
    shown = np.stack([place[inner.codes[:, i]] for i, place in enumerate(into)], axis=1)
    return _sizes(shown, inner.n_records) == _sizes(outer.codes, outer.n_records)


def _sizes(codes: Ints, n_records: Ints) -> Counter[tuple[int, ...]]:
    """The records of each combination of codes."""
    sizes: Counter[tuple[int, ...]] = Counter()
    for row, n in zip(codes.tolist(), n_records.tolist(), strict=True):
        sizes[tuple(row)] += n
    return sizes


def _why(qid: Sequence[str], pairs: Sequence[LabelPairs]) -> str:
    """Say on which attributes which release tells more."""
    neither = [n for n, one in zip(qid, pairs, strict=True) if one.of_first is None and one.of_second is None]
    if neither:
        return f"on {quote(neither)} no release's labels are unions of the other's"
    more = [
        (n, 1 if one.of_first is None else 0)
        for n, one in zip(qid, pairs, strict=True)
        if one.of_first is None or one.of_second is None
    ]
    told = [f"the {ORDINALS[which]} tells more of {quote([n for n, w in more if w == which])}" for which in (0, 1)]
    return ", ".join(told)


def _exchanged(pairs: LabelPairs) -> LabelPairs:
    return type(pairs)(pairs.overlaps.T, pairs.of_first, pairs.of_second)


def _candidates(
    ours: ReleaseGroups, theirs: ReleaseGroups, pairs: Sequence[LabelPairs], k: int | None
) -> LinkCandidates:
    """For the records of a release, how many of the other agree with them on every attribute."""
    n_candidates = np.zeros(len(ours.n_records), np.int64)

    def narrow(own: Ints, other: Ints, attribute: int) -> None:
        """Count for some groups, of the groups that agree with them on the attributes before this one."""
        if attribute == len(pairs) or not len(other):
            n_candidates[own] = theirs.n_records[other].sum()
            return
        shown = ours.codes[own, attribute]
        for label in np.unique(shown):
            agree = pairs[attribute].overlaps[label, theirs.codes[other, attribute]]
            narrow(own[shown == label], other[agree], attribute + 1)

    narrow(np.arange(len(ours.n_records)), np.arange(len(theirs.n_records)), 0)
    share = None if k is None else float(ours.n_records[n_candidates < k].sum() / max(int(ours.n_records.sum()), 1))
    return LinkCandidates(int(n_candidates.min()) if len(n_candidates) else 0, share)


def unique_links(tables: tuple[Table, Table], names: Sequence[str]) -> float:
    """The share of records that one record of the other release, and no further one, agrees with in some columns.

    Args:
        tables: The releases.
        names: Columns that both show in the same way.
    """
    if not names:
        return 0.0
    alone: list[NDArray[np.uint64]] = []
    for table in tables:
        hashes = table.expr.select(**{f"h{i}": table.hashed(name) for i, name in enumerate(names)})
        counted = hashes.group_by(list(hashes.columns)).agg(n=hashes.count())
        found = table.engine.fetch(counted.filter(counted["n"] == 1).drop("n"))
        alone.append(_mixed([as_numpy(column).astype(np.int64) for column in found.columns]))
    n_rows = min(table.n_rows() for table in tables)
    return len(np.intersect1d(alone[0], alone[1])) / max(n_rows, 1)


def _mixed(columns: Sequence[Ints]) -> NDArray[np.uint64]:
    """One number for each row of several."""
    odd = np.random.default_rng(0).integers(2**64, size=len(columns), dtype=np.uint64) | np.uint64(1)
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column, factor in zip(columns, odd, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(29))) * factor + column.view(np.uint64)
    return mixed
