"""The counts of a profile, as plain values without an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.values.arrow import from_numpy
from maskwise.values.scales import interval_label
from maskwise.values.spelling import is_spelled, one_spelling, value_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.policy.attributes import Kind
    from maskwise.policy.taxonomy import Taxonomy
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
    """The values of an interval attribute, ascending."""
    scale: Scale | None = None
    """What those numbers are."""
    range: tuple[float, float] = (0, 0)
    """The lower and upper end of an interval attribute."""
    taxonomy: Taxonomy | None = None
    """The tree of a taxonomy attribute."""
    is_ranged: bool = False
    """Whether keys and numbers are the smallest of ranges, which an interval attribute with too many has."""
    rest: Ints | None = None  # (n_classes,)
    """Records of a suppress attribute's values that are too rare ever to be shown, where they are not told apart."""
    n_rest: int = 0
    """How many such values there are."""

    def interval_label(self, low: float, high: float, *, closed: bool) -> str:
        """How an interval of the attribute's numbers is shown; `closed` if its upper end belongs to it."""
        assert self.scale is not None  # noqa: S101 - every interval column has a scale
        return interval_label(low, high, self.scale, closed=closed)

    @property
    def n_records(self) -> int:
        """All records."""
        return int(self.counts.sum() + self.missing.sum() + (0 if self.rest is None else self.rest.sum()))


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The distinct values of one sensitive column."""

    keys: pa.Array
    """The distinct cells as the engine holds them, without the missing one."""
    texts: tuple[str, ...]
    """How each is spelled."""
    counts: Ints  # (n_keys,)
    """Its records."""
    n_missing: int
    """The records whose cell is missing."""

    def keys_of(self, value: str | None) -> pa.Array | None:
        """The cells spelled like this; None stands for the missing one."""
        return None if value is None else self.keys.filter(from_numpy(self._is(value)))

    def n_records(self, value: str | None) -> int:
        """How many records have this value."""
        return self.n_missing if value is None else int(self.counts[self._is(value)].sum())

    def values(self, order: Sequence[str] = ()) -> tuple[str | None, ...]:
        """Every value once, however it is spelled, in its order or the given one; the missing one last."""
        spelled = {one_spelling(text): text for text in reversed(self.texts)}
        if order:
            place = {one_spelling(text): at for at, text in enumerate(order)}
            known = [text for spelling, text in spelled.items() if spelling in place]
            found = sorted(known, key=lambda text: place[one_spelling(text)])
        else:
            found = sorted(spelled.values(), key=value_order(self.texts))
        return (*found, None) if self.n_missing else tuple(found)

    def counts_of(self, values: Sequence[str | None]) -> Ints:
        """The records of each value."""
        return np.array([self.n_records(value) for value in values], np.int64)

    def _is(self, value: str) -> NDArray[np.bool_]:
        return np.array([is_spelled(text, value) for text in self.texts], np.bool_)


@dataclass(frozen=True, slots=True)
class Persons:
    """The persons of a table, where the policy says which column names them."""

    column: str
    """That column."""
    n_persons: int
    """How many different persons there are."""
    n_with: Mapping[tuple[str, str | None], int]
    """How many of them have each protected value, given by its column and itself, in a record at least."""


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
    persons: Persons | None = None
    """The persons that the records are about; None if each is about another one."""

    @property
    def n_counted(self) -> int:
        """What requirements count in the whole table: its persons, or its records."""
        return self.n_rows if self.persons is None else self.persons.n_persons

    def n_counted_with(self, column: str, value: str | None) -> int:
        """Those of them with a sensitive value."""
        return self.sensitive[column].n_records(value) if self.persons is None else self.persons.n_with[column, value]
