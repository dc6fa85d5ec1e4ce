"""The groups of one quasi-identifier while a search generalizes.

The counterpart of `splitting`: there groups are split, here they are merged.
The loops are in `merge_kernels`, the choice of the next generalization in
`bottomup`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search import rule_kernels
from maskwise.search.groups import merge_kernels, merge_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact

_BLOCK = 1 << 20
"""So many rows are looked at together where a copy is made on the way."""


class MergingGroups:
    """The groups of one QID, merged as the search generalizes."""

    def __init__(
        self,
        compact: Compact,
        cut: merge_kernels.MergeCut,
        node_of_code: Sequence[NDArray[np.int64]],
        rules: rule_kernels.Rules,
    ) -> None:
        """Start with one group for each distinct row.

        Args:
            compact: The QID's distinct coded rows.
            cut: The trees, with attributes numbered over the whole policy.
            node_of_code: For each attribute of the policy the value that each code shows.
            rules: What the groups must satisfy.
        """
        self.attributes = compact.attributes
        self.rules = rules
        n_rows, n_attributes = compact.codes.shape
        n_nodes, n_rules = len(cut.parent), len(rules.kind)
        most = 2 * n_rows + 1
        self._cut = cut._replace(hides=cut.hides[list(compact.attributes)])
        workspace = compact.workspace
        shown = workspace.zeros((most, n_attributes), np.int32)
        for start in range(0, n_rows, _BLOCK):
            block = slice(start, min(start + _BLOCK, n_rows))
            for p, a in enumerate(compact.attributes):
                shown[block, p] = node_of_code[a][compact.codes[block, p]]
        counts = workspace.zeros((most, compact.counts.shape[1]), np.int64)
        counts[:n_rows] = compact.counts
        self._store = merge_store.GroupStore(
            shown=shown,
            counts=counts,
            key=workspace.zeros(most, np.uint64),
            alive=workspace.zeros(most, np.bool_),
            following=workspace.full((n_attributes, most), merge_store.NONE, np.int32),
            head=np.full(n_nodes, merge_store.NONE, np.int32),
            buckets=workspace.full(1 << max(most, 2).bit_length(), merge_store.NONE, np.int32),
            chained=workspace.full(most, merge_store.NONE, np.int32),
            bad=workspace.zeros((n_rules, most), np.float64),
            heap=workspace.zeros((n_rules, most), np.int32),
            n_heap=np.zeros(n_rules, np.int64),
            stamp=workspace.zeros(most, np.int64),
            stack=workspace.zeros(most + 2, np.int32),
            # The numbers only spread groups over buckets; equality is always checked.
            number=np.random.default_rng(0).integers(2**64, size=n_nodes, dtype=np.uint64),
            tally=np.zeros(2, np.int64),
        )
        merge_store.start(self._store, rules, n_rows)
        self.n_groups = n_rows

    @property
    def now(self) -> NDArray[np.float64]:
        """How bad the worst group is by each rule."""
        return np.array([self._store.bad[r, self._store.heap[r, 0]] for r in range(len(self.rules.kind))])

    def worst(self, rule: int) -> float:
        """As `now`, but a quotient without bound is infinite; there it is capped, so that differences are numbers."""
        return float(self._weigh_worst(rule)[0])

    def is_broken(self, rule: int) -> bool:
        """Whether the worst group breaks a rule that is enforced."""
        return bool(self._weigh_worst(rule)[1])

    def _weigh_worst(self, rule: int) -> tuple[float, bool]:
        counts = self._store.counts[self._store.heap[rule, 0]]
        weighed: tuple[float, bool] = rule_kernels.weigh_group(self.rules, rule, counts)
        return weighed

    def count_broken(self) -> int:
        """The records in groups that break a rule that is enforced."""
        store = self._store
        return int(merge_store.broken_records(store, self.rules))

    def critical(self, rule: int) -> list[int]:
        """The values to which one could generalize, or which one could hide, so that the worst group gets better."""
        critical = np.empty(len(self.attributes), np.int64)
        merge_kernels.find_critical(self._store, self._cut, rule, critical)
        nodes: list[int] = []
        for p, node in enumerate(critical.tolist()):
            if node >= 0:
                nodes.append(node)
            elif node == merge_kernels.ANY:
                root = int(self._store.shown[self._store.heap[rule, 0], p])
                values = self._cut.first_child[root] + np.arange(self._cut.n_children[root])
                open_values = values[self._cut.is_open[values]].tolist()
                nodes += [value for value in open_values if merge_kernels.is_merged_with(self._store, rule, p, value)]
        return nodes

    def after(self, attribute: int, values: range, target: int) -> NDArray[np.float64]:
        """How bad the worst group would be by each rule if `target` replaced some values."""
        worst = np.empty(len(self.rules.kind))
        j = self.attributes.index(attribute)
        merge_kernels.try_merge(self._store, self.rules, j, values.start, values.stop, target, worst)
        return worst

    def generalize(self, attribute: int, values: range, target: int) -> None:
        """Let `target` replace some values."""
        j = self.attributes.index(attribute)
        self.n_groups -= merge_kernels.merge(self._store, self.rules, j, values.start, values.stop, target)
        merge_store.clean_heaps(self._store, self.n_groups)
