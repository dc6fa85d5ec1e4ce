"""The groups of many QIDs that are subsets of the same attributes, while a search refines.

LKC-privacy asks of every two or three of many columns what k-anonymity asks of
one QID. Here no QID has counters of its own: the rows of all attributes
together are looked at, those alone that a refinement moves, and counted on all
subsets with the refined attribute at once (`subset_bundles`); small subsets have rows of their own after all
(`subset_tables`), because these are so much fewer. What is kept is for each subset its worst
group, and for each candidate and subset the worst group that refining it would
create. `SplittingGroups` does the same for one QID, and keeps its groups.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from maskwise.search import rule_kernels
from maskwise.search.groups.bundle_kernels import count_bundled, fill_tables, take_bundles
from maskwise.search.groups.subset_bundles import most_cells, plan_passes
from maskwise.search.groups.subset_cells import make_buffers
from maskwise.search.groups.subset_kernels import Subsets, Worsts, count_subsets, take_places
from maskwise.search.groups.subset_places import as_dimensions, place_codes
from maskwise.search.groups.subset_splits import worst_of_splits
from maskwise.search.groups.subset_tables import (
    count_tabled,
    make_moved_rows,
    plan_tables,
    worst_of_tabled_splits,
)
from maskwise.values.kernel import plain_loop
from maskwise.values.processors import n_processors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.compress.spill import Workspace
    from maskwise.search.groups.split_kernels import SplitCut
    from maskwise.search.groups.subset_bundles import Bundles
    from maskwise.search.groups.subset_cells import Buffers
    from maskwise.search.groups.subset_kernels import Dimensions
    from maskwise.search.groups.subset_places import AttributePlaces
    from maskwise.search.groups.subset_tables import MovedRows, SubsetTables

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

T = TypeVar("T")
_MOST_THREADS = 4
"""More would need more memory than they save time."""
_WORK_OF_THREAD = 2_000_000
"""With fewer visits of rows, another thread does not pay."""


class SubsetGroups:
    """The groups of subsets of some attributes, all of one size.

    Rules are numbered subset by subset: rule r of subset s is `s * n_rules + r`.

    Claim: after any sequence of refinements `worst_of` an attribute's candidate x and a rule of a subset with the
    attribute, or `now` of the rule if that is larger, is its badness after refining x next.
    """

    def __init__(
        self,
        wide: Compact,
        subsets: Sequence[tuple[int, ...]],
        cut: SplitCut,
        first: Ints,
        rules: rule_kernels.Rules,
        is_enforced: Bools,
    ) -> None:
        """Start with one group on each subset, which shows roots.

        Args:
            wide: The rows of all attributes.
            subsets: The attributes of each QID by their number in the policy, ascending.
            cut: The trees, with attributes numbered over the whole policy.
            first: The root of each attribute of the policy; one past the last node.
            rules: What the groups of every subset must satisfy.
            is_enforced: (n_subsets, n_rules) False for a rule that another one implies.
        """
        self.attributes = wide.attributes
        self.n_rules = len(rules.kind)
        self._rules = rules._replace(is_enforced=np.ones(self.n_rules, np.bool_))
        self._cut, self._codes = cut, wide.codes
        self._roots = first[list(wide.attributes)]
        self._words = np.ascontiguousarray(wide.counts)
        self._members = _members(wide.attributes, subsets)
        n_attributes = len(wide.attributes)
        self._own = [_with_member(self._members, a) for a in range(n_attributes)]
        number = np.zeros_like(self._members)
        for a, own in enumerate(self._own):
            number[self._members == a] = np.arange(len(own))
        self._subsets = Subsets(self._members, number, is_enforced)
        sizes = [
            int(first[p + 1] - first[p]) * len(own) * self.n_rules
            for p, own in zip(wide.attributes, self._own, strict=True)
        ]
        offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._worsts = Worsts(
            wide.workspace.full(int(offset[-1]), -np.inf, np.float64),
            offset[:-1],
            np.array([len(own) for own in self._own]),
            self._roots,
            cut.alive,
        )
        weigh, whole = plain_loop(rule_kernels.weigh), rules.whole
        now = [weigh(self._rules, r, whole, whole, 0)[0] for r in range(self.n_rules)]
        self.now: Floats = np.tile(np.array(now), len(subsets))
        self._node_of_code = [np.full(cut.slot.shape[1], root) for root in self._roots]
        self._n_codes = cut.slot.shape[1]
        self._workspace = wide.workspace
        self._numbers = np.zeros(0, np.uint16)
        # Only pages that are written take memory, and most searches look at bundles instead.
        self._places = wide.workspace.zeros((n_attributes + 1, len(wide.codes)), np.min_scalar_type(self._n_codes + 1))
        self._buffers: list[Buffers] = []
        self._layouts = [self._place(a) for a in range(n_attributes)]
        self._scratch: list[MovedRows] = []
        rows = np.arange(len(wide.codes))
        self._tables = self._make_tables(rows, wide.workspace)
        everywhere = np.ones(self._n_codes, np.bool_)
        for a in range(n_attributes):
            self._count(a, everywhere, rows, self._layouts[a], self._own[a][self._members[self._own[a], 0] == a])

    @property
    def is_anti_monotone(self) -> bool:
        """Always: the worst part of a group is never better than the group."""
        return True

    def rules_of(self, attribute: int) -> Ints:
        """The rules of the subsets with an attribute, in the order of `worst_of`."""
        own = self._own[self.attributes.index(attribute)]
        numbered: Ints = (np.sort(own)[:, None] * self.n_rules + np.arange(self.n_rules)).ravel()
        return numbered

    def worst_of(self, attribute: int) -> Floats:
        """(n_nodes, n_rules_of) how bad the worst group is by each rule that refining each node would create."""
        a = self.attributes.index(attribute)
        n_each = int(self._worsts.n_subsets[a]) * self.n_rules
        start = int(self._worsts.offset[a])
        stop = int(self._worsts.offset[a + 1]) if a + 1 < len(self.attributes) else len(self._worsts.badness)
        found: Floats = self._worsts.badness[start:stop].reshape(-1, max(n_each, 1))
        return found

    def set_worst(self, attribute: int, candidate: int, worst: Floats) -> None:
        """Set how bad the worst groups would be after refining a candidate, in the order of `rules_of`."""
        self.worst_of(attribute)[candidate - self._roots[self.attributes.index(attribute)]] = worst

    def refine(
        self, attribute: int, value: int, candidate: int, branch: Ints, branch_node: Ints, slot: NDArray[np.int32]
    ) -> None:
        """Split the groups that show `value`; the arguments are those of `SplittingGroups.refine`."""
        del slot
        a = self.attributes.index(attribute)
        rules = self.rules_of(attribute)
        self.now[rules] = np.maximum(self.now[rules], self.worst_of(attribute)[candidate - self._roots[a]])
        is_moved = self._node_of_code[a] == value
        codes = np.flatnonzero(is_moved[: len(branch)])
        self._node_of_code[a][codes] = branch_node[branch[codes]]
        self._layouts[a] = self._place(a)
        rows = self._rows_that(is_moved, a)
        self._count(a, is_moved, rows, self._place(a, is_moved), self._own[a])

    def try_splits(self, attribute: int, node: int, low: int, high: int) -> tuple[Floats, Bools]:
        """How bad the worst groups would be after each split of an interval, and whether no rule breaks.

        Args:
            attribute: The attribute.
            node: The interval.
            low: Its first code.
            high: One past the last that is a number.

        Returns:
            (n_rules_of, high - low) the first of each is meaningless; (high - low,)
        """
        a = self.attributes.index(attribute)
        shows = self._node_of_code[a] == node
        rows = self._rows_that(shows, a)
        table = self._place_of_code()
        self._look_at(rows, table)
        dims, own = self._dimensions(len(rows), self._layouts[a]), np.sort(self._own[a])
        codes = np.arange(self._n_codes)
        bin_of_code = np.where((codes >= low) & (codes < high), codes - low, high - low)
        bins, words = bin_of_code[self._codes[rows, a]], self._words[rows]
        worst = np.empty((len(own), self.n_rules, high - low))
        is_tabled = self._tables.start[own] >= 0
        few, many = np.flatnonzero(is_tabled), np.flatnonzero(~is_tabled)
        given = (self._rules,)

        def try_tabled(part: slice, at: int) -> Bools:
            fits, scratch = np.ones(high - low, np.bool_), self._scratch[at]
            shown = (dims._replace(places=scratch.places), self._tables, self._subsets, own[few[part]], few[part], a)
            asked = (table, bin_of_code, high - low, shows, *given)
            worst_of_tabled_splits(*shown, *asked, self._buffers[at], scratch, worst, fits)
            return fits

        def try_some(part: slice, at: int) -> Bools:
            fits = np.ones(high - low, np.bool_)
            found = np.empty((part.stop - part.start, self.n_rules, high - low))
            shown = (dims, self._subsets, own[many[part]], a, bins, high - low, words)
            worst_of_splits(*shown, *given, self._buffers[at], found, fits)
            worst[many[part]] = found
            return fits

        fits = self._in_threads(try_tabled, len(few), self._n_rows_of(own[few]))
        fits += self._in_threads(try_some, len(many), len(rows))
        return worst.reshape(-1, high - low), np.logical_and.reduce([np.ones(high - low, np.bool_), *fits])

    def _make_tables(self, rows: Ints, workspace: Workspace) -> SubsetTables:
        """Count the subsets that get rows of their own."""
        n_codes = self._codes.max(axis=0, initial=0).astype(np.int64) + 1
        tables = plan_tables(self._members, n_codes, len(rows), self._words.shape[1], workspace)
        chosen = np.flatnonzero(tables.start >= 0)
        same = np.tile(np.arange(self._n_codes), (len(self.attributes), 1))
        passes, left = plan_passes(n_codes, chosen, self._members[chosen], None, len(rows))
        assert not len(left)  # noqa: S101 - a subset that has rows of its own has few enough cells
        for bundles, combinations in passes:
            numbers = self._number_bundles(bundles, rows, same, np.arange(len(self.attributes)), n_codes)

            def fill_some(part: slice, at: int, *counted: Any) -> None:
                given = (n_codes, self._words, self._buffers[at])
                fill_tables(tables, self._members, counted[0], _span(part), *counted[1:], *given)

            self._in_threads(fill_some, len(combinations.bundles), len(rows), combinations, bundles, numbers)
        n_threads = min(n_processors(), _MOST_THREADS)
        n_attributes, n_cells = len(self.attributes), most_cells(len(rows))
        self._scratch = [make_moved_rows(tables, n_attributes, n_cells, self._places.dtype) for _ in range(n_threads)]
        return tables

    def _n_rows_of(self, subsets: Ints) -> int:
        """How many rows of its own a subset has in the mean."""
        return int(self._tables.n_rows[subsets].mean()) if len(subsets) else 0

    def _rows_that(self, shows: Bools, a: int) -> Ints:
        """The rows with some codes of an attribute; none if all subsets with it have rows of their own."""
        if (self._tables.start[self._own[a]] >= 0).all():
            return np.zeros(0, np.int64)
        return np.flatnonzero(shows[self._codes[:, a]])

    def _place(self, a: int, only: Bools | None = None) -> AttributePlaces:
        """The places of an attribute, or those of some of its codes."""
        return place_codes(self._cut, self.attributes[a], self._node_of_code[a], only)

    def _place_of_code(self) -> NDArray[np.unsignedinteger]:
        """(n_attributes, n_codes) the place of each code."""
        return np.array([one.of_code for one in self._layouts]).astype(self._places.dtype)

    def _look_at(self, rows: Ints, table: NDArray[Any]) -> None:
        """Look up the places of some rows in a table of the places of all codes."""
        if not len(rows):
            return
        place_of_code = table.astype(self._places.dtype, copy=False)

        def take_some(part: slice, at: int) -> None:
            del at
            take_places(self._codes, rows, place_of_code, part.start, part.stop, self._places)

        self._in_threads(take_some, len(self.attributes), len(rows))

    def _dimensions(self, n_rows: int, refined: AttributePlaces, *, hides: bool = False) -> Dimensions:
        """What the rows show that are looked at, the places of the refined attribute last.

        Args:
            n_rows: How many they are.
            refined: The places of the refined attribute, which are looked up elsewhere.
            hides: Whether it discloses values one by one, if that matters.
        """
        all_hide = np.append(self._cut.hides[list(self.attributes)], hides)
        return as_dimensions([*self._layouts, refined], all_hide, self._cut.alive, self._places[:, :n_rows])

    def _number_bundles(self, bundles: Bundles, rows: Ints, table: NDArray[Any], of: Ints, n_places: Ints) -> Any:
        """Number what some rows have on each bundle.

        Args:
            bundles: The bundles.
            rows: The rows.
            table: (n_dimensions, n_codes) the place of each code.
            of: The attribute of each dimension.
            n_places: How many places each dimension has.

        Returns:
            (n_bundles, n_rows)
        """
        n_bundles = len(bundles.size)
        if len(self._numbers) < n_bundles * len(rows):
            self._numbers = self._workspace.zeros(n_bundles * len(rows), np.uint16)
        numbers = self._numbers[: n_bundles * len(rows)].reshape(n_bundles, -1)
        places = table.astype(np.uint16)

        def take_some(part: slice, at: int) -> None:
            del at
            take_bundles(self._codes, rows, places, of, bundles, n_places, _span(part), numbers)

        self._in_threads(take_some, n_bundles, len(rows))
        return numbers

    def _count(self, a: int, moved: Bools, rows: Ints, refined: AttributePlaces, own: Ints) -> None:
        """Count what a refinement moves on the subsets that have its attribute.

        Args:
            a: The attribute.
            moved: (n_codes,) its codes that show the refined value.
            rows: The rows with them.
            refined: The places that they have now.
            own: The subsets.
        """
        dims = self._dimensions(len(rows), refined, hides=bool(self._cut.hides[self.attributes[a]]))
        place = refined.of_code.astype(self._places.dtype)
        table = self._place_of_code()
        is_tabled = self._tables.start[own] >= 0
        few, many = own[is_tabled], own[~is_tabled]
        weighed = (self._rules, self._worsts)

        def count_tables(part: slice, at: int) -> None:
            scratch = self._scratch[at]
            shown = (dims._replace(places=scratch.places), self._tables, self._subsets, few[part], a)
            count_tabled(*shown, table, place, moved, *weighed, self._buffers[at], scratch)

        self._in_threads(count_tables, len(few), self._n_rows_of(few))
        dimensions = np.where(self._members[many] == a, len(self.attributes), self._members[many])
        is_open = dims.is_open[dimensions].any(axis=1)
        if not len(rows) or not is_open.any():
            return
        words = self._words[rows] if len(rows) < len(self._words) else self._words
        passes, left = plan_passes(dims.n_places, many[is_open], dimensions[is_open], len(self.attributes), len(rows))
        of = np.append(np.arange(len(self.attributes)), a)
        for bundles, combinations in passes:
            numbers = self._number_bundles(bundles, rows, np.vstack([table, place]), of, dims.n_places)

            def count_some(part: slice, at: int, *counted: Any) -> None:
                scratch = self._scratch[at]
                shown = (dims._replace(places=scratch.places), self._subsets, a, counted[0], _span(part), *counted[1:])
                count_bundled(*shown, words, *weighed, self._buffers[at], scratch)

            self._in_threads(count_some, len(combinations.bundles), len(rows), combinations, bundles, numbers)

        def count_left(part: slice, at: int) -> None:
            count_subsets(dims, self._subsets, left[part], a, words, *weighed, self._buffers[at])

        if len(left):
            self._look_at(rows, table)
            dims.places[-1] = place[self._codes[rows, a]]
            self._in_threads(count_left, len(left), len(rows))

    def _in_threads(self, work: Callable[..., T], n: int, n_rows: int, *given: Any) -> list[T]:
        """Share subsets, attributes or combinations among threads, each with buffers of its own.

        Args:
            work: Is given a part of them, the number of the buffers, and what is `given`.
            n: How many there are.
            n_rows: How many rows are looked at for each.
            given: What `work` is given besides.
        """
        if not n:
            return []
        n_threads = max(min(n_processors(), _MOST_THREADS, n * n_rows // _WORK_OF_THREAD, n), 1)
        while len(self._buffers) < n_threads:
            self._buffers.append(make_buffers(len(self._codes), self._words.shape[1]))
        parts = [slice(n * t // n_threads, n * (t + 1) // n_threads) for t in range(n_threads)]
        if n_threads == 1:
            return [work(parts[0], 0, *given)]
        with ThreadPoolExecutor(n_threads) as threads:
            return [done.result() for done in [threads.submit(work, part, t, *given) for t, part in enumerate(parts)]]


def _members(attributes: Sequence[int], subsets: Sequence[tuple[int, ...]]) -> Ints:
    """(n_subsets, size) the attributes of each subset by their place among all."""
    place = {a: p for p, a in enumerate(attributes)}
    return np.array([[place[a] for a in subset] for subset in subsets], np.int64)


def _span(part: slice) -> Ints:
    """A part as kernels take it."""
    return np.array([part.start, part.stop], np.int64)


def _with_member(members: Ints, a: int) -> Ints:
    """The subsets that have an attribute, in the order of their other attributes."""
    own = np.flatnonzero((members == a).any(axis=1))
    others = members[own]
    others = others[others != a].reshape(len(own), -1)
    order = np.lexsort(others.T[::-1]) if others.shape[1] else np.arange(len(own))
    return own[order]
