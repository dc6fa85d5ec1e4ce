"""Files, one or many, opened inside an engine under column names of its own.

Names and separators are looked at here, in a file's first bytes; the records
are left to the engine.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ArrowException

from maskwise.engines.base import DataFiles
from maskwise.engines.distinct_rows import n_records
from maskwise.errors import InputError, did_you_mean
from maskwise.table.arrow_types import with_known_types
from maskwise.table.column_names import unique_names
from maskwise.table.csv_encoding import WINDOWS, decode_start, is_windows
from maskwise.table.csv_records import facts_meanwhile, refuse_other_count
from maskwise.table.held_files import count_lines, load_csv, load_parquet, read_csv
from maskwise.values.csv_form import PLAIN, CsvForm
from maskwise.values.location import Folder, is_folder, is_there, suffix_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.engines.sql import Engine
    from maskwise.values.reading import Rename

_HEADER_BYTES = 1 << 20
SEPARATORS = (",", ";", "\t", "|")
"""What may separate the cells of a csv."""
_LOOKED_AT = 50
"""So many records tell which separator a csv uses."""


def find_files(place: Path | Folder) -> list[Path]:
    """The files that a path, a pattern or a folder means, by name.

    Args:
        place: A file; a pattern such as `people/*.csv`, if there is no file of that name; or a folder of parquet files.
    """
    path = place.path if isinstance(place, Folder) else place
    if is_folder(path):
        found = sorted(p for p in path.glob("*.parquet") if not p.name.startswith((".", "_")))
        if not found:
            msg = f"The folder `{path}` has no parquet file. Name files with a pattern, such as `{path}/*.csv`."
            raise InputError(msg)
        return found
    if is_there(path) or isinstance(place, Folder) or not any(letter in str(path) for letter in "*?["):
        return [path]
    parts = path.parts[1:] if path.is_absolute() else path.parts
    try:
        found = sorted(p for p in Path(path.anchor).glob("/".join(parts)) if p.is_file())
    except OSError:
        # No folder has so long a name.
        found = []
    if not found:
        msg = f"There is no file like `{path}`."
        raise InputError(msg)
    kinds = {suffix_of(p) for p in found}
    if len(kinds) > 1:
        msg = f"`{path}` means files of different formats: {', '.join(sorted(kinds))}. Name files of one format."
        raise InputError(msg)
    return found


def open_files(
    paths: Sequence[Path],
    engine: Engine,
    *,
    delimiter: str | None,
    rename: Rename | None = None,
    is_counted: bool = False,
) -> tuple[ir.Table, tuple[str, ...]]:
    """Open files of one format as one table; return it with the names of its columns.

    Args:
        paths: The files, in order.
        engine: The engine that scans them.
        delimiter: What separates the cells of a csv; None looks at its header.
        rename: As in `unique_names`.
        is_counted: As in `read`.
    """
    suffix = suffix_of(paths[0])
    if suffix.startswith((".csv", ".tsv")):
        headers = [_look_into(path, lambda path=path: csv_header(path, suffix, delimiter)) for path in paths]
        names = _common_header(paths, [header for header, _ in headers], rename)
        if len({found for _, found in headers}) > 1:
            raise InputError("The files are separated by different characters. Use one.")
        return _open_csv(DataFiles(paths, len(names), headers[0][1], is_counted), engine, names), names
    if suffix == ".parquet":
        schemas = [_look_into(path, lambda path=path: parquet_schema(path)) for path in paths]
        names = _common_header(paths, [list(schema.names) for schema in schemas], rename)
        _refuse_other_types(paths, schemas)
        most_held = engine.dialect.most_held
        loaded = None if is_counted else load_parquet(paths, schemas[0], most_held)
        opened = engine.scan(DataFiles(paths, len(names), is_counted=is_counted) if loaded is None else loaded)
        return engine.counted(opened) if is_counted else opened, names
    if len(paths) > 1:
        msg = f"Of `{suffix}` files only one is read at a time. Use parquet or csv."
        raise InputError(msg)
    arrow = _look_into(paths[0], lambda: load_whole(paths[0], suffix))
    names = unique_names(arrow.column_names, f"`{paths[0].name}`", rename=rename)
    return open_arrow(arrow, engine), names


def _open_csv(files: DataFiles, engine: Engine, names: Sequence[str]) -> ir.Table:
    """Open csv files, and make sure that every record of them is read as it is."""
    assert files.delimiter is not None  # noqa: S101 - every csv has one
    # Where the first line end stands inside a name, engines take it for that of the records.
    is_plain = not any(end in name for name in names for end in "\r\n")
    encodings = [WINDOWS if is_windows_text(path) else "utf-8" for path in files.paths]
    is_plain = is_plain and WINDOWS not in encodings
    with facts_meanwhile(files) as looking:
        opened = _open_plain(files, engine) if is_plain else engine.scan(read_csv(files, encodings))
        facts = looking.result()
    if is_plain and any(each.has_blanks_beside_quotes for each in facts):
        opened = engine.scan(read_csv(files, encodings))
    elif is_plain and any(each.is_doubtful for each in facts):
        opened = engine.scan(files)
    (n_read,) = engine.fetch(opened.aggregate(n=n_records(opened))).column(0).to_pylist()
    refuse_other_count(files, facts, n_read)
    return opened


def _open_plain(files: DataFiles, engine: Engine) -> ir.Table:
    """Open csv files in this process, or in the engine if they are too large for it, or cannot be read."""
    most_held = engine.dialect.most_held
    if files.is_counted and (counted := count_lines(files, most_held)) is not None:
        return engine.register(counted)
    loaded = load_csv(files, most_held)
    return engine.scan(files if loaded is None else loaded)


def _look_into(path: Path, look: Any) -> Any:
    """Look at the beginning of a file; refuse one that is not there, is empty or cannot be read."""
    if not is_there(path):
        near = did_you_mean(path.name, (p.name for p in path.parent.iterdir())) if is_folder(path.parent) else ""
        msg = f"There is no file `{path}`.{near}"
        raise InputError(msg)
    try:
        if path.stat().st_size == 0:
            msg = f"`{path}` is empty. It needs a header and at least one record."
            raise InputError(msg)
        return look()
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"`{path}` cannot be read: {error.strerror or 'it is damaged'}.")


def _common_header(paths: Sequence[Path], headers: Sequence[Sequence[str]], rename: Rename | None) -> tuple[str, ...]:
    """The names of the columns, which all files must have in the same order."""
    found = [
        unique_names(names, f"`{path.name}`", rename=rename, is_text=is_text(path))
        for path, names in zip(paths, headers, strict=True)
    ]
    for path, names in zip(paths, headers, strict=True):
        if list(names) != list(headers[0]):
            msg = f"`{path.name}` has other columns than `{paths[0].name}`, or in another order. Make them alike."
            raise InputError(msg)
    return found[0]


def open_arrow(arrow: pa.Table, engine: Engine) -> ir.Table:
    """Open an Arrow table; dictionaries are unpacked, and a column of nothing but missing cells is text."""
    return engine.scan(with_known_types(arrow))


def csv_form(path: Path, delimiter: str | None) -> CsvForm:
    """How a csv is written; any other file has the plain form."""
    suffix = suffix_of(path)
    if not suffix.startswith(".csv"):
        return PLAIN
    start = first_bytes(path, suffix)
    _, found = parse_header(path, start, delimiter)
    form = CsvForm.of(start, found)
    # The release is UTF-8; the programs that wrote the csv know it by the mark.
    return replace(form, has_mark=True) if form != PLAIN and is_windows_text(path) else form


def is_windows_text(path: Path) -> bool:
    """Whether a file is a csv that is read as Windows-1252."""
    if not is_text(path):
        return False
    start = first_bytes(path, suffix_of(path))
    return is_windows(start, is_whole=len(start) < _HEADER_BYTES)


def first_bytes(path: Path, suffix: str) -> bytes:
    """The beginning of a csv, which holds its header."""
    try:
        with gzip.open(path, "rb") if suffix.endswith(".gz") else path.open("rb") as file:
            return file.read(_HEADER_BYTES)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        msg = f"`{path}` is not a whole gzip file."
        raise InputError(msg) from None
    except OSError as error:
        raise _unreadable(path, error) from None


def csv_header(path: Path, suffix: str, delimiter: str | None) -> tuple[list[str], str]:
    """The names in the first line of a csv, and what separates its cells."""
    return parse_header(path, first_bytes(path, suffix), delimiter)


def parse_header(path: Path, start: bytes, delimiter: str | None) -> tuple[list[str], str]:
    """As `csv_header`, of a csv whose beginning was read."""
    try:
        text, _ = decode_start(start, is_whole=len(start) < _HEADER_BYTES)
    except UnicodeDecodeError as error:
        line = start[: error.start].count(b"\n") + 1
        msg = f"{path.name}, line {line} cannot be read: it is not UTF-8 text; save the file as UTF-8."
        raise InputError(msg) from None
    if not text.strip():
        msg = f"`{path}` is empty. It needs a header and at least one record."
        raise InputError(msg)
    delimiter = delimiter or ("\t" if suffix_of(path).startswith(".tsv") else delimiter_of(text))
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        msg = f"{path.name}, line 1 cannot be read: a name in the header is longer than 128 KB."
        raise InputError(msg) from None
    return names, delimiter


def delimiter_of(text: str) -> str:
    r"""The separator that the header uses most, outside quotes, if records use it too; a comma if none.

    Args:
        text: The beginning of a csv.

    >>> delimiter_of('name;"last, first"'), delimiter_of("one column")
    (';', ',')
    >>> delimiter_of("a;b;c,sex\n1,F\n2,M\n"), delimiter_of("a|b\n1\n2\n")
    (',', ',')
    """
    header = text.partition("\n")[0]
    bare = "".join(header.split('"')[::2])
    used = sorted((mark for mark in SEPARATORS if mark in bare), key=bare.count, reverse=True)
    for mark in used:
        try:
            names, *records = itertools.islice(csv.reader(io.StringIO(text, newline=""), delimiter=mark), _LOOKED_AT)
        except (csv.Error, ValueError):
            continue
        # A name may hold a separator; then no record has as many cells.
        if not records or any(len(record) == len(names) for record in records):
            return mark
    return max(SEPARATORS, key=bare.count) if any(mark in text[len(header) :] for mark in SEPARATORS) else ","


def parquet_schema(path: Path) -> pa.Schema:
    """The names and types of a parquet file's columns."""
    try:
        return pq.read_schema(path)
    except (ArrowException, UnicodeDecodeError):
        msg = f"`{path}` is not a whole parquet file."
        raise InputError(msg) from None


