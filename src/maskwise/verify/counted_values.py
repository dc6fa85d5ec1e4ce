"""Which cells of a sensitive column are counted together, found from the cells alone.

Written apart from `profile.columns`, which does the same for the search, so that
one checks the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from maskwise.policy.requirements.any_of import AnyOf
from maskwise.policy.requirements.grouping import GroupedBy
from maskwise.values.spelling import is_spelled, one_spelling, telling_apart, value_order

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from maskwise.policy.requirements.base import Counted
    from maskwise.policy.taxonomy import Taxonomy

Values: TypeAlias = tuple[str | None, ...]
"""Values that are counted together; None is the missing one."""


@dataclass(frozen=True)
class Cells:
    """The distinct cells of a sensitive column."""

    keys: Sequence[object]
    """The cells, without the missing one."""
    spelled: Sequence[str]
    """How each was spelled before the table was written."""
    has_null: bool
    """Whether a cell is missing."""
    tree: Taxonomy | None
    """The column's taxonomy, if there is one."""
    separator: str | None = None
    """What stands between the values of a cell, where one may hold several."""

    @cached_property
    def held(self) -> list[Collection[str]]:
        """The values of each cell."""
        if self.separator is None:
            return [(text,) for text in self.spelled]
        return [{part.strip() for part in text.split(self.separator)} - {""} for text in self.spelled]

    @cached_property
    def texts(self) -> Sequence[str]:
        """The values that occur."""
        return self.spelled if self.separator is None else sorted(set().union(*self.held))

    @property
    def has_missing(self) -> bool:
        """Whether some record has no value: a missing cell, or one that holds none."""
        return self.has_null or not all(self.held)

    def are(self, values: Values) -> list[object]:
        """The cells that hold one of some values; None is held by a cell without any."""
        wanted = [None if value is None else self._value_of(value) for value in values]
        places = {at for value in wanted for at in self._cells_with.get(value, ())}
        return [self.keys[at] for at in sorted(places)]

    @cached_property
    def _cells_with(self) -> dict[str | None, list[int]]:
        """The places of the cells that hold each value; None is held by a cell without any."""
        found: dict[str | None, list[int]] = {}
        for at, held in enumerate(self.held):
            values: set[str | None] = {self._value_of(text) for text in held}
            for value in values or {None}:
                found.setdefault(value, []).append(at)
        return found

    @cached_property
    def _value_of(self) -> Callable[[str], str]:
        """Tells values apart by what the column is made of."""
        return telling_apart(self.texts, is_text=any(isinstance(key, str) for key in self.keys))

    def _named(self, value: str | None) -> Values:
        """Every spelling that may mean a value that the policy names."""
        if value is None:
            return (None,)
        alike = [one for one in self.texts if is_spelled(one, value) or self._value_of(one) == self._value_of(value)]
        return tuple(alike) or (value,)

    def counted(self, counted: Counted) -> tuple[Values, ...]:
        """The values that a rule counts, those together that it counts together."""
        if counted.values is not None:
            return tuple(self._union(v) if isinstance(v, AnyOf) else self._named(v) for v in counted.values)
        missing: tuple[Values, ...] = ((None,),) if self.has_missing else ()
        if counted.by is not None:
            return (*self._grouped(counted.by.kind, counted.by.n), *missing)
        one_text = {self._value_of(text): text for text in self.texts}
        place = {self._value_of(text): at for at, text in enumerate(counted.order)}

        def given(text: str) -> tuple[int, str]:
            return place.get(self._value_of(text), len(place)), text

        values = sorted(one_text.values(), key=given if counted.order else value_order(self.texts))
        return (*((value,) for value in values), *missing)

    def _union(self, union: AnyOf) -> Values:
        """Every spelling that one of the elements stands for."""
        found: dict[str | None, None] = {}
        for element in union.elements:
            if element is None:
                found[None] = None
                continue
            at = self._places.get(one_spelling(element))
            if at is None and element.endswith("*") and not any(is_spelled(text, element) for text in self.texts):
                found.update({text: None for text in self.texts if text.startswith(element[:-1])})
            found.update(dict.fromkeys(self._named(element)))
            found.update({text: None for text in self.texts if at is not None and at in self._path(text)})
        return tuple(found)

    def _grouped(self, kind: GroupedBy, n: int) -> list[Values]:
        """The values by their first characters, or by what stands above them in the tree."""
        spellings: dict[str, list[str]] = {}
        for text in self.texts:
            spellings.setdefault(self._value_of(text), []).append(text)
        groups: dict[str | int, list[str]] = {}
        for alike in spellings.values():
            path = self._path(min(alike)) if kind is GroupedBy.LEVEL else []
            group = min(alike)[:n] if kind is GroupedBy.PREFIX else path[min(n, len(path) - 1)] if path else 0
            groups.setdefault(group, []).extend(alike)
        return sorted(tuple(sorted(values)) for values in groups.values())

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each value stands in the tree."""
        return {} if self.tree is None else {one_spelling(label): at for at, label in enumerate(self.tree.labels)}

    def _path(self, text: str) -> list[int]:
        """The places from the root of the tree down to a value; nothing for one that is not in it."""
        at = self._places.get(one_spelling(text))
        path: list[int] = []
        while at is not None and self.tree is not None and at >= 0:
            path.insert(0, at)
            at = self.tree.parents[at]
        return path
