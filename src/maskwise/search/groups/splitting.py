"""The groups of one quasi-identifier while a search refines.

This is what the papers keep in TIPS, QITS, VIP and QID-trees. A group's rows
stay side by side; for each candidate and rule only the worst group that
refining it would create is kept, and it only ever gets worse (see
`docs/claims.md`). The loops are in `split_kernels`, the choice of the next
refinement in `topdown`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search import rule_kernels
from maskwise.search.conditional.gain_kernels import worst_of_splits
from maskwise.search.groups import split_kernels
from maskwise.values.kernel import plain_loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact

_NOTHING = -1
"""What the first group shows of an attribute before it is counted."""


def smallest_group(rules: rule_kernels.Rules) -> int:
    """The smallest group that the rules allow; 1 where they do not say."""
    sizes = rules.over[(rules.kind == rule_kernels.K) & rules.is_enforced]
    return max((int(k) for k in sizes), default=1) or 1


def cut_of_qid(
    cut: split_kernels.SplitCut, attributes: Sequence[int], most_slots: Sequence[int], rules: rule_kernels.Rules
) -> split_kernels.SplitCut:
    """The part of a cut that is about one QID, with worsts of its own.

    Args:
        cut: The trees, with attributes numbered over the whole policy.
        attributes: Those of the QID.
        most_slots: The largest number of children on each of them.
        rules: What its groups must satisfy.
    """
    own = np.array(attributes, np.int64)
    base = np.zeros(len(own), np.int64)
    base[1:] = np.cumsum(most_slots)[:-1]
    worst = np.full((len(rules.kind), len(cut.first_child)), -np.inf)
    return cut._replace(slot=np.ascontiguousarray(cut.slot[own]), base=base, hides=cut.hides[own], worst=worst)


def try_splits(
    groups: split_kernels.Groups, rules: rule_kernels.Rules, j: int, node: int, low: int, high: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How bad the worst group would be by each rule after each split of an interval, and whether no rule breaks.

    Args:
        groups: The groups.
        rules: What they must satisfy.
        j: The attribute's place among those of the groups.
        node: The interval.
        low: Its first code.
        high: One past its last.
    """
    # Only searches whose intervals grow ask for it.

    n_rules, n_counts = len(rules.kind), groups.words.shape[1]
    worst, fits = np.full((n_rules, high - low), -np.inf), np.ones(high - low, np.bool_)
    hist = np.empty((high - low + 1, n_counts), np.int64)
    worst_of_splits(
        groups, rules, j, node, low, high, worst, fits, hist, np.empty((2, n_counts), np.int64), np.empty((2, n_rules))
    )
    return worst, fits


class SplittingGroups:
    """The groups of one QID, split as the search refines.

    Claim: after any sequence of refinements `worst[r, x]`, or `now[r]` if that
    is larger, is the badness of rule r after refining x next; for k-anonymity
    that is -A_x(QID), for a template Conf_x.
    """

    def __init__(
        self,
        compact: Compact,
        cut: split_kernels.SplitCut,
        roots: Sequence[int],
        most_slots: Sequence[int],
        rules: rule_kernels.Rules,
    ) -> None:
        """Start with one group that shows the root of every attribute.

        Args:
            compact: The QID's distinct coded rows.
            cut: The trees, with attributes numbered over the whole policy.
            roots: The root of each of the QID's attributes.
            most_slots: The largest number of children on each of the QID's attributes.
            rules: What the groups must satisfy.
        """
        self.attributes = compact.attributes
        self.rules = rules
        workspace = compact.workspace
        n_rows = len(compact.codes)
        total = rules.whole
        # Copies: rows are moved, and other searches may start from the same table.
        words = workspace.zeros(compact.counts.shape, np.int64)
        words[:] = compact.counts
        n_attributes = len(compact.attributes)
        codes = split_kernels.room_for_codes(workspace, compact.codes.shape, compact.codes.dtype)
        codes[:, :n_attributes] = compact.codes
        n_slots = max(int(sum(most_slots)), 1)
        most_groups = min(n_rows, int(total[0]) // smallest_group(rules)) + 1
        n_kept = n_rows // n_slots + 2
        self._cut = cut_of_qid(cut, compact.attributes, most_slots, rules)
        self._arrays = split_kernels.start_groups(
            workspace, n_attributes, codes, words, most_groups, n_kept, n_slots, 1
        )
        self._arrays.size[0] = n_rows
        self._arrays.total[0] = total
        self._arrays.shown[:, 0] = roots
        weigh = plain_loop(rule_kernels.weigh)
        self.now: NDArray[np.float64] = np.array([weigh(rules, r, total, total, 0)[0] for r in range(len(rules.kind))])
        # Splitting the group that shows nothing yet into one that shows the root counts it, without a kernel for that.
        self._arrays.shown[0, 0] = _NOTHING
        to_root = np.zeros(self._cut.slot.shape[1], np.int64)
        split_kernels.split_groups(self._arrays, self._cut, rules, 0, _NOTHING, to_root, np.array([roots[0]], np.int64))

    @property
    def worst(self) -> NDArray[np.float64]:
        """For each rule and candidate, the worst group that refining the candidate would create."""
        worst: NDArray[np.float64] = self._cut.worst
        return worst

    @property
    def arrays(self) -> split_kernels.Groups:
        """The rows, group by group, as the kernels take them."""
        return self._arrays

    def try_splits(
        self, attribute: int, node: int, low: int, high: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """As the function of that name.

        Args:
            attribute: The attribute.
            node: The interval.
            low: Its first code.
            high: One past its last.
        """
        return try_splits(self._arrays, self.rules, self.attributes.index(attribute), node, low, high)

    def set_worst(self, attribute: int, candidate: int, worst: NDArray[np.float64]) -> None:
        """Set how bad the worst group would be after refining a candidate, as `try_splits` found it."""
        del attribute
        self._cut.worst[:, candidate] = worst

    @property
    def is_anti_monotone(self) -> bool:
        """Always: the worst part of a group is never better than the group."""
        return True

    @property
    def n_groups(self) -> int:
        """How many groups there are now."""
        return int(self._arrays.tally[0])

    def refine(
        self,
        attribute: int,
        value: int,
        candidate: int,
        branch: NDArray[np.int64],
        branch_node: NDArray[np.int64],
        slot: NDArray[np.int32],
    ) -> None:
        """Split the groups that show `value`.

        Args:
            attribute: The refined attribute's number in the policy.
            value: The shown value that is split.
            candidate: The candidate whose worst becomes the present: `value`, or the disclosed value.
            branch: For each code of the attribute, the part it goes to.
            branch_node: The value each part shows.
            slot: The attribute's slots after the refinement.
        """
        self.now = np.maximum(self.now, self._cut.worst[:, candidate])
        j = self.attributes.index(attribute)
        self._cut.slot[j] = slot
        split_kernels.split_groups(self._arrays, self._cut, self.rules, j, value, branch, branch_node)
