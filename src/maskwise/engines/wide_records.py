"""Wide records in another order: some columns at a time, on their way through a temporary file.

A database sorts whole records, and those of a thousand columns take gigabytes. Here a few columns of
all records are fetched, put in order and written to a file, then the next ones. The files are mapped, so that the
system can take their pages away again, and the database reads them as one table.
`local_verbs` orders records that this process holds.
"""

from __future__ import annotations

import mmap
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.engines.base import ROW
from maskwise.engines.coded_columns import CodedColumn
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy, from_numpy, narrowest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.sql import Engine

    Ints = NDArray[np.int64]

WIDE = 128
"""Records of more columns are put in order some columns at a time."""
_N_TRIED = 2048
"""So many records tell how many bytes a cell of each column takes."""
_LEAST_BYTES = 8
"""A cell is expected to take so many at least."""


def is_wide(engine: Engine, records: ir.Table) -> bool:
    """Whether records are put in order some columns at a time: they have many, of plain kinds, in a memory of ours."""
    return (
        bool(engine.dialect.most_held) and len(records.columns) > WIDE and all(map(_is_plain, records.schema().types))
    )


def order_wide(engine: Engine, records: ir.Table, draw: Callable[[int], Ints]) -> ir.Table | None:
    """Wide records in another order; None leaves them to the database.

    Args:
        engine: Asks the database.
        records: The records, each with its place, by which the cells of a record find each other.
        draw: Gives for so many records their order: for each place the record that comes there.

    Claim: the cells of a record stay together. Whatever order a query gives its records in, they are told apart by
    `ROW`, and every query must give the same ones.
    """
    if ROW not in records.columns or not is_wide(engine, records):
        return None
    # As a view: Ibis takes tenths of a second over a thousand columns whenever it is asked for some of them.
    source = engine.view(str(engine.dialect.backend.compile(records))).get_name()
    rows = np.sort(as_numpy(engine.dialect.query(f"SELECT {ROW} FROM {source}").column(0)))  # noqa: S608
    order = draw(len(rows))
    found: dict[str, Any] = {}
    for names in _groups(engine, source, [name for name in records.columns if name != ROW], len(rows)):
        fetched = engine.dialect.query(f"SELECT {_listed((*names, ROW))} FROM {source}")  # noqa: S608
        own = as_numpy(fetched.column(ROW))
        by_place = np.argsort(own, kind="stable")
        if not np.array_equal(own[by_place], rows):
            raise InputError("The records changed while they were read. Nothing was released; run it again.")
        chosen = by_place[order]
        ordered = _map(pa.table([_take(fetched.column(name), chosen) for name in names], names=names))
        found |= {name: ordered.column(name) for name in names}
    found[ROW] = from_numpy(rows[order])
    return engine.register(pa.table({name: found[name] for name in records.columns}))


def _is_plain(kind: Any) -> bool:
    """Whether cells of a kind are the same when they have been in this process."""
    is_number = kind.is_integer() or kind.is_floating() or kind.is_boolean()
    is_moment = kind.is_date() or (kind.is_timestamp() and kind.timezone is None)
    return bool(is_number or is_moment or kind.is_string())


def _groups(engine: Engine, source: str, names: Sequence[str], n_records: int) -> Iterator[list[str]]:
    """The columns, some at a time: as many as fit what this process may hold."""
    tried = engine.dialect.query(f"SELECT {_listed(names)} FROM {source} LIMIT {_N_TRIED}")  # noqa: S608
    group: list[str] = []
    n_bytes = 0.0
    for name in names:
        of_column = n_records * max(_LEAST_BYTES, tried.column(name).nbytes / max(tried.num_rows, 1))
        if group and n_bytes + of_column > engine.dialect.most_held:
            yield group
            group, n_bytes = [], 0.0
        group.append(name)
        n_bytes += of_column
    yield group


def _listed(names: Sequence[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


def _take(column: pa.ChunkedArray, chosen: Ints) -> pa.Array:
    """A column in another order; its codes as small numbers."""
    coded = CodedColumn.of(column)
    codes = coded.codes.astype(narrowest(len(coded.cells)))[chosen]
    return pa.DictionaryArray.from_arrays(from_numpy(codes), coded.cells)


def _map(table: pa.Table) -> pa.Table:
    """The same table in a file without a name, which is gone when nothing reads it any more."""
    try:
        with tempfile.TemporaryFile(prefix="maskwise-") as file:
            with pa.ipc.new_file(pa.PythonFile(file, "w"), table.schema) as writer:
                writer.write_table(table)
            file.flush()
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        msg = (
            f"The records are put in order in `{tempfile.gettempdir()}`, which could not be written to "
            f"({(error.strerror or 'error').lower()}). Free space there, or set TMPDIR."
        )
        raise InputError(msg) from None
    return pa.ipc.open_file(pa.BufferReader(pa.py_buffer(mapped))).read_all()
