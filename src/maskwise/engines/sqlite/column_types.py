"""What the cells of a SQLite column are read as.

SQLite keeps a cell of any kind in any column; a declared type is little more
than a name. So the cells decide, and the declared type chooses between what they
can all be read as: whole numbers 0 and 1 in a BOOLEAN column are truth values,
texts in a DATE column are dates if every one of them is spelled as a date.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa

from maskwise.engines.base import MIXED_CELLS


class Storage(StrEnum):
    """What kinds of cells a column holds, beside missing ones. Each is the name of its type in DuckDB."""

    NOTHING = "BOOLEAN"
    """Missing cells only."""
    INTEGER = "BIGINT"
    """Whole numbers."""
    REAL = "DOUBLE"
    """Numbers."""
    TEXT = "VARCHAR"
    """Texts."""
    BLOB = "BLOB"
    """Bytes."""
    MIXED = 'STRUCT("integer" BIGINT, "real" DOUBLE, "text" VARCHAR, blob BLOB, unreadable BLOB)'
    """Cells of several kinds, or texts that are not UTF-8: one field of each cell is filled."""


class UnreadableText(bytes):
    """A text that is not UTF-8."""


_KINDS: dict[type, str] = dict(zip((int, float, str, bytes, UnreadableText), MIXED_CELLS, strict=True))
_STORAGE: dict[frozenset[type], Storage] = {
    frozenset(): Storage.NOTHING,
    frozenset({int}): Storage.INTEGER,
    frozenset({float}): Storage.REAL,
    frozenset({int, float}): Storage.REAL,
    frozenset({str}): Storage.TEXT,
    frozenset({bytes}): Storage.BLOB,
}
ARROW_TYPES: dict[Storage, pa.DataType] = {
    Storage.NOTHING: pa.bool_(),
    Storage.INTEGER: pa.int64(),
    Storage.REAL: pa.float64(),
    Storage.TEXT: pa.string(),
    Storage.BLOB: pa.binary(),
    Storage.MIXED: pa.struct(
        list(zip(MIXED_CELLS, (pa.int64(), pa.float64(), pa.string(), pa.binary(), pa.binary()), strict=True))
    ),
}
MOST_EXACT = 1 << 53
"""Up to here every whole number is a float, too."""
MOST_DIGITS = 15
"""So many decimal digits a float keeps."""
UTC = "+00:00"
"""How a moment ends that is told in UTC; other zones stay text."""
_DECLARED = re.compile(r"\s*([A-Z_ ]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*", re.IGNORECASE)


def storage_of(cells: tuple[Any, ...]) -> Storage:
    """What kinds of cells there are."""
    return _STORAGE.get(frozenset(map(type, cells)) - {type(None)}, Storage.MIXED)


def widest(first: Storage, second: Storage) -> Storage:
    """What holds the cells of both.

    >>> widest(Storage.INTEGER, Storage.REAL).name, widest(Storage.INTEGER, Storage.TEXT).name
    ('REAL', 'MIXED')
    """
    both = {first, second} - {Storage.NOTHING}
    if len(both) <= 1:
        return next(iter(both), Storage.NOTHING)
    return Storage.REAL if both == {Storage.INTEGER, Storage.REAL} else Storage.MIXED


def as_arrow(cells: tuple[Any, ...], storage: Storage) -> pa.Array:
    """Cells as an Arrow array.

    Raises:
        pa.ArrowInvalid: A whole number is no float, where floats are asked for.
    """
    if storage is Storage.MIXED:
        rows = [None if cell is None else {_KINDS[type(cell)]: cell} for cell in cells]
        return pa.array(rows, ARROW_TYPES[storage])
    return pa.array(cells, ARROW_TYPES[storage])


def widened_sql(cell: str, storage: Storage, into: Storage) -> str:
    """A cell of one storage as one of a wider storage, in SQL."""
    if storage is Storage.NOTHING:
        return f"CAST(NULL AS {into.value})"
    if storage is into or into is not Storage.MIXED:
        return f"CAST({cell} AS {into.value})"
    kinds = (Storage.INTEGER, Storage.REAL, Storage.TEXT, Storage.BLOB, None)
    fields = zip(MIXED_CELLS, kinds, strict=True)
    packed = ", ".join(f'"{name}" := {cell if kind is storage else "NULL"}' for name, kind in fields)
    return f"CASE WHEN {cell} IS NOT NULL THEN CAST(struct_pack({packed}) AS {into.value}) END"


@dataclass(frozen=True, slots=True)
class NarrowerType:
    """A narrower type than the storage of a column, which its declared type asks for."""

    kind: str
    """The type, in DuckDB's words."""
    fits: str
    """Whether the cell `{cell}` can be read as it without any loss, in SQL."""