def _refuse_other_types(paths: Sequence[Path], schemas: Sequence[pa.Schema]) -> None:
    """Refuse files that hold a column as different types: read as one table, cells of some would change."""
    for path, schema in zip(paths, schemas, strict=True):
        for field, first in zip(schema, schemas[0], strict=True):
            if field.type != first.type:
                msg = (
                    f"`{path.name}` holds `{field.name}` as {field.type}, `{paths[0].name}` as {first.type}. "
                    "Write both as the same type."
                )
                raise InputError(msg)


def load_whole(path: Path, suffix: str) -> pa.Table:
    """Load an Arrow file, or a parquet file inside gzip, as a whole."""
    try:
        if suffix.endswith(".gz"):
            with gzip.open(path, "rb") as file:
                content: Any = pa.BufferReader(file.read())
        else:
            # Not mapped: a file that is cut short meanwhile would end the process.
            content = pa.OSFile(str(path))
        if suffix.startswith(".parquet"):
            return pq.read_table(content)
        table = pa.ipc.open_file(content).read_all()
        # Whatever the file says of its cells is checked before anything relies on it.
        table.validate(full=True)
    except (pa.ArrowException, UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error):
        msg = f"`{path}` is not a whole {suffix.split('.')[1]} file."
        raise InputError(msg) from None
    return table


def is_text(path: Path) -> bool:
    """Whether a file's columns are named by its first line."""
    return suffix_of(path).startswith((".csv", ".tsv"))


def looks_like_cell(name: str) -> bool:
    """Whether a name may be a cell of a table without a header: a number, a date, a time.

    >>> looks_like_cell("02134"), looks_like_cell("2024-04-06"), looks_like_cell("A1")
    (True, True, False)
    """
    return re.fullmatch(r"[-+.,:/% ]*\d[-+.,:/% \d]*", name) is not None
