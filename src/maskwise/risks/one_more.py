"""QID + 1: what is left of the groups of a QID for somebody who knows one more released column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.risks.risk import OneMore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.risks.group_sizes import GroupSizes


def wider_sets(qids: Mapping[tuple[str, ...], int | None], released: Sequence[str]) -> list[frozenset[str]]:
    """The sets of columns whose groups `know_one_more` needs; the arguments are its own."""
    return [
        frozenset((*qid, column))
        for qid, k in qids.items()
        if k is not None
        for column in released
        if column not in qid
    ]


def know_one_more(
    qids: Mapping[tuple[str, ...], int | None], released: Sequence[str], sizes: Mapping[frozenset[str], GroupSizes]
) -> tuple[OneMore, ...]:
    """Say for each QID with a k and each other released column how small groups get.

    Args:
        qids: The QIDs, each with the group size that was asked.
        released: The released columns.
        sizes: The group sizes on each QID with one more column.
    """
    found = []
    for qid, k in qids.items():
        if k is None:
            continue
        for column in released:
            if column not in qid:
                wider = sizes[frozenset((*qid, column))]
                smallest = int(wider.sizes[0]) if len(wider.sizes) else 0
                found.append(OneMore(qid, column, smallest, wider.share(wider.sizes < k)))
    return tuple(found)