def narrower_types(declared: str, storage: Storage) -> tuple[NarrowerType, ...]:  # noqa: PLR0911 - a table
    """What a declared type may ask for, beyond what the cells are; the first that fits is taken.

    >>> [one.kind for one in narrower_types("decimal(8, 2)", Storage.REAL)]
    ['DECIMAL(8, 2)']
    """
    kind = _asked_for(declared)
    if kind is None:
        return ()
    tried = f"TRY_CAST({{cell}} AS {kind})"
    same_spelling = f"CAST({tried} AS VARCHAR) = {{cell}}"
    match kind, storage:
        case "BOOLEAN", Storage.INTEGER:
            return (NarrowerType(kind, "{cell} IN (0, 1)"),)
        case "TIME", Storage.TEXT:
            return (NarrowerType(kind, same_spelling),)
        case "DATE", Storage.TEXT:
            return (NarrowerType(kind, f"{same_spelling} AND isfinite({tried})"),)
        case "TIMESTAMP", Storage.TEXT:
            moment = f"TRY_CAST(replace({{cell}}, '{UTC}', '') AS TIMESTAMP)"
            in_utc = f"CAST({moment} AS VARCHAR) || '{UTC}' = {{cell}} AND isfinite({moment})"
            naive = NarrowerType(kind, f"{same_spelling} AND isfinite({tried})")
            return (naive, NarrowerType("TIMESTAMP WITH TIME ZONE", in_utc))
        case _, Storage.INTEGER | Storage.REAL if kind.startswith("DECIMAL"):
            return (NarrowerType(kind, f"CAST({tried} AS DOUBLE) = {{cell}}"),)
    return ()


def type_of_nothing(declared: str) -> str:
    """The type of a column without a cell, by the rules of SQLite's affinities, in DuckDB's words.

    >>> type_of_nothing("VARCHAR(20)"), type_of_nothing("UNSIGNED BIG INT"), type_of_nothing("DATE")
    ('VARCHAR', 'BIGINT', 'DATE')
    """
    if (asked := _asked_for(declared)) is not None:
        return asked
    name = declared.upper()
    if "INT" in name:
        return "BIGINT"
    if not name or any(part in name for part in ("CHAR", "CLOB", "TEXT")):
        return "VARCHAR"
    return "BLOB" if "BLOB" in name else "DOUBLE"


def _asked_for(declared: str) -> str | None:
    """The type that SQLite has no storage of its own for, and that a declared name means."""
    found = _DECLARED.fullmatch(declared)
    if found is None:
        return None
    name, digits, places = found[1].upper(), int(found[2] or 0), int(found[3] or 0)
    if name in {"BOOL", "BOOLEAN"}:
        return "BOOLEAN"
    if name in {"DATE", "TIME"}:
        return name
    if name in {"DATETIME", "TIMESTAMP"}:
        return "TIMESTAMP"
    if name in {"DECIMAL", "NUMERIC"} and 0 < digits <= MOST_DIGITS and places <= digits:
        return f"DECIMAL({digits}, {places})"
    return None
