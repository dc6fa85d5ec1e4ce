"""Places: what the candidates of an attribute would tell apart; `subset_groups` counts rows by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.search.groups.subset_kernels import Dimensions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.search.groups.split_kernels import SplitCut

    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]


class AttributePlaces(NamedTuple):
    """The places of one attribute; see `Dimensions`."""

    of_code: Ints  # (n_codes,)
    shown: Ints  # (n_places,)
    candidate: Ints  # (n_places,)
    n_shown: int


def place_codes(cut: SplitCut, attribute: int, nodes: Ints, only: Bools | None = None) -> AttributePlaces:
    """The places of an attribute, or those of some of its codes.

    Args:
        cut: The trees.
        attribute: The attribute's number in the policy.
        nodes: (n_codes,) the node that each code shows.
        only: (n_codes,) the codes; the others have the first place.
    """
    of_code = np.zeros(len(nodes), np.int64)
    shown: list[int] = []
    candidates: list[int] = []
    different = np.unique(nodes if only is None else nodes[only]).tolist()
    for number, node in enumerate(different):
        own = nodes == node
        if not cut.alive[node] or not cut.n_children[node]:
            of_code[own] = len(shown)
            told = [-1]
        elif cut.hides[attribute]:
            # Each value that may still be disclosed by itself, and last all others that `*` hides.
            children = cut.first_child[node] + np.arange(cut.n_children[node])
            told = [*children[cut.alive[children]].tolist(), -1]
            place_of_slot = np.full(len(children) + 1, len(told) - 1)
            place_of_slot[:-1][cut.alive[children]] = np.arange(len(told) - 1)
            of_code[own] = len(shown) + place_of_slot[cut.slot[attribute][own]]
        else:
            told = [node] * int(cut.n_children[node])
            of_code[own] = len(shown) + cut.slot[attribute][own]
        shown += [number] * len(told)
        candidates += told
    if only is not None:
        of_code[~only] = 0
    return AttributePlaces(of_code, np.array(shown), np.array(candidates), len(different))


def as_dimensions(layouts: Sequence[AttributePlaces], hides: Bools, alive: Bools, places: NDArray[Any]) -> Dimensions:
    """What rows show, and what candidates would tell apart.

    Args:
        layouts: The places of each attribute, those of the refined one once more at the end.
        hides: Whether each discloses values one by one.
        alive: (n_nodes,) candidates that may still be refined.
        places: (n_attributes + 1, n_rows) the place of each row.
    """
    sizes = [len(one.shown) for one in layouts]
    candidate = np.concatenate([one.candidate for one in layouts])
    offset = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return Dimensions(
        places,
        np.array(sizes, np.int64),
        np.array([one.n_shown for one in layouts], np.int64),
        offset,
        np.concatenate([one.shown for one in layouts]).astype(np.int64),
        candidate.astype(np.int64),
        np.logical_or.reduceat((candidate >= 0) & alive[candidate], offset),
        hides,
    )
