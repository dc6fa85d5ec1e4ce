"""The counts of a profile, as plain values without an engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.policy.requirements.any_of import AnyOf, is_prefix
from maskwise.policy.requirements.grouping import GroupedBy
from maskwise.values.arrow import from_numpy
from maskwise.values.scales import interval_label
from maskwise.values.spelling import one_spelling, telling_apart, value_order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.attributes import Kind
    from maskwise.policy.grids import Grid
    from maskwise.policy.requirements.any_of import Value
    from maskwise.policy.requirements.base import Counted
    from maskwise.policy.requirements.grouping import Grouping
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.solution.cut import Cut
    from maskwise.values.message import Message
    from maskwise.values.scales import Scale

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """The distinct values of one masked attribute and their counts."""

    name: str
    """The attribute."""
    kind: Kind
    """How it is masked."""
    keys: pa.Array
    """The distinct cells as the engine holds them, without the missing one."""
    value_of_key: Ints  # (n_keys,)
    """The value that each key stands for; `1` and `1.0` of a csv are one number."""
    counts: Ints  # (n_values, n_classes)
    """Records by value, in value order, and class."""
    missing: Ints  # (n_classes,)
    """Records whose cell is missing, by class."""
    texts: tuple[str, ...] = ()
    """The values of a taxonomy or suppress attribute."""
    numbers: Any = None  # (n_values,) int64 or float64
    """The values of an interval attribute, ascending: the distinct numbers, or where bins of them begin."""
    scale: Scale | None = None
    """What those numbers are."""
    range: tuple[float, float] = (0, 0)
    """The lower and upper end of an interval attribute."""
    clamp: tuple[float | None, float | None] = (None, None)
    """The ends of bottom- and top-coding; None where there is none."""
    cell_numbers: Any = None  # (n_numbers,) int64 or float64
    """The distinct numbers of the data, ascending, where the values are bins of them."""
    value_of_number: Ints | None = None  # (n_numbers,)
    """The bin that each of them is in."""
    cell_counts: Ints | None = None  # (n_numbers,)
    """The records of each of them."""
    tops: Any = None  # (n_values,) int64 or float64
    """The largest number of each range, where keys and numbers are the smallest."""
    taxonomy: Taxonomy | None = None
    """The tree of a taxonomy attribute; of one with a rule, that of its values."""
    rule: RuleTree | None = None
    """The rule that makes the tree, and the values of the cells."""
    grid: Grid | None = None
    """Where intervals may begin, if not anywhere."""
    is_made: bool = False
    """Whether that tree was made of the table, so that only its owner may know more of it than the release shows."""
    is_ranged: bool = False
    """Whether keys and numbers are the smallest of ranges, which an interval attribute with too many has."""
    rest: Ints | None = None  # (n_classes,)
    """Records of a suppress attribute's values that are too rare ever to be shown, where they are not told apart."""
    n_rest: int = 0
    """How many such values there are."""

    def interval_label(self, low: float, high: float, *, closed: bool) -> str:
        """How an interval of the attribute's numbers is shown; `closed` if its upper end belongs to it."""
        assert self.scale is not None  # noqa: S101 - every interval column has a scale
        at_low, at_high = low == self.range[0], high == self.range[1]
        is_bottom, is_top = self.clamp[0] is not None, self.clamp[1] is not None
        # The whole range goes on without end if its last interval would; with both ends open, it would say nothing.
        coded = (at_low and not at_high and is_bottom, at_high and is_top and not (at_low and is_bottom))
        return interval_label(low, high, self.scale, closed=closed, coded=coded)

    @property
    def n_records(self) -> int:
        """All records."""
        return int(self.counts.sum() + self.missing.sum() + (0 if self.rest is None else self.rest.sum()))

    def labels_by(self, cut: Cut) -> list[str]:
        """What a cut shows for each value of a taxonomy or suppress attribute."""
        if self.taxonomy is None:
            return [cut.show_text(text) for text in self.texts]
        shown = self.taxonomy.shown_as(cut.shown)
        return [shown[text] for text in self.texts]


