"""Downcoding: what a recipient learns of hidden values from the release and public marginals alone.

Two things are measured (Cohen, "Attacks on deidentification's defenses", USENIX
Security 2022). *Maximality*: a search stops where every further refinement would
break a requirement, and that it stopped is information about the hidden cells.
Under global recoding it is next to none; it is stated in bits. *Labels*: a label
whose raw values are nearly all the same hides nothing, whatever the group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.partings import OtherTreesError, group_cells, group_sizes, list_refinements
from maskwise.attacks.searched import REGIONAL
from maskwise.policy.attributes import Kind
from maskwise.solution.solution import Ending
from maskwise.values.file_words import command_words
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.attacks.partings import GroupCells, Parting
    from maskwise.attacks.searched import Searched
    from maskwise.profile.columns import Column
    from maskwise.solution.cut import Cut

    Ints = NDArray[np.int64]

MARGINALS = "the release, the method, and how often each value of a masked attribute occurs in the table"
NEARLY_ALL = 0.95
"""A label tells its raw value if so many of its records have the same one."""
MOST_TOLD = 0.01
"""Maximality tells too much if it is such a part of all that the labels hide."""
CHEAP = 3_000_000
"""Up to so many codes of compressed tables are looked at in `mask`."""
_SURE = 1 - 1e-15
"""A larger chance counts as this one, so that its logarithm is a number."""
_MOST_LISTED = 20
"""So many labels are listed."""


@dataclass(frozen=True, slots=True)
class Label:
    """A shown value that hides some raw values."""

    attribute: str
    """The attribute."""
    label: str
    """What is shown."""
    n_records: int
    """The records that show it."""
    n_most: int
    """Those of them with the most frequent raw value."""
    entropy: float
    """What it hides of one record, in bits."""


def downcoding(searched: Searched, *, in_full: bool = True) -> Attack:
    """Say how many bits it tells that the search stopped where it did.

    The figure is an upper bound of -log2 of the chance that every refinement
    that is left is invalid, if each record's hidden value is drawn from the
    public distribution inside its label, independently. It only looks at k, and
    more requirements make refinements more often invalid. Where QIDs overlap, a
    refinement is taken to be valid as often as on the one where it is least.

    Args:
        searched: The cut, and the counts it was found from.
        in_full: Also where that takes a while.
    """
    reason = None
    if searched.solution.regions is not None:
        reason = REGIONAL
    elif searched.solution.method != "tdr" or searched.solution.ending in {
        Ending.STEPS,
        Ending.TIME,
        Ending.INTERRUPTED,
    }:
        reason = "The search did not go on until nothing more could be shown, so that it ended tells nothing."
    elif not any(one.k for one in searched.policy.requirements):
        reason = "No requirement asks for a k, so a refinement is stopped by what the attacker does not know."
    elif searched.has_linked_rows:
        reason = "Some persons have records in several groups, and what is learned of them is not worked out."
    elif not in_full and searched.n_cells > CHEAP:
        how = command_words("maskwise attack --solution --original")
        reason = f"The table is large, so it was not computed{how}."
    if reason is not None:
        return Attack("downcoding", MARGINALS, AttackResult.NOT_RUN, reason, Audience.OWNER)
    try:
        bits = bits_of_maximality(searched)
    except OtherTreesError:
        text = (
            "The cut does not follow from this table and policy; it was found on another table or with other options."
        )
        return Attack("downcoding", MARGINALS, AttackResult.NOT_RUN, text, Audience.OWNER)
    hidden = sum(label.entropy * label.n_records for label in hiding_labels(searched))
    text = (
        f"That every further refinement would break a requirement tells at most {bits:.2g} bits about all hidden cells "
        f"together, of {hidden:,.0f} bits that their labels hide."
    )
    told = bits / hidden if hidden else 0.0
    result = AttackResult.FAILED if told > MOST_TOLD else AttackResult.PASSED
    details = {"hidden_bits": hidden, "told": told}
    return Attack("downcoding", MARGINALS, result, text, Audience.OWNER, bits, MOST_TOLD * hidden, details)


def bits_of_maximality(searched: Searched) -> float:
    """An upper bound of the information in bits that every refinement left is invalid; see `downcoding`.

    Claim: it is no less than the information of the event under these
    assumptions, which is -log2 of its chance; unless several refinements of one
    shown value are together likely to be valid, where they are taken for
    independent.
    """
    from maskwise.attacks.downcoding_kernels import log_chance_valid  # noqa: PLC0415 - compiled code is slow to load

    least = _least_sizes(searched)
    of_k = [t for t, k in enumerate(least) if k > 1]
    sizes = {t: group_sizes(searched, searched.tables[t]) for t in of_k}
    # What a template stopped, which k would have allowed, is the concern of the minimality attack.
    refinements, cells = list_refinements(searched), {}
    if searched.policy.sensitive:
        cells = {t: group_cells(searched, searched.tables[t], refinements) for t in of_k}
    # Hidden values of different shown values are independent here; of one value, several refinements may be left.
    chances: dict[tuple[int, str], list[float]] = {}
    for refinement in refinements:
        own = [t for t in of_k if refinement.attribute in searched.requests[t].attributes]
        shares = _shares(searched, refinement)
        if len(shares) == 1:
            # All records are in one part, which the marginals tell: a lone value behind `*`.
            continue
        if not own or (cells and not any(_breaks(cells[t], refinement, least[t]) for t in own)):
            continue
        valid = min(log_chance_valid(np.sort(sizes[t].touched(refinement)), shares, least[t]) for t in own)
        chances.setdefault((refinement.attribute, refinement.shown), []).append(min(math.exp(valid), _SURE))
    return sum((_bits_of_none(valid) for valid in chances.values()), start=0.0)


def _bits_of_none(chances: Sequence[float]) -> float:
    """At most so many bits tell that none of some events happened, given the chance of each.

    Where the chances add up to one or more, the events are taken for independent.
    """
    total = sum(chances)
    none = math.log1p(-total) if total < 1 else sum(math.log1p(-chance) for chance in chances)
    return -none / math.log(2)


def _breaks(cells: Mapping[int, GroupCells], refinement: Parting, k: int) -> bool:
    """Whether a refinement leaves a group smaller than k."""
    parts = cells[refinement.attribute].parted(refinement)[:, :, 0]
    return bool(((parts > 0) & (parts < k)).any())


def _shares(searched: Searched, refinement: Parting) -> NDArray[np.float64]:
    """The share of each part of a shown value among its records, from the marginal distribution."""
    counts, touched = _code_counts(searched, refinement.attribute), refinement.part_of_code >= 0
    in_part = np.bincount(refinement.part_of_code[touched], counts[touched], len(refinement.parts))
    return np.ascontiguousarray(in_part[in_part > 0] / max(in_part.sum(), 1))


def _least_sizes(searched: Searched) -> list[int]:
    """The k that is asked on each compressed table; 1 where none is."""
    parts = [part for one in searched.tried.requirements for part in one.parts if part.min_group]
    number = {column.name: i for i, column in enumerate(searched.profile.columns)}
    asked: dict[tuple[int, ...], int] = {}
    for part in parts:
        qid = tuple(sorted(number[name] for name in part.qid))
        asked[qid] = max(asked.get(qid, 1), part.min_group)
    return [asked.get(request.attributes, 1) for request in searched.requests]


def _code_counts(searched: Searched, attribute: int) -> Ints:
    """The records of each code of an attribute, from its marginal distribution."""
    column, tree = searched.profile.columns[attribute], searched.trees[attribute]
    n_records = np.append(column.counts.sum(axis=1), column.missing.sum())
    # A tree that grows has a number for the missing value also where no cell is missing.
    found = np.bincount(tree.code_of_value, n_records, tree.n_codes)[: tree.n_codes]
    if column.rest is not None:
        found[0] += column.rest.sum()
    return found.astype(np.int64)


def labels_that_tell(searched: Searched) -> Attack:
    """Say which labels hide little: of how many hidden cells the raw value is told by the label itself.

    No requirement bounds this: a search may show a value, and such a label shows it as good as exactly.

    Args:
        searched: The cut, and the counts it was found from.
    """
    knows = "the release, and how often each value of a masked attribute occurs in the table"
    if searched.solution.regions is not None:
        return Attack("labels", knows, AttackResult.NOT_RUN, REGIONAL, Audience.OWNER)
    labels = list(hiding_labels(searched))
    n_hidden = sum(label.n_records for label in labels)
    telling = sorted(
        (label for label in labels if label.n_most >= NEARLY_ALL * label.n_records), key=lambda one: -one.n_records
    )
    if not n_hidden:
        return Attack("labels", knows, AttackResult.NOT_RUN, "No cell is hidden.", Audience.OWNER)
    share = sum(label.n_records for label in telling) / n_hidden
    text = f"Of {n_hidden:,} hidden cells, {share:.1%} are told at 95 % by their own label.".replace("%", " %", 1)
    if telling:
        first = f"`{telling[0].label}` of `{telling[0].attribute}`"
        text += f" The most frequent such label is {first}. Count these cells as shown; no requirement hides them."
    details = {"hidden_cells": n_hidden, "labels": _listed(telling)}
    return Attack("labels", knows, AttackResult.MEASURED, text, Audience.OWNER, share, details=details)


def _listed(telling: Sequence[Label]) -> list[dict[str, Any]]:
    return [
        {"attribute": one.attribute, "label": one.label, "records": one.n_records, "share": one.n_most / one.n_records}
        for one in telling[:_MOST_LISTED]
    ]


def hiding_labels(searched: Searched) -> Iterator[Label]:
    """The shown values that stand for several raw values, or for numbers of a range."""
    for column, cut in zip(searched.profile.columns, searched.solution.cuts, strict=False):
        if column.is_ranged:
            # Its numbers were counted by ranges, so how often each occurs is not known.
            continue
        yield from _labels_of(column, cut)


def _numbers(column: Column) -> Iterator[tuple[float, int]]:
    """The distinct numbers of an interval attribute with their records."""
    binned = column.cell_counts is not None
    numbers = column.cell_numbers if binned else column.numbers
    counts = column.cell_counts if column.cell_counts is not None else column.counts.sum(axis=1)
    return zip(numbers.tolist(), counts.tolist(), strict=True)


def _labels_of(column: Column, cut: Cut) -> Iterator[Label]:
    """The labels of one attribute; where all records have the same value, everybody knows it."""
    raw: dict[str, list[int]] = {}
    if cut.kind is Kind.INTERVAL:
        for number, n in _numbers(column):
            raw.setdefault(cut.show_number(number), []).append(n)
    else:
        n_records = column.counts.sum(axis=1).tolist()
        for text, shown, n in zip(column.texts, column.labels_by(cut), n_records, strict=True):
            if shown != text:
                raw.setdefault(shown, []).append(n)
    if column.rest is not None:
        # Rare values that are not told apart: each is at most one of them, and none is the most frequent.
        raw.setdefault(cut.root, []).append(int(column.rest.sum()))
    if column.missing.any() and cut.missing_text is not None:
        raw.setdefault(cut.missing_text, []).append(int(column.missing.sum()))
    is_constant = sum(n > 0 for counts in raw.values() for n in counts) == 1 and set(raw) == {cut.root}
    for label, counts in () if is_constant else raw.items():
        found = np.array([n for n in counts if n > 0], np.int64)
        if len(found):
            shares = found / found.sum()
            entropy = float(-(shares * np.log2(shares)).sum())
            yield Label(column.name, label, int(found.sum()), int(found.max()), max(entropy, 0.0))
