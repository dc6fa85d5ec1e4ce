"""The groups of one quasi-identifier whose persons have several rows, while a search refines.

The counterpart of `splitting` for such tables, with the same interface. The
persons of two groups do not add up, so each group is counted by itself. The
loops are in `person_kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search import rule_kernels
from maskwise.search.groups import person_kernels
from maskwise.search.groups.splitting import cut_of_qid, smallest_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.compress.spill import Workspace
    from maskwise.search.groups.split_kernels import SplitCut


class PersonGroups:
    """The groups of one QID, split as the search refines; a person is counted once in each of them.

    Claim: after any sequence of refinements `now[r]` is the badness of the
    worst group by rule r, and `worst[r, x]` that of the worst group that
    refining x next would create. So a refinement that is performed is valid.
    Shares of persons are not anti-monotone: a candidate that is invalid once is
    given up, though it might be valid later.
    """

    def __init__(
        self,
        compact: Compact,
        cut: SplitCut,
        roots: Sequence[int],
        most_slots: Sequence[int],
        rules: rule_kernels.Rules,
    ) -> None:
        """Start with one group that shows the root of every attribute.

        Args:
            compact: The QID's distinct coded rows, person by person.
            cut: The trees, with attributes numbered over the whole policy.
            roots: The root of each of the QID's attributes.
            most_slots: The largest number of children on each of the QID's attributes.
            rules: What the groups must satisfy.
        """
        assert compact.persons is not None  # noqa: S101 - else rows add up, which `splitting` makes use of
        self.attributes = compact.attributes
        self.rules = rules
        workspace = compact.workspace
        n_rows = len(compact.codes)
        n_counts = compact.counts.shape[1]
        order = np.argsort(compact.persons, kind="stable")
        marks = _as_bits(compact.counts, workspace)
        codes = workspace.zeros(compact.codes.shape, compact.codes.dtype)
        words = workspace.zeros(marks.shape, np.int64)
        np.take(compact.codes, order, axis=0, out=codes)
        np.take(marks, order, axis=0, out=words)
        # The records of a group are at least as many as its persons.
        most_groups = n_rows // smallest_group(rules) + 1
        self.is_anti_monotone = bool((rules.kind == rule_kernels.K).all())
        self._cut = cut_of_qid(cut, compact.attributes, most_slots, rules)
        n_slots = max(int(sum(most_slots)), 1)
        self._rows = person_kernels.start_persons(
            workspace, codes, compact.persons[order], words, n_counts, most_groups, n_slots
        )
        self._rows.shown[:, 0] = roots
        self.now: NDArray[np.float64] = np.empty(len(rules.kind))
        # Splitting the group into one that shows the same counts it, without a kernel for that.
        to_root = np.zeros(self._cut.slot.shape[1], np.int64)
        self._split(0, roots[0], to_root, np.array([roots[0]], np.int64))

    @property
    def worst(self) -> NDArray[np.float64]:
        """For each rule and candidate, the worst group that refining the candidate would create."""
        worst: NDArray[np.float64] = self._cut.worst
        return worst

    def try_splits(
        self, attribute: int, node: int, low: int, high: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """How bad the worst group would be after each split of an interval; see `SplittingGroups.try_splits`."""
        worst, fits = np.empty((len(self.rules.kind), high - low)), np.empty(high - low, np.bool_)
        j = self.attributes.index(attribute)
        person_kernels.worst_of_splits(self._rows, self.rules, j, node, low, high, worst, fits)
        return worst, fits

    @property
    def n_groups(self) -> int:
        """How many groups there are now."""
        return int(self._rows.tally[0])

    def refine(
        self,
        attribute: int,
        value: int,
        candidate: int,
        branch: NDArray[np.int64],
        branch_node: NDArray[np.int64],
        slot: NDArray[np.int32],
    ) -> None:
        """Split the groups that show `value`; the arguments are those of `SplittingGroups.refine`."""
        del candidate
        j = self.attributes.index(attribute)
        self._cut.slot[j] = slot
        self._split(j, value, branch, branch_node)

    def _split(self, j: int, value: int, branch: NDArray[np.int64], branch_node: NDArray[np.int64]) -> None:
        buffers = np.empty(len(branch_node), np.int64), np.empty(len(branch_node), np.int64)
        how = branch, branch_node, self.now, int(self.is_anti_monotone)
        person_kernels.split_groups(self._rows, self._cut, self.rules, j, value, *how, *buffers)


def _as_bits(counts: NDArray[np.int64], workspace: Workspace) -> NDArray[np.int64]:
    """Which counters each row has, as bits of as few words as they fill in order.

    Args:
        counts: (n_rows, n_counts) 0 or 1.
        workspace: Where the words are kept.
    """
    n_rows, n_counts = counts.shape
    words = workspace.zeros((n_rows, -(-n_counts // person_kernels.BITS)), np.int64)
    for c in range(n_counts):
        words[:, c // person_kernels.BITS] += counts[:, c] << (c % person_kernels.BITS)
    return words
