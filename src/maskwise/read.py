"""From a file or a data frame to a `Table` that an engine can scan.

A csv is read as text, so that columns that pass through keep every character;
what a masked column's texts mean is the concern of `profile`.
"""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.arrow import as_numpy
from maskwise.engines.local import ROW, Local
from maskwise.errors import InputError, did_you_mean, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.engines import Engine, Relabel

SUFFIXES = (".csv", ".tsv", ".parquet", ".arrow", ".feather")
_HEADER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct cells of one column and how often each occurs."""

    keys: pa.Array
    """The cells as the engine holds them, without the missing one."""
    counts: NDArray[np.int64]  # (n_keys,)
    """The records of each."""
    n_missing: int
    """The records whose cell is missing."""


@dataclass(frozen=True, slots=True)
class Table:
    """Records inside an engine, and what their columns are called."""

    engine: Engine
    """Who scans them."""
    expr: ir.Table
    """The records, with the columns c0, c1, ..."""
    names: tuple[str, ...]
    """What the owner calls the columns."""
    source: str
    """What messages call the table."""
    frame: Any = None
    """The data frame it came from, if it did."""
    rewritten: tuple[str, ...] = ()
    """The columns that no longer hold what came in."""
    is_shuffled: bool = False
    """Whether the records stand in an order of their own."""

    def column(self, name: str) -> ir.Value:
        """The named column as the search and the recount see it.

        A float that is not a number counts as missing. Decimals and whole
        numbers beyond 64 bits are floats, converted by the engine alone, so
        that it agrees with itself.
        """
        import ibis  # noqa: PLC0415 - heavy

        value = self.expr[self.key(name)]
        kind = value.type()
        if kind.is_floating():
            # Not isnan: DuckDB folds it to false from statistics that leave NaN out.
            is_number = (value - value == 0) | (value.abs() == float("inf"))
            # Adding zero makes one value of 0.0 and -0.0, which SQL holds equal and Arrow does not.
            return ibis.ifelse(is_number, value + 0.0, ibis.null(kind))
        if kind.is_decimal() or kind.is_uint64():
            return value.cast("float64")
        return value

    def seen(self, names: Iterable[str]) -> ir.Table:
        """The records with some columns as `column` gives them; the others keep every bit."""
        seen = {self.key(name): self.column(name) for name in names}
        odd = {key: value for key, value in seen.items() if not value.equals(self.expr[key])}
        return self.expr.mutate(**odd) if odd else self.expr

    def is_countable(self, name: str) -> bool:
        """Whether cells of the column have a spelling that people know."""
        kind = self.expr[self.key(name)].type()
        return not (kind.is_nested() or kind.is_binary() or kind.is_interval())

    def require_sensitive(self, name: str) -> None:
        """Refuse a sensitive column whose values a policy cannot spell exactly."""
        self.require(name)
        kind = self.expr[self.key(name)].type()
        spelled = (kind.is_string, kind.is_integer, kind.is_floating, kind.is_boolean, kind.is_decimal, kind.is_date)
        if not any(test() for test in spelled):
            msg = (
                f"The sensitive column `{name}` holds {kind} cells, which a policy cannot name exactly. Make them text."
            )
            raise InputError(msg)

    def key(self, name: str) -> str:
        """The engine's name of a column."""
        return f"c{self.names.index(name)}"

    def n_rows(self) -> int:
        """Count the records."""
        return int(self.engine.fetch(self.expr.aggregate(n=self.expr.count())).column(0)[0].as_py())

    def distinct(self, name: str) -> Distinct:
        """Count the records of each distinct cell of one column."""
        counted = self.engine.group(self.expr, [self.column(name)]).combine_chunks()
        cells, n = counted.column(0).combine_chunks(), as_numpy(counted.column("n")).astype(np.int64)
        there = as_numpy(cells.is_valid())
        return Distinct(cells.drop_null(), n[there], int(n[~there].sum()))

    def counts_of_each(self, names: Sequence[str], by: str | None) -> list[pa.Table]:
        """For each column by itself, count the records of each value (and each value of `by`)."""
        together = None if by is None else self.column(by)
        return self.engine.group_each(self.expr, [self.column(name) for name in names], together)

    def relabel(self, columns: Mapping[str, Relabel]) -> Table:
        """Rewrite columns, by name, as text."""
        expr = self.engine.relabel(self.seen(columns), {self.key(name): how for name, how in columns.items()})
        return replace(self, expr=expr, rewritten=tuple(columns))

    def without_missing(self, names: Sequence[str]) -> Table:
        """Leave out the records with a missing cell in one of these columns."""
        return replace(self, expr=self.expr.filter([self.column(name).notnull() for name in names]))

    def first_row_with(self, name: str, keys: pa.Array) -> int | None:
        """The number, from 1, of the first record whose cell is one of `keys`."""
        import ibis  # noqa: PLC0415 - heavy

        row = self.expr[ROW] if ROW in self.expr.columns else ibis.row_number()
        numbered = self.seen([name]).mutate(row_number=row + 1)
        hits = numbered.filter(numbered[self.key(name)].isin(keys.to_pylist()))
        found = self.engine.fetch(hits.aggregate(first=hits.row_number.min())).column(0)[0].as_py()
        return None if found is None else int(found)

    def require(self, name: str, what: str = "is in the policy", *, is_header_sure: bool = True) -> None:
        """Refuse a column that the table does not have.

        Args:
            name: The column.
            what: Who asks for it.
            is_header_sure: False where the names may be cells of a table without a header, so are not shown.
        """
        if name not in self.names and not is_header_sure:
            msg = f"Column `{name}` {what} but not in the table. Is its first line a header?"
            raise InputError(msg + did_you_mean(name, self.names))
        if name not in self.names:
            shown = quote(self.names[:20]) + (" and more" if len(self.names) > 20 else "")  # noqa: PLR2004
            msg = (
                f"Column `{name}` {what} but not in the table. The table has: {shown}.{did_you_mean(name, self.names)}"
            )
            raise InputError(msg)


