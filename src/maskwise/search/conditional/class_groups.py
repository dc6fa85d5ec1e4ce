"""The class inside the groups that all masked attributes form together.

The papers' TIPS over the union of all QIDs: rows with class counts, kept group
by group as the search refines. Where unmasked columns already tell something of
the class (`compress.scored_records`), records that they tell different things of are in
different groups from the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.bounds import as_rules
from maskwise.search.conditional import gain_kernels
from maskwise.search.groups import split_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class ClassGroups:
    """Class counts by group, split as the search refines."""

    def __init__(self, compact: Compact, roots: Ints, n_nodes: int, bins: Ints | None = None) -> None:
        """Start with one group that shows the root of every attribute, or one for each bin.

        Args:
            compact: Distinct coded rows of all masked attributes, with the records of each class.
            roots: The root of each attribute.
            n_nodes: How many values there may come to be.
            bins: (n_rows,) the bin of each row by what unmasked columns tell; None if there is none.
        """
        n_rows, n_attributes = compact.codes.shape
        sizes = np.array([n_rows])
        n_classes = compact.counts.shape[1]
        self.n_rows = n_rows
        self.n_attributes = n_attributes
        self.n_records = int(compact.counts.sum())
        self._n_classes = n_classes
        self._rules = as_rules((), np.zeros(n_classes, np.int64))
        self._cut = split_kernels.SplitCut(
            slot=np.zeros((n_attributes, 1), np.int32),
            base=np.zeros(n_attributes, np.int64),
            hides=np.zeros(n_attributes, np.bool_),
            first_child=np.zeros(n_nodes, np.int64),
            n_children=np.zeros(n_nodes, np.int64),
            alive=np.zeros(n_nodes, np.bool_),
            worst=np.zeros((0, n_nodes)),
        )
        most = n_rows + 1
        workspace = compact.workspace
        counts = workspace.zeros(compact.counts.shape, np.int64)
        codes = split_kernels.room_for_codes(workspace, compact.codes.shape, compact.codes.dtype)
        if bins is None:
            # Copies: rows are moved, and other searches may start from the same table.
            counts[:], codes[:, :n_attributes] = compact.counts, compact.codes
        else:
            order = np.argsort(bins, kind="stable")
            _, sizes = np.unique(bins[order], return_counts=True)
            np.take(compact.counts, order, axis=0, out=counts)
            codes[:, :n_attributes] = compact.codes[order]
        self._groups = split_kernels.start_groups(workspace, n_attributes, codes, counts, most, most + 1, 1, len(sizes))
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self._groups.start[: len(sizes)] = starts
        self._groups.size[: len(sizes)] = sizes
        self._groups.total[: len(sizes)] = np.add.reduceat(counts, starts, axis=0)
        self._groups.shown[:, : len(sizes)] = roots[:, None]

    @property
    def arrays(self) -> split_kernels.Groups:
        """The rows, group by group, as the kernels take them."""
        return self._groups

    @property
    def entropy(self) -> float:
        """Bits of the class that the groups leave open, per record."""
        n_groups = int(self._groups.tally[0])
        return float(sum(gain_kernels.bits(self._groups.total[g]) for g in range(n_groups)) / self.n_records)

    def gain(self, attribute: int, value: int, slot: Ints, n_slots: int) -> float:
        """Bits per record that replacing a value by its children tells."""
        hist = np.empty((n_slots, self._n_classes), np.int64)
        bits: float = gain_kernels.gain_of_children(self._groups, attribute, value, slot, hist)
        return bits / self.n_records

    def gains_of_values(self, attribute: int, root: int, n_codes: int) -> Floats:
        """Bits per record that disclosing each hidden value tells, by code."""
        bits, n_classes = np.zeros(n_codes), self._n_classes
        buffers = np.empty((n_codes, n_classes), np.int64), np.empty(n_classes, np.int64)
        gain_kernels.gains_of_values(self._groups, attribute, root, bits, *buffers)
        gains: Floats = bits / self.n_records
        return gains

    def gains_of_splits(self, attribute: int, value: int, low: int, high: int) -> Floats:
        """Bits per record that splitting an interval before each of its codes tells."""
        bits, n_classes = np.zeros(high - low), self._n_classes
        buffers = np.empty((high - low + 1, n_classes), np.int64), np.empty((2, n_classes), np.int64)
        gain_kernels.gains_of_splits(self._groups, attribute, value, low, high, bits, *buffers)
        gains: Floats = bits / self.n_records
        return gains

    def refine(self, attribute: int, value: int, branch: Ints, branch_node: Ints) -> None:
        """Split the groups that show a value; the arguments are those of `SplittingGroups.refine`."""
        split_kernels.split_groups(self._groups, self._cut, self._rules, attribute, value, branch, branch_node)

    def take_away(self, codes: Ints) -> None:
        """Forget suppressed records: what is told of them is told to nobody.

        Args:
            codes: (n_suppressed, n_attributes) the distinct rows of codes that are suppressed.
        """
        self._groups.words[_are_among(self._groups.codes[:, : self.n_attributes], codes)] = 0
        self._add_up()

    def _add_up(self) -> None:
        n_groups = int(self._groups.tally[0])
        starts = self._groups.start[:n_groups]
        order = np.argsort(starts)
        self._groups.total[order] = np.add.reduceat(self._groups.words, starts[order], axis=0)


def _are_among(rows: NDArray[np.unsignedinteger], some: Ints) -> NDArray[np.bool_]:
    """Whether each row of codes is one of some others.

    Rows are compared by a 64-bit hash: one in billions of billions would be taken for another, which changes a gain
    and nothing that is promised.
    """
    rng = np.random.default_rng(0)
    mixed = np.array([rng.integers(2**63) for _ in range(rows.shape[1])], np.uint64)
    wanted = np.sort((some.astype(np.uint64) * mixed).sum(axis=1, dtype=np.uint64))
    hashes = np.zeros(len(rows), np.uint64)
    for a in range(rows.shape[1]):
        hashes += rows[:, a].astype(np.uint64) * mixed[a]
    at = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
    found: NDArray[np.bool_] = wanted[at] == hashes
    return found
