"""The values of one attribute that any region tells apart, as numbers, and which of them a part takes.

Masking recodes cells so, and the solution file's reader asks whether the parts of
a split can be what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from maskwise.policy.attributes import Kind
from maskwise.solution.cut import in_tree_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.solution.cut import Cut
    from maskwise.solution.regions import RegionPart


class Taken(NamedTuple):
    """The numbers that a part takes."""

    first: int
    """The first of a run."""
    stop: int
    """One past its last."""
    also: int
    """One more number: that of what lies below a bottom-coded interval; -1 where there is none."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The numbers of one attribute.

    Of an interval attribute they are the stretches between breaks. Of the others 0 is what no part names, and the
    rest are the values that parts name, in tree order, so that what is below a value follows it. Then come numbers
    above the range, missing cells, and numbers below the range.

    Example:
        >>> from maskwise.solution.cut import Cut
        >>> from maskwise.solution.regions import RegionPart
        >>> codes = Codes.of(Cut("Job", Kind.SUPPRESS, "*", shown=("clerk", "nurse")))
        >>> codes.of_text, codes.taken(RegionPart("nurse")), codes.taken(RegionPart("judge"))
        ({'clerk': 1, 'nurse': 2}, Taken(first=2, stop=3, also=-1), None)
    """

    cut: Cut
    """What all regions show of the attribute."""
    n_values: int
    """How many numbers its values have."""
    stops: Mapping[str, int]
    """For each value that parts name, one past the last number below it."""
    of_text: Mapping[str, int]
    """The number of every text that is not 0."""
    place: Mapping[float, int]
    """Of an interval attribute the place of each break; of one that stands twice the first."""

    @classmethod
    def of(cls, cut: Cut) -> Codes:
        """The numbers of an attribute."""
        if cut.kind is Kind.INTERVAL:
            places = {end: i for i, end in reversed(list(enumerate(cut.breaks)))}
            return cls(cut, len(cut.breaks) - 1, {}, {}, places)
        if cut.taxonomy is None:
            at = {name: i for i, name in enumerate(dict.fromkeys(cut.shown), start=1)}
            return cls(cut, 1 + len(at), {name: i + 1 for name, i in at.items()}, at, {})
        labels, parents = cut.taxonomy.labels, cut.taxonomy.parents
        at = {name: i for i, name in enumerate(in_tree_order(set(cut.shown), cut.taxonomy), start=1)}
        number: list[int] = []
        for label, parent in zip(labels, parents, strict=True):
            number.append(at.get(label, number[parent] if parent >= 0 else 0))
        stops = {i: i + 1 for i in at.values()}
        for i in range(len(labels) - 1, 0, -1):
            own, above = number[i], number[parents[i]]
            if own != above and above:
                stops[above] = max(stops[above], stops[own])
        of_text = {label: n for label, n in zip(labels, number, strict=True) if n}
        return cls(cut, 1 + len(at), {name: stops[i] for name, i in at.items()}, of_text, {})

    def of_value(self, text: str) -> int:
        """The number of a value: that of the deepest label that is named above it."""
        if self.cut.rule is None:
            return self.of_text.get(text, 0)
        path = self.cut.rule.path(text) or ()
        return next((self.of_text[label] for label in reversed(path) if label in self.of_text), 0)

    @property
    def above(self) -> int:
        """The number of a number above the range."""
        return self.n_values

    @property
    def missing(self) -> int:
        """The number of a missing cell."""
        return self.n_values + 1

    @property
    def below(self) -> int:
        """The number of a number below the range."""
        return self.n_values + 2

    @property
    def n_codes(self) -> int:
        """How many numbers there are in all."""
        return self.n_values + 3

    def taken(self, part: RegionPart) -> Taken | None:
        """The numbers that a part takes; None if the attribute cannot show it.

        Claim: a part takes only values of which its label is true. A number outside
        the range is in a part only if its label has no end there.
        """
        if part.shown is None:
            return Taken(self.missing, self.missing + 1, -1) if part.ends is None and not part.is_last else None
        if self.cut.kind is Kind.INTERVAL:
            return self._taken_between(part)
        if part.ends is not None or part.is_last or part.shown not in self.stops:
            return None
        return Taken(self.of_text[part.shown], self.stops[part.shown], -1)

    def _taken_between(self, part: RegionPart) -> Taken | None:
        if part.ends is None or any(end not in self.place for end in part.ends):
            return None
        low, high = part.ends
        first = self.place[low]
        stop = self.n_values if part.is_last else self.place[high]
        # What ends where the range ends holds the end, unless that end stands twice: then it is an interval of its own.
        is_at_end = high == self.cut.breaks[-1]
        if stop <= first or (not is_at_end if part.is_last else self.place[high] == self.n_values):
            return None
        if part.shown != self.cut.label_between(low, high, is_last=part.is_last):
            return None
        is_first = first == 0
        is_top_coded = self.cut.coded[1] and part.is_last and (not is_first or self.cut.has_open_root)
        is_bottom_coded = self.cut.coded[0] and is_first and not part.is_last
        return Taken(first, self.above + 1 if is_top_coded else stop, self.below if is_bottom_coded else -1)