def read(source: Any, engine: Engine | None = None, *, once: bool = False, delimiter: str | None = None) -> Table:
    """Open a path, a pandas, Polars, Arrow or Ibis table.

    Args:
        source: What to open.
        engine: Who scans it; None starts one.
        once: The table is scanned only once, so a csv need not be loaded first.
        delimiter: What separates the cells of a csv; None looks at its header.

    Example:
        >>> import pyarrow as pa
        >>> read(pa.table({"Age": [31, 42], "Sex": ["F", "M"]})).names
        ('Age', 'Sex')
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        return _read_file(Path(source), engine or Local(), once=once, delimiter=delimiter)
    kind = type(source).__module__.partition(".")[0]
    if kind == "ibis":
        return _read_ibis(source)
    return _from_arrow(_as_arrow(source), "the data frame", engine or Local(), frame=source)


def suffix_of(path: Path) -> str:
    """The format a file's name tells: `.csv`, `.csv.gz`, `.parquet`, ...

    >>> suffix_of(Path("people.CSV.gz"))
    '.csv.gz'
    """
    suffixes = [part.lower() for part in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    inner = suffixes[-2:-1] if packed else suffixes[-1:]
    if inner and inner[0] in SUFFIXES:
        return inner[0].replace(".feather", ".arrow") + (".gz" if packed else "")
    msg = (
        f"The format of `{path.name}` is not known from its name. Use one of {quote(SUFFIXES)}, each may end in `.gz`."
    )
    raise InputError(msg)


def _read_file(path: Path, engine: Engine, *, once: bool, delimiter: str | None) -> Table:
    suffix = suffix_of(path)
    if not path.exists():
        near = did_you_mean(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else ""
        msg = f"There is no file `{path}`.{near}"
        raise InputError(msg)
    try:
        if path.stat().st_size == 0:
            msg = f"`{path}` is empty. It needs a header and at least one record."
            raise InputError(msg)
        if suffix.startswith((".csv", ".tsv")):
            return _read_csv(path, suffix, engine, once=once, delimiter=delimiter)
        if suffix == ".parquet":
            return _read_parquet(path, engine)
        arrow = _load_packed(path, suffix)
    except OSError as error:
        msg = f"`{path}` cannot be read: {error.strerror or 'it is damaged'}."
        raise InputError(msg) from None
    return _from_arrow(arrow, path.name, engine)


def _from_arrow(arrow: pa.Table, source: str, engine: Engine, frame: Any = None) -> Table:
    """Open an Arrow table; dictionaries are unpacked, and a column of nothing but missing cells is text."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    _check_names(arrow.column_names, source)
    fields = []
    for field in arrow.schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        fields.append(field.with_type(pa.string() if pa.types.is_null(kind) else kind))
    plain = arrow.cast(pa.schema(fields))
    return Table(engine, engine.scan_arrow(plain), tuple(arrow.column_names), source, frame=frame)


