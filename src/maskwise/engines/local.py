"""DuckDB through Ibis: files and data frames on this machine.

The four verbs are written against Ibis, so another backend needs only its own
ways of opening and writing. Errors of the database are told without its
message where that would quote a line of the data.
"""

from __future__ import annotations

import gzip
import itertools
import re
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any

from maskwise.arrow import as_numpy, from_numpy
from maskwise.errors import InputError, WriteError
from maskwise.typed import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines import Relabel

ROW = "row"
"""The column that remembers where a record stood."""
MOST_CASES = 512
"""Above so many distinct values a lookup table beats a CASE expression."""
_SAME = object()
_CASTS = {Scale.INTEGER: "int64", Scale.REAL: "float64", Scale.DATE: "date", Scale.TIMESTAMP: "timestamp"}


class Local:
    """The four verbs on an Ibis connection, by default an in-memory DuckDB."""

    def __init__(self, connection: Any = None) -> None:
        """Connect.

        Args:
            connection: An Ibis backend; None starts DuckDB in memory.
        """
        self._names = itertools.count()
        self._duckdb = _start_duckdb(self) if connection is None else None
        self._connection = connection

    @property
    def connection(self) -> Any:
        """The Ibis backend; Ibis is imported only here, so that a csv can load meanwhile."""
        if self._connection is None:
            import ibis  # noqa: PLC0415 - heavy

            self._connection = ibis.duckdb.from_connection(self._duckdb)
        return self._connection

    def scan_csv(self, path: Path, delimiter: str, types: Sequence[str], *, load: bool) -> ir.Table:
        """Open a csv, as text unless told so, so that columns that pass through keep every character."""
        what = f"source_{next(self._names)}"
        columns = ", ".join(f"'c{i}': '{kind}'" for i, kind in enumerate(types))
        database = self._duckdb if self._duckdb is not None else self.connection.con
        try:
            database.execute(
                f"CREATE TEMP {'TABLE' if load else 'VIEW'} {what} AS SELECT * FROM read_csv({_literal(path)}, "  # noqa: S608
                f"delim = '{delimiter}', quote = '\"', escape = '\"', header = true, auto_detect = false, "
                f"columns = {{{columns}}}, nullstr = '', allow_quoted_nulls = false, strict_mode = true, "
                f"hive_partitioning = false, compression = '{'gzip' if path.suffix == '.gz' else 'none'}')"
            )
        except Exception as error:  # noqa: BLE001 - the database's own types
            if set(types) != {"VARCHAR"}:
                return self.scan_csv(path, delimiter, ["VARCHAR"] * len(types), load=load)
            raise InputError(_csv_complaint(path, str(error))) from None
        return self.connection.table(what)

    def scan_parquet(self, path: Path, n_columns: int) -> ir.Table:
        """Open a parquet file where it lies."""
        what = f"source_{next(self._names)}"
        # A folder called `Age=30` must not become the column Age, so partitions are not looked for.
        self.connection.raw_sql(
            f"CREATE TEMP VIEW {what} AS SELECT * FROM read_parquet({_literal(path)}, hive_partitioning = false)"  # noqa: S608
        )
        table = self.connection.table(what)
        return table.select(**{f"c{i}": table[table.columns[i]] for i in range(n_columns)})

    def scan_arrow(self, table: pa.Table) -> ir.Table:
        """Open an Arrow table; where each record stood is remembered beside its columns."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        named = table.rename_columns([f"c{i}" for i in range(table.num_columns)])
        named = named.append_column(ROW, pa.array(range(table.num_rows), pa.int64()))
        return self.lookup(named)

    def fetch(self, expr: ir.Table) -> pa.Table:
        """Bring a small result over.

        DuckDB is asked directly: Ibis would import pandas for it, a fifth of a second.
        """
        if self.connection.name == "duckdb":
            return self.connection.con.sql(self.connection.compile(expr)).to_arrow_table()
        return expr.to_pyarrow()

    def lookup(self, table: pa.Table) -> ir.Table:
        """Lend a small Arrow table to the engine for a join."""
        import ibis  # noqa: PLC0415 - heavy

        if self.connection.name != "duckdb":
            return ibis.memtable(table)
        name = f"lookup_{next(self._names)}"
        self.connection.con.register(name, table)
        return self.connection.table(name)

    def group(self, table: ir.Table, keys: Sequence[ir.Value]) -> pa.Table:
        """Count the records of each combination of keys."""
        named = {f"k{i}": key for i, key in enumerate(keys)}
        return self.fetch(table.group_by(**named).agg(n=table.count()))

    def group_each(self, table: ir.Table, keys: Sequence[ir.Value], by: ir.Value | None) -> list[pa.Table]:
        """For each key by itself, count its values; in DuckDB all in one scan."""
        if self.connection.name != "duckdb":
            pairs = [[key] if by is None else [key, by] for key in keys]
            return [self.group(table, pair) for pair in pairs]
        columns = {f"k{i}": key for i, key in enumerate(keys)}
        query = self.connection.compile(table.select(**columns, **({} if by is None else {"beside": by})))
        together = "" if by is None else ", beside"
        names = ", ".join(columns)
        number = " ".join(f"+ {i} * (1 - grouping({key}))" for i, key in enumerate(columns))
        sets = ", ".join(f"({key}{together})" for key in columns)
        found = self.connection.con.sql(
            f"SELECT {names}{together}, count(*) AS n, {number} AS which FROM ({query}) GROUP BY GROUPING SETS ({sets})"  # noqa: S608
        ).to_arrow_table()
        which = as_numpy(found.column("which"))
        others = [] if by is None else ["beside"]
        return [found.filter(from_numpy(which == i)).select([k, *others, "n"]) for i, k in enumerate(columns)]

    def count_codes(
        self, table: ir.Table, lookups: Mapping[str, tuple[pa.Array, pa.Array, int | None]], sums: Sequence[str]
    ) -> pa.Table:
        """Recode columns by lookup tables and count the distinct coded rows.

        Joining a small table per column took a third of the time of nested
        CASE expressions at a million rows.

        Args:
            table: The records.
            lookups: For each column its keys, their codes, and the code of a missing cell, if there are some.
            sums: Columns that are added up over the records of a row.
        """
        import pyarrow as pa  # noqa: PLC0415 - heavy

        joined = table.select(*lookups, *sums)
        for i, (column, (keys, codes, _)) in enumerate(lookups.items()):
            small = self.lookup(pa.table({f"key{i}": keys, f"code{i}": codes}))
            cell = joined[column]
            if cell.type().is_string() and not small[f"key{i}"].type().is_string():
                cell = cell.cast(small[f"key{i}"].type())
            # A left join, because DuckDB reorders inner ones, five times slower.
            joined = joined.left_join(small, cell == small[f"key{i}"])
        coded = {
            f"k{i}": joined[f"code{i}"] if missing is None else joined[f"code{i}"].fill_null(missing)
            for i, (_, _, missing) in enumerate(lookups.values())
        }
        rows = joined.select(**coded, **{name: joined[name] for name in sums})
        found = self.fetch(rows.group_by(list(coded)).agg(n=rows.count(), **{name: rows[name].sum() for name in sums}))
        for name in sums:
            # DuckDB adds up 64-bit numbers in 128 bits.
            found = found.set_column(found.column_names.index(name), name, found.column(name).cast(pa.int64()))
        return found

    def relabel(self, table: ir.Table, columns: Mapping[str, Relabel]) -> ir.Table:
        """Rewrite columns as text, keeping the order of rows."""
        import ibis  # noqa: PLC0415 - heavy

        direct, joins = {}, {}
        for name, relabel in columns.items():
            texts: set[str | None] = {text for _, text in relabel.steps} or set(relabel.shown)
            if texts <= {relabel.missing} or (len(texts) == 1 and not relabel.has_missing):
                # One text for all: nothing to look up, and a constant costs the writer almost nothing.
                direct[name] = ibis.literal(next(iter(texts), relabel.missing), "string")
            elif relabel.steps:
                direct[name] = _by_steps(table[name], relabel)
            elif len(relabel.keys) <= MOST_CASES:
                direct[name] = _by_cases(table[name], relabel)
            else:
                joins[name] = relabel
        order = table.columns
        if joins and ROW not in table.columns:
            table = table.mutate(**{ROW: ibis.row_number()})
        for name, relabel in joins.items():
            table = self._by_lookup(table, name, relabel)
        table = table.mutate(**direct) if direct else table
        return table.order_by(ROW).select(*order) if joins else table

    def write(self, table: ir.Table, path: Path, names: Sequence[str], suffix: str, source: str) -> None:
        """Write a table under `names`; the suffix tells the format, `source` is what messages call the origin."""
        named = table.select(**{name: table[column] for name, column in zip(names, table.columns, strict=True)})
        try:
            if suffix.startswith(".arrow"):
                self._write_arrow(named, path, packed=suffix.endswith(".gz"))
            else:
                self._copy(named, path, suffix)
        except Exception as error:  # noqa: BLE001 - the database's, Arrow's and the system's types
            reason = _system_reason(error)
            if reason is None:
                msg = f"`{source}` could not be read to its end ({type(error).__name__}). It may be damaged."
                raise InputError(msg) from None
            msg = f"`{path.parent}` did not take the output: {reason}. Free space or choose another folder."
            raise WriteError(msg) from None

    def _by_lookup(self, table: ir.Table, name: str, relabel: Relabel) -> ir.Table:
        import ibis  # noqa: PLC0415 - heavy
        import pyarrow as pa  # noqa: PLC0415 - heavy

        small = self.lookup(pa.table({"lookup_key": relabel.keys, "lookup_text": pa.array(relabel.shown, pa.string())}))
        joined = table.left_join(small, table[name] == small["lookup_key"])
        text = ibis.ifelse(joined[name].isnull(), ibis.literal(relabel.missing, "string"), joined["lookup_text"])
        return joined.mutate(**{name: text}).drop("lookup_key", "lookup_text")

    def _write_arrow(self, table: ir.Table, path: Path, *, packed: bool) -> None:
        import pyarrow as pa  # noqa: PLC0415 - heavy

        with pa.output_stream(str(path), compression="gzip" if packed else None) as sink:
            found = self.fetch(table)
            with pa.ipc.new_file(sink, found.schema) as writer:
                writer.write_table(found)

    def _copy(self, table: ir.Table, path: Path, suffix: str) -> None:
        if suffix == ".parquet.gz":
            inner = path.with_name(path.name.removesuffix(".gz"))
            try:
                self._copy(table, inner, ".parquet")
                with inner.open("rb") as plain, gzip.open(path, "wb") as packed:
                    shutil.copyfileobj(plain, packed)
            finally:
                inner.unlink(missing_ok=True)
            return
        options = {
            ".csv": "FORMAT csv, HEADER, DELIMITER ','",
            ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
            ".parquet": "FORMAT parquet",
        }[suffix.removesuffix(".gz")]
        packing = ", COMPRESSION gzip" if suffix.endswith(".gz") else ""
        target = str(path).replace("'", "''")
        query = self.connection.compile(table)
        self.connection.raw_sql(f"COPY ({query}) TO '{target}' ({options}{packing})")


def _literal(path: Path) -> str:
    """A path as an SQL text that means this file and no pattern.

    >>> from pathlib import Path
    >>> _literal(Path("it's [1].csv"))
    "'it''s [[]1].csv'"
    """
    plain = re.sub(r"([\[*?])", r"[\1]", str(path))
    return "'" + plain.replace("'", "''") + "'"


def _start_duckdb(owner: Local) -> Any:
    """Start DuckDB in memory: what it spills stays in a private folder, and it fetches nothing from anywhere."""
    import duckdb  # noqa: PLC0415 - heavy

    spill = tempfile.mkdtemp(prefix="maskwise-")
    weakref.finalize(owner, shutil.rmtree, spill, ignore_errors=True)
    offline = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    return duckdb.connect(config={"temp_directory": spill, **offline})


def _by_steps(column: ir.Value, relabel: Relabel) -> ir.Value:
    import ibis  # noqa: PLC0415 - heavy

    if relabel.scale is not None and column.type().is_string():
        column = column.cast(_CASTS[relabel.scale])
    branches = [(column.isnull(), ibis.literal(relabel.missing, "string"))] if relabel.has_missing else []
    branches += [(column < end, ibis.literal(text)) for end, text in relabel.steps[:-1]]
    return ibis.cases(*branches, else_=ibis.literal(relabel.steps[-1][1]))


def _by_cases(column: ir.Value, relabel: Relabel) -> ir.Value:
    """The text that replaces most keys is the rest of the cases, so their list is never searched.

    A key that is shown as itself needs no text at all.
    """
    import ibis  # noqa: PLC0415 - heavy

    keys_of: dict[Any, list[Any]] = {}
    for key, text in zip(relabel.keys.to_pylist(), relabel.shown, strict=True):
        keys_of.setdefault(_SAME if key == text else text, []).append(key)

    def shown(text: Any) -> ir.Value:
        return column if text is _SAME else ibis.literal(text, "string")

    branches = [(column.isnull(), ibis.literal(relabel.missing, "string"))] if relabel.has_missing else []
    rest = max(keys_of, key=lambda text: len(keys_of[text]))
    branches += [(column.isin(keys), shown(text)) for text, keys in keys_of.items() if text is not rest]
    return ibis.cases(*branches, else_=shown(rest)) if branches else shown(rest)


def _system_reason(error: Exception) -> str | None:
    """The operating system's reason, if it is one, without anything of the query or the data."""
    text = str(error)
    for reason in (
        "No space left on device",
        "File too large",
        "Permission denied",
        "Read-only file system",
        "Disk quota exceeded",
    ):
        if reason in text:
            return reason.lower()
    return error.strerror if isinstance(error, OSError) else None


def _csv_complaint(path: Path, text: str) -> str:
    """Turn DuckDB's complaint, which quotes the line, into one that only numbers it."""
    found = re.search(r"Line: (\d+)", text)
    line = f", line {found[1]}" if found else ""
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        reason = f"it has {columns[2]} cells where the header has {columns[1]}"
    elif "unicode" in text.lower() or "utf-8" in text.lower():
        reason = "it is not UTF-8 text; save the file as UTF-8"
    elif "unterminated quote" in text:
        reason = "a quoted cell is never closed"
    elif "Maximum line size" in text:
        reason = "it is longer than 2 MB; a quote may never be closed"
    elif "state machine" in text:
        reason = "its line ends are mixed, or a quote stands inside a cell; save it with one kind of line end"
    else:
        reason = "it does not follow the csv format"
    return f"{path.name}{line} cannot be read: {reason}."
