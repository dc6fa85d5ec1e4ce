"""The counts of a profile, as plain values without an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.policy.attributes import Kind
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.profile.sensitive import Sensitive
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

    @property
    def n_records(self) -> int:
        """All records."""
        return int(self.counts.sum() + self.missing.sum() + (0 if self.rest is None else self.rest.sum()))


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
