"""What a search wants counted, as plain values: no engine, no record.

A search makes a `CountRequest`, `compress` answers it with `CompressedTables`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coding:
    """The small number that stands for each value of one masked attribute."""

    code_of_value: Ints  # (n_values + 1,)
    """The code of each value of the column, in the order of its profile; the missing value comes last."""
    n_codes: int
    """How many codes there are."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What is counted on one QID: the distinct coded rows, and the records of sensitive values in each."""

    attributes: tuple[int, ...]
    """The QID's attributes by their number in the policy, ascending."""
    sensitive: tuple[tuple[str, tuple[str | None, ...]], ...] = ()
    """Column and values of each set of sensitive values whose records are counted together."""
    wide: tuple[int, ...] = ()
    """Where many QIDs are subsets of some attributes: these, ascending. The records are then counted once, on all of
    them, and the rows of the QID are made of the rows of these. Empty counts the QID by itself."""


@dataclass(frozen=True, slots=True)
class RecordGroups:
    """A number for each record, by which the rows of a `ClassRequest` are counted apart."""

    of_record: Ints  # (n_records,)
    """The number of each record."""
    description: Any = None
    """What the search knows of the groups; it is given back unchanged beside their counts."""


class GroupRecords(Protocol):
    """Groups the records by unmasked columns: a pure function, so that the search touches no engine."""

    def __call__(self, columns: Sequence[pa.ChunkedArray], classes: Ints) -> Sequence[RecordGroups]:
        """Group the records in no, one or several ways.

        Args:
            columns: The unmasked columns that were asked for.
            classes: (n_records,) the number of each record's class, in the order of their spellings.
        """


@dataclass(frozen=True, slots=True)
class ClassRequest:
    """The distinct coded rows of all masked attributes together, with the records of each class."""

    class_name: str
    """The class column."""
    unmasked: tuple[str, ...] = ()
    """Columns by which the records are grouped; those with nested or binary cells are left out."""
    group_records: GroupRecords | None = None
    """Groups the records by those columns, which are fetched. The rows are counted once for each way, or once without
    groups. None groups them inside the engine, by the odds of the columns' values."""
    n_attributes: int | None = None
    """The rows are of so many attributes, the first in policy order; None is all. Others are not in the release."""


class TeachRows(Protocol):
    """Says what a good classifier knows of the records, row by row: a pure function, as `GroupRecords` is."""

    def __call__(self, codes: Ints, columns: Sequence[pa.ChunkedArray], classes: pa.ChunkedArray | None) -> Any:
        """Look at all records, and give back what the search needs to know of their rows.

        Args:
            codes: (n_records, n_attributes) the code of each record on each masked attribute.
            columns: The unmasked columns that were asked for.
            classes: The class of each record; None without a class.
        """


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """What a search wants to be told of single records, which it does not see itself."""

    teach_rows: TeachRows
    """Looks at the records."""
    class_name: str | None
    """The class column."""
    unmasked: tuple[str, ...] = ()
    """Columns that it looks at besides; those with nested or binary cells are left out."""
    n_attributes: int | None = None
    """It is given the codes of so many attributes, the first in policy order; None is all."""


@dataclass(frozen=True, slots=True)
class CountRequest:
    """Everything that one search wants counted."""

    codings: tuple[Coding, ...]
    """One for each masked attribute, in policy order."""
    tables: tuple[TableRequest, ...] = ()
    """One for each distinct QID."""
    classes: ClassRequest | None = None
    """Where the class is needed by the rows of all masked attributes together."""
    records: RecordRequest | None = None
    """Where something is to be learned from single records."""
