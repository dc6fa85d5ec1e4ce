"""From a file or a data frame to a `Table` that an engine can scan.

A csv is read as text, so that columns that pass through keep every character;
what a masked column's texts mean is the concern of `profile`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import choose
from maskwise.table.column_names import unique_names
from maskwise.table.data_frames import as_arrow, make_ready
from maskwise.table.files import csv_form, find_files, is_text, is_windows_text, open_arrow, open_files
from maskwise.table.missing_values import blank_values
from maskwise.table.table import Table
from maskwise.values.input_kind import input_kind, is_lazy_frame
from maskwise.values.location import Folder, TableName
from maskwise.values.reading import AS_IT_IS

if TYPE_CHECKING:
    from maskwise.engines.sql import Engine
    from maskwise.values.reading import Reading, Rename


def read(
    source: Any,
    engine: Engine | None = None,
    *,
    delimiter: str | None = None,
    reading: Reading = AS_IT_IS,
    is_counted: bool = False,
) -> Table:
    """Open a path, a pandas, Polars, Arrow or Ibis table.

    Args:
        source: What to open.
        engine: The engine that scans it; None starts one.
        delimiter: What separates the cells of a csv; None looks at its header.
        reading: Which cells are taken for missing, how columns of the same name are renamed, and how dates
            and numbers are written.
        is_counted: Nothing but counts will be asked of it, so that the distinct rows of a csv are enough, each with the
            number of its records.

    Example:
        >>> import pyarrow as pa
        >>> read(pa.table({"Age": [31, 42], "Sex": ["F", "M"]})).names
        ('Age', 'Sex')
    """
    if isinstance(source, Table):
        return source
    opened = _open(source, engine, delimiter, reading.rename, is_counted=is_counted)
    return replace(blank_values(opened, reading.na_values), forms=reading.forms)


def _open(
    source: Any, engine: Engine | None, delimiter: str | None, rename: Rename | None, *, is_counted: bool
) -> Table:
    """Open the records as they are."""
    place = source
    if engine is None:
        engine, place = choose(source)
    if isinstance(place, Path | Folder):
        paths = find_files(place)
        expr, names = open_files(paths, engine, delimiter=delimiter, rename=rename, is_counted=is_counted)
        called = paths[0].name if len(paths) == 1 else str(place)
        form = csv_form(paths[0], delimiter)
        is_windows = any(map(is_windows_text, paths))
        has_header = is_text(paths[0])
        return Table(engine, expr, names, called, has_header_line=has_header, csv_form=form, is_windows_text=is_windows)
    if isinstance(place, TableName) or input_kind(place).is_database_table:
        return _read_table(place, engine, rename)
    frame = make_ready(place, rename)
    arrow = as_arrow(frame)
    names = tuple(arrow.column_names)
    is_lazy = is_lazy_frame(place)
    return Table(engine, open_arrow(arrow, engine), names, "the data frame", frame=frame, is_lazy=is_lazy)


def _read_table(place: Any, engine: Engine, rename: Rename | None) -> Table:
    """Open a table of a database."""
    table = engine.scan(place)
    is_named = isinstance(place, TableName)
    names = unique_names(table.columns, f"`{place}`" if is_named else "The table", rename=rename)
    expr = table.select([table[name].name(f"c{i}") for i, name in enumerate(table.columns)])
    return Table(engine, expr, names, str(place) if is_named else "the table", frame=None if is_named else place)