@dataclass(frozen=True)
class Sensitive:
    """The distinct values of one sensitive column."""

    keys: pa.Array
    """The distinct cells as the engine holds them, without the missing one."""
    texts: tuple[str, ...]
    """How each is spelled; of cells that hold several values, the spellings of these."""
    counts: Ints  # (n_keys,)
    """The records of each cell."""
    n_missing: int
    """The records whose cell is missing."""
    tree: Taxonomy | None = None
    """The column's taxonomy, if the policy gives one."""
    sets: tuple[tuple[str, ...], ...] | None = None
    """The values of each cell, where cells hold several; one without any counts as missing."""
    _sets: dict[Counted, tuple[tuple[str | None, ...], ...]] = field(default_factory=dict, compare=False, repr=False)
    """What `sets_of` has found: thousands of rules may ask the same."""

    def keys_of(self, *values: str | None) -> pa.Array:
        """The cells that are spelled like one of these; None stands for the missing one."""
        keys = self.keys.filter(from_numpy(self._are(values)))
        return pa.concat_arrays([keys, pa.nulls(1, keys.type)]) if None in values else keys

    def n_records(self, *values: str | None) -> int:
        """How many records have one of these values."""
        return int(self.counts[self._are(values)].sum()) + (self.n_missing if None in values else 0)

    @property
    def holds_sets(self) -> bool:
        """Whether its cells may hold several values."""
        return self.sets is not None

    @property
    def _has_missing(self) -> bool:
        return bool(self.n_missing) or (self.sets is not None and () in self.sets)

    def values_like(self, element: str | None) -> tuple[str | None, ...]:
        """The values that an element of a union stands for, however they are spelled."""
        if element is None:
            return (None,)
        spelling = one_spelling(element)
        labels = {one_spelling(label): label for label in (() if self.tree is None else self.tree.labels)}
        if self.tree is not None and spelling in labels:
            inside = {one_spelling(label) for label in self.tree.at_or_below(labels[spelling])}
            return tuple(text for text in self.texts if one_spelling(text) in inside)
        if is_prefix(element) and not self._spelled_like(element):
            return tuple(text for text in self.texts if text.startswith(element[:-1]))
        return self._spelled_like(element)

    def sets_of(self, counted: Counted) -> tuple[tuple[str | None, ...], ...]:
        """The sets of values whose records are counted together, in the order that a rule needs."""
        if counted not in self._sets:
            self._sets[counted] = self._find_sets(counted)
        return self._sets[counted]

    def _find_sets(self, counted: Counted) -> tuple[tuple[str | None, ...], ...]:
        if counted.values is not None:
            return tuple(self._members(value) for value in counted.values)
        if counted.by is None:
            return tuple((value,) for value in self.values(counted.order))
        first = {self._value_of(text): text for text in sorted(self.texts, reverse=True)}
        group_of = self._grouper(counted.by)
        groups: dict[str, list[str | None]] = {}
        for text in sorted(self.texts):
            # Of several spellings of a value the first one decides, so that it is in one group only.
            groups.setdefault(group_of(first[self._value_of(text)]), []).append(text)
        found = [tuple(groups[name]) for name in sorted(groups)]
        return (*found, (None,)) if self._has_missing else tuple(found)

    def _members(self, value: Value) -> tuple[str | None, ...]:
        if not isinstance(value, AnyOf):
            return self.spellings_of(value)
        return tuple(dict.fromkeys(text for element in value.elements for text in self.values_like(element)))

    def spellings_of(self, value: str | None) -> tuple[str | None, ...]:
        """The spellings that may mean a value, or the value itself if no cell has it."""
        return (value,) if value is None else self._spelled_like(value) or (value,)

    def _spelled_like(self, value: str) -> tuple[str, ...]:
        """The spellings of a value that a policy names: all that may mean it, so that none is left unprotected."""
        return tuple(
            text
            for text, own in zip(self.texts, self._spellings, strict=True)
            if own == self._value_of(value) or one_spelling(text) == one_spelling(value)
        )

    def _grouper(self, by: Grouping) -> Callable[[str], str]:
        """Tells the group of a value; one that is not in the tree belongs to the root."""
        if by.kind is GroupedBy.PREFIX:
            return lambda text: text[: by.n]
        assert self.tree is not None  # noqa: S101 - `policy.sensitive_trees` refuses a level without a tree
        root = self.tree.root
        shown = {one_spelling(label): above for label, above in self.tree.shown_at(by.n).items()}
        return lambda text: shown.get(one_spelling(text), root)

    def values(self, order: Sequence[str] = ()) -> tuple[str | None, ...]:
        """Every value once, however it is spelled, in its order or the given one; the missing one last."""
        spelled = {self._value_of(text): text for text in reversed(self.texts)}
        if order:
            place = {self._value_of(text): at for at, text in enumerate(order)}
            known = [text for spelling, text in spelled.items() if spelling in place]
            found = sorted(known, key=lambda text: place[self._value_of(text)])
        else:
            found = sorted(spelled.values(), key=value_order(self.texts))
        return (*found, None) if self._has_missing else tuple(found)

    def _are(self, values: Sequence[str | None]) -> NDArray[np.bool_]:
        """Which cells hold one of some values."""
        found = np.zeros(len(self.keys), np.bool_)
        for value in dict.fromkeys(None if value is None else self._value_of(value) for value in values):
            found[self._cells_with.get(value, [])] = True
        return found

    @cached_property
    def _cells_with(self) -> dict[str | None, list[int]]:
        """For each value the places of the cells that hold it; those that hold none are missing."""
        found: dict[str | None, list[int]] = {}
        for at, held in enumerate(((text,) for text in self.texts) if self.sets is None else self.sets):
            for value in dict.fromkeys(map(self._value_of, held)) or (None,):
                found.setdefault(value, []).append(at)
        return found

    @cached_property
    def _spellings(self) -> list[str]:
        return [self._value_of(text) for text in self.texts]

    @cached_property
    def _value_of(self) -> Callable[[str], str]:
        is_text = pa.types.is_string(self.keys.type) or pa.types.is_large_string(self.keys.type)
        return telling_apart(self.texts, is_text=is_text)


