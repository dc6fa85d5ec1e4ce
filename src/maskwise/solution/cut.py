"""What one attribute shows: a cut through its value tree.

A `Cut` says what every domain value
is shown as, also for rows the search never saw; `mask` applies it, the file
form is the concern of `formats.solution_file`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.policy.attributes import Kind
from maskwise.values.scales import ABOVE, Scale, interval_label
from maskwise.values.spelling import value_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy

HIDDEN = "*"
"""How a suppressed value is shown."""


class MissingShown(StrEnum):
    """How a cut shows a missing cell."""

    UNSEEN = "unseen"
    """The search met none; a later one is shown as the root and counted as unknown."""
    ROOT = "root"
    """As the root, like every other value."""
    ITSELF = "itself"
    """As a missing cell."""


@dataclass(frozen=True)
class Cut:
    """What one attribute shows.

    Example:
        >>> hours = Cut("Work_Hrs", Kind.INTERVAL, "[1, 99]", scale=Scale.INTEGER, breaks=(1, 37, 99))
        >>> hours.labels
        ('[1, 37)', '[37, 99]')
        >>> hours.show_number(36), hours.show_number(120)
        ('[1, 37)', '[1, 99] or outside')
    """

    attribute: str
    """The column."""
    kind: Kind
    """How it is masked."""
    root: str
    """The most masked value: a taxonomy's root, the whole range, or `*`."""
    missing: MissingShown = MissingShown.UNSEEN
    """How a missing cell is shown."""
    taxonomy: Taxonomy | None = None
    """The tree of a taxonomy attribute; of one with a rule only down to what is shown."""
    rule: RuleTree | None = None
    """What makes that tree, and covers values that the search never saw."""
    is_made: bool = False
    """Whether that tree was made of the table, so that only its owner may know more of it than the release shows."""
    shown: tuple[str, ...] = ()
    """The values a taxonomy attribute shows, or those a suppress attribute discloses."""
    hidden: tuple[str, ...] = ()
    """The values a suppress attribute hides."""
    hides_more: bool = False
    """Whether it hides more values than are listed, because they are too rare ever to be shown."""
    scale: Scale | None = None
    """What an interval attribute's numbers are."""
    breaks: tuple[float, ...] = ()
    """Where an interval attribute's intervals begin, and where the last one ends."""
    coded: tuple[bool, bool] = (False, False)
    """Whether the lowest interval is bottom-coded, and the highest top-coded: they have no end."""
    clips: bool = False
    """Whether a number beyond the range counts as its nearer end, as in a private release."""
    regional: tuple[str, ...] = ()
    """Where regions have cuts of their own: every label that some region shows. They may overlap; `shown` and `breaks`
    then have all that occur in any region."""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Every text a released cell may hold, in tree order."""
        if self.regional:
            return self.regional
        match self.kind:
            case Kind.TAXONOMY:
                return self.shown
            case Kind.SUPPRESS:
                hides = bool(self.hidden) or self.hides_more or self.missing is MissingShown.ROOT
                # Ordered by themselves: whether a hidden value is a number is nobody's to know.
                shown = by_spelling(self.shown)
                return (*shown, HIDDEN) if hides else shown
            case Kind.INTERVAL:
                ends = list(pairwise(self.breaks))
                return tuple(
                    self.label_between(low, high, is_last=i == len(ends) - 1) for i, (low, high) in enumerate(ends)
                )

    def label_between(self, low: float, high: float, *, is_last: bool) -> str:
        """How an interval is shown that begins and ends at breaks.

        Args:
            low: Where it begins.
            high: Where it ends.
            is_last: Whether it holds the upper end of the range; the last break may stand twice.
        """
        assert self.scale is not None  # noqa: S101 - every interval cut has a scale
        is_first = low == self.breaks[0]
        if is_first and is_last:
            # A whole range without an upper end says so, unless the solution is of a time when it did not.
            is_open = self.coded[1] and self.has_open_root
            return interval_label(low, high, self.scale, closed=True, coded=(False, is_open))
        coded = (self.coded[0] and is_first, self.coded[1] and is_last)
        return interval_label(low, high, self.scale, closed=is_last, coded=coded)

    @cached_property
    def _shown_as(self) -> dict[str, str]:
        if self.taxonomy is not None:
            return self.taxonomy.shown_as(self.shown)
        return {**dict.fromkeys(self.hidden, HIDDEN), **{text: text for text in self.shown}}

    def find_label(self, text: str) -> str | None:
        """The label of a category that the cut was made for; None of another one."""
        if self.rule is None:
            return self._shown_as.get(text, self.root) if self.knows(text) else None
        path = self.rule.path(text)
        if path is None:
            return None
        shown = self._shown_as
        if self.root in shown:
            return self.root
        for label in path:
            if label in shown:
                return label
        return None

    @cached_property
    def _domain(self) -> frozenset[str]:
        return frozenset((*self.shown, *self.hidden) if self.taxonomy is None else self.taxonomy.leaves())

    def knows(self, text: str) -> bool:
        """Say whether the cut was made for this category; it cannot tell a new one from those it hides unlisted."""
        if self.rule is not None and self.regional:
            return self.rule.path(text) is not None
        if self.rule is not None:
            return self.find_label(text) is not None
        return self.hides_more or text in self._domain

    def show_text(self, text: str) -> str:
        """The label of a category; one the cut does not know is shown as the root."""
        self._refuse_regions()
        label = self.find_label(text)
        return self.root if label is None else label

    def show_number(self, number: float) -> str:
        """The label of a number; one outside every interval is not shown inside one."""
        self._refuse_regions()
        low, high = self.covered
        if not low <= number <= high:
            return self.outside_label
        return self.labels[bisect_right(self.breaks, number, 1, len(self.breaks) - 1) - 1]

    def _refuse_regions(self) -> None:
        if self.regional:
            msg = (
                f"What `{self.attribute}` shows differs from region to region, so one value alone does not tell it. "
                "Mask whole rows with `maskwise.apply`."
            )
            raise InputError(msg)

    @property
    def covered(self) -> tuple[float, float]:
        """The smallest and the largest number that the shown intervals hold."""
        if self.clips:
            return -math.inf, math.inf
        is_split = len(self.breaks) > 2  # noqa: PLR2004 - the ends of one interval
        low = -math.inf if self.coded[0] and is_split else self.breaks[0]
        is_open = self.coded[1] if is_split else self.has_open_root
        return low, math.inf if is_open else self.breaks[-1]

    @property
    def has_open_root(self) -> bool:
        """Whether the whole range has no upper end, so that later and larger numbers belong to it."""
        return self.root.startswith(ABOVE)

    @property
    def outside_label(self) -> str:
        """How a number outside every interval is shown: the range, and that it may lie outside."""
        return f"{self.root} or outside"

    @property
    def missing_text(self) -> str | None:
        """What replaces a missing cell; None leaves it missing."""
        return None if self.missing is MissingShown.ITSELF else self.root


def disclose_lone_value(cut: Cut) -> Cut:
    """Show the value of a suppress attribute that `*` alone stands for.

    Claim: it costs no anonymity. `*` and the value are shown by the same records,
    so all groups stay as they are; `*` would only look as if it hid something.

    >>> disclose_lone_value(Cut("Sex", Kind.SUPPRESS, "*", shown=("F",), hidden=("M",))).labels
    ('F', 'M')
    """
    is_lone = len(cut.hidden) == 1 and not cut.hides_more and cut.missing is not MissingShown.ROOT
    # Where regions have cuts of their own, `*` stands for other values from region to region.
    if cut.kind is not Kind.SUPPRESS or not is_lone or cut.hidden[0] == HIDDEN or cut.regional:
        return cut
    texts = (*cut.shown, *cut.hidden)
    return replace(cut, shown=tuple(sorted(texts, key=value_order(texts))), hidden=())


def by_spelling(labels: Iterable[str]) -> tuple[str, ...]:
    """Sort labels by themselves, where the order of their tree would tell what only its owner may know.

    >>> by_spelling(["{b, c}", "a"])
    ('a', '{b, c}')
    """
    texts = tuple(labels)
    return tuple(sorted(texts, key=value_order(texts)))


def in_tree_order(labels: Iterable[str], taxonomy: Taxonomy) -> tuple[str, ...]:
    """Sort labels as they stand in their tree."""
    at = {name: i for i, name in enumerate(taxonomy.labels)}
    return tuple(sorted(labels, key=at.__getitem__))
