"""The plain values that cross the border between the verbs (`sql`) and a database (`dialect`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from maskwise.values.scales import Scale


ROW = "row"
"""The column that remembers the position of a record in its source."""
RECORDS = "records_of_row"
"""The column that says how many records a row stands for, in a table that holds its distinct rows."""
PERSON = "person"
"""The column that says whom a record is about, beside recoded columns."""
BATCH = 1 << 17
"""How many rows of a result are sent at once."""
MOST_SETS = 48
"""So many columns are counted in one GROUP BY; Spark takes at most 64."""


class Feature(StrEnum):
    """What not every database can do. A dialect lists in `gaps` what its database lacks."""

    FILES = "files"
    """The database reads the files that this process sees."""
    RECORD_ORDER = "record order"
    """Records stand in an order that means something."""
    LOCAL_RECORDS = "local records"
    """Single records may be looked at in this process, because they lie where it runs."""
    UNREADABLE_TEXTS = "unreadable texts"
    """A text that cannot be read as a number or date is missing then; else it ends the query."""


class Gap(StrEnum):
    """Why a database lacks a feature."""

    NOTIMPL = "notimpl"
    """It could be written here."""
    NOTYET = "notyet"
    """The database or a library has to change first."""
    NEVER = "never"
    """It does not fit this kind of database."""


@dataclass(frozen=True, slots=True)
class DataFiles:
    """Files of one format that are opened as one table."""

    paths: Sequence[Path]
    """The files, in order."""
    n_columns: int
    """How many columns they have."""
    delimiter: str | None = None
    """What separates the cells of a csv; None stands for parquet files."""
    is_counted: bool = False
    """Whether nothing but counts will be asked of them. A csv may then be kept as its distinct rows, each with the
    number of its records in a last column `RECORDS`, and parquet files be read in any order."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """How one column is recoded as numbers."""

    keys: pa.Array
    """Its distinct values, without the missing one; or the smallest values of ranges, ascending."""
    codes: pa.Array | None
    """The code of each; None stands for ranges, which are numbered from 0."""
    missing: int | None = None
    """The code of a missing cell, if there are some."""
    other: int | None = None
    """The code of a value that is not among the keys, if there are some."""


Lookups: TypeAlias = "Mapping[str, Lookup]"
"""For each column how it is recoded."""


@dataclass(frozen=True, slots=True)
class Relabel:
    """How one column is rewritten as text."""

    keys: pa.Array
    """Every distinct value the column holds, without the missing one."""
    shown: Sequence[str | None]
    """For each key the text that replaces it; None writes a missing cell."""
    root: str
    """The text that replaces anything else."""
    missing: str | None = None
    """The text that replaces a missing cell."""
    has_missing: bool = True
    """Whether the column has missing cells at all."""
    intervals: tuple[tuple[Any, str], ...] = ()
    """For an ordered column, instead of `shown`: ascending (exclusive upper end, text); the last end is None."""
    scale: Scale | None = None
    """What the ends of `intervals` are."""
    is_ranged: bool = False
    """Whether each key is the smallest value of a range that ends where the next begins."""
    has_others: bool = False
    """Whether the column holds more values than `keys`."""