def _read_csv(path: Path, suffix: str, engine: Engine, *, once: bool, delimiter: str | None) -> Table:
    try:
        with gzip.open(path, "rb") if suffix.endswith(".gz") else path.open("rb") as file:
            start = file.read(_HEADER_BYTES)
    except (gzip.BadGzipFile, EOFError):
        msg = f"`{path}` is not a whole gzip file."
        raise InputError(msg) from None
    try:
        text = start.decode("utf-8-sig", errors="strict" if len(start) < _HEADER_BYTES else "ignore")
    except UnicodeDecodeError as error:
        line = start[: error.start].count(b"\n") + 1
        msg = f"{path.name}, line {line} cannot be read: it is not UTF-8 text; save the file as UTF-8."
        raise InputError(msg) from None
    if not text.strip():
        msg = f"`{path}` is empty. It needs a header and at least one record."
        raise InputError(msg)
    delimiter = delimiter or ("\t" if suffix.startswith(".tsv") else delimiter_of(text))
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        msg = f"{path.name}, line 1 cannot be read: a name in the header is longer than 128 KB."
        raise InputError(msg) from None
    _check_names(names, f"`{path.name}`")
    return Table(engine, engine.scan_csv(path, delimiter, len(names), load=not once), tuple(names), path.name)


def delimiter_of(text: str) -> str:
    """The separator that the header uses most, outside quotes; a comma if none.

    >>> delimiter_of('name;"last, first"'), delimiter_of("one column")
    (';', ',')
    """
    header = text.partition("\n")[0]
    bare = "".join(header.split('"')[::2])
    return max((",", ";", "\t", "|"), key=bare.count)


def _read_parquet(path: Path, engine: Engine) -> Table:
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy
    from pyarrow import ArrowException  # noqa: PLC0415 - heavy

    try:
        names = pq.read_schema(path).names
    except ArrowException:
        msg = f"`{path}` is not a whole parquet file."
        raise InputError(msg) from None
    _check_names(names, f"`{path.name}`")
    return Table(engine, engine.scan_parquet(path, len(names)), tuple(names), path.name)


def _load_packed(path: Path, suffix: str) -> pa.Table:
    """Arrow files, and parquet files inside gzip, through memory."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    try:
        if suffix.endswith(".gz"):
            with gzip.open(path, "rb") as file:
                content: Any = pa.BufferReader(file.read())
        else:
            content = pa.memory_map(str(path))
        if suffix.startswith(".parquet"):
            return pq.read_table(content)
        return pa.ipc.open_file(content).read_all()
    except (pa.ArrowException, gzip.BadGzipFile, EOFError):
        msg = f"`{path}` is not a whole {suffix.split('.')[1]} file."
        raise InputError(msg) from None


def _as_arrow(source: Any) -> pa.Table:
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        msg = f"maskwise reads a path, or a pandas, Polars, Arrow or Ibis table; found {type(source).__name__}."
        raise InputError(msg) from None
    _check_names(list(frame.columns), "The data frame")
    columns = {}
    for name in frame.columns:
        try:
            columns[name] = frame.get_column(name).to_arrow()
        except (pa.ArrowException, TypeError, ValueError):
            msg = f"Column `{name}` of the data frame mixes types. Make it text, numbers or dates."
            raise InputError(msg) from None
    return pa.table(columns)


def _read_ibis(source: Any) -> Table:
    names = tuple(source.columns)
    _check_names(names, "The table")
    from ibis.expr.operations import InMemoryTable  # noqa: PLC0415 - heavy

    if source.op().find(InMemoryTable):
        return _from_arrow(source.to_pyarrow(), "the table", Local())
    expr = source.select([source[name].name(f"c{i}") for i, name in enumerate(names)])
    return Table(Local(source.get_backend()), expr, names, "the table", frame=source)


def _check_names(names: Sequence[str], what: str) -> None:
    if not names:
        msg = f"{what} has no columns."
        raise InputError(msg)
    seen: dict[str, str] = {}
    for at, name in enumerate(names, start=1):
        if not isinstance(name, str) or not name:
            msg = f"{what} has no text as the name of column {at}. Name every column."
            raise InputError(msg)
        if name.casefold() in seen:
            other = seen[name.casefold()]
            how = "twice" if other == name else f"and `{other}`, which databases do not tell apart"
            msg = f"{what} has the column `{name}` {how}. Rename one."
            raise InputError(msg)
        seen[name.casefold()] = name