@dataclass(frozen=True, slots=True)
class Persons:
    """The persons of a table, where the policy says which column names them."""

    column: str
    """That column."""
    n_persons: int
    """How many different persons there are."""
    n_with: Mapping[tuple[str, tuple[str | None, ...]], int]
    """How many of them have one of the values that are counted together in a record, by column and values."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What the search needs to know of a table before it is compressed."""

    columns: tuple[Column, ...]
    """The masked attributes, in policy order."""
    class_name: str | None
    """The class column, if there is one."""
    n_classes: int
    """How many classes occur."""
    n_rows: int
    """The records that are masked."""
    n_dropped: int
    """The records left out because of a missing cell."""
    messages: tuple[Message, ...]
    """What is to be known of the table, before it is searched."""
    sensitive: Mapping[str, Sensitive]
    """The columns that templates protect."""
    fixed: tuple[Cut, ...] = ()
    """What columns in no QID show that are released at one depth of their taxonomy."""
    persons: Persons | None = None
    """The persons that the records are about; None if each is about another one."""

    @property
    def n_counted(self) -> int:
        """What requirements count in the whole table: its persons, or its records."""
        return self.n_rows if self.persons is None else self.persons.n_persons

    def n_counted_with(self, column: str, values: tuple[str | None, ...]) -> int:
        """Those of them with one of some sensitive values."""
        found = self.sensitive[column]
        return found.n_records(*values) if self.persons is None else self.persons.n_with[column, values]
