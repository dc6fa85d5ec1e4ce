"""DuckDB through Ibis: files and data frames on this machine.

The four verbs are written against Ibis, so another backend needs only its own
ways of opening and writing. Errors of the database are told without its
message where that would quote a line of the data.
"""

from __future__ import annotations

import gzip
import re
import secrets
import shutil
import tempfile
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from maskwise.arrow import as_numpy, from_numpy
from maskwise.engines.complaints import csv_complaint, system_reason
from maskwise.errors import InputError, WriteError
from maskwise.typed import Scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines import Lookups, Relabel

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
        self._token = secrets.token_hex(4)
        self._n_names = 0
        self._lent: list[str] = []
        self._made: list[tuple[str, str]] = []
        self._duckdb = _start_duckdb(self) if connection is None else None
        self._connection = connection

    def _new_name(self) -> str:
        """A name that no table of the owner's has."""
        self._n_names += 1
        return f"maskwise_{self._token}_{self._n_names}"

    def forget(self) -> None:
        """Take back everything that was lent to the database or made in it on the way."""
        for kind, name in self._made:
            self.connection.con.execute(f"DROP {kind} IF EXISTS {name}")
        self._made.clear()
        for name in self._lent:
            self.connection.con.unregister(name)
        self._lent.clear()

    @property
    def connection(self) -> Any:
        """The Ibis backend; Ibis is imported only here, so that a csv can load meanwhile."""
        if self._connection is None:
            import ibis  # noqa: PLC0415 - heavy

            self._connection = ibis.duckdb.from_connection(self._duckdb)
        return self._connection

    def scan_csv(self, path: Path, delimiter: str, n_columns: int, *, load: bool) -> ir.Table:
        """Open a csv as text, so that columns that pass through keep every character."""
        what = self._new_name()
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
        database = self._duckdb if self._duckdb is not None else self.connection.con
        try:
            database.execute(
                f"CREATE TEMP {'TABLE' if load else 'VIEW'} {what} AS SELECT * FROM read_csv({_literal(path)}, "  # noqa: S608
                f"delim = '{delimiter}', quote = '\"', escape = '\"', header = true, auto_detect = false, "
                f"columns = {{{columns}}}, nullstr = '', allow_quoted_nulls = false, strict_mode = true, "
                f"hive_partitioning = false, compression = '{'gzip' if path.suffix == '.gz' else 'none'}')"
            )
        except Exception as error:  # noqa: BLE001 - the database's own types
            raise InputError(csv_complaint(path, str(error))) from None
        return self.connection.table(what)

    def scan_parquet(self, path: Path, n_columns: int) -> ir.Table:
        """Open a parquet file where it lies."""
        what = self._new_name()
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
        """Bring a small result over."""
        return self._query(self.connection.compile(expr)) if self._is_duckdb else expr.to_pyarrow()

    @property
    def _is_duckdb(self) -> bool:
        return bool(self.connection.name == "duckdb")

    def _query(self, query: str) -> pa.Table:
        """Ask DuckDB directly: Ibis would import pandas for it, a fifth of a second."""
        with _discreet():
            return self.connection.con.sql(query).to_arrow_table()

    def lookup(self, table: pa.Table) -> ir.Table:
        """Lend a small Arrow table to the engine for a join."""
        import ibis  # noqa: PLC0415 - heavy

        return self.connection.table(self._lend(table)) if self._is_duckdb else ibis.memtable(table)

    def _lend(self, table: pa.Table) -> str:
        name = self._new_name()
        self.connection.con.register(name, table)
        self._lent.append(name)
        return name

    def keep(self, table: ir.Table) -> ir.Table:
        """Make a table of its own from an expression, so that what was verified is what is handed out."""
        name = self._new_name()
        if not self._is_duckdb:
            return self.connection.create_table(name, table, temp=True)
        self.connection.con.execute(f"CREATE TEMP TABLE {name} AS {self.connection.compile(table)}")
        return self.connection.table(name)

    def discard(self, data: Any) -> None:
        """Remove a table that `keep` made; leave anything else alone."""
        if self._is_duckdb and type(data).__module__.startswith("ibis"):
            self.connection.con.execute(f"DROP TABLE IF EXISTS {data.get_name()}")

    def group(self, table: ir.Table, keys: Sequence[ir.Value]) -> pa.Table:
        """Count the records of each combination of keys."""
        named = {f"k{i}": key for i, key in enumerate(keys)}
        return self.fetch(table.group_by(**named).agg(n=table.count()))

    def group_each(self, table: ir.Table, keys: Sequence[ir.Value], by: ir.Value | None) -> list[pa.Table]:
        """For each key by itself, count its values; in DuckDB all in one scan."""
        if not self._is_duckdb:
            pairs = [[key] if by is None else [key, by] for key in keys]
            return [self.group(table, pair) for pair in pairs]
        columns = {f"k{i}": key for i, key in enumerate(keys)}
        beside = {} if by is None else {"beside": by}
        query = self.connection.compile(table.select(**columns, **beside))
        together = "".join(f", {name}" for name in beside)
        names = ", ".join(columns)
        number = " ".join(f"+ {i} * (1 - grouping({key}))" for i, key in enumerate(columns))
        sets = ", ".join(f"({key}{together})" for key in columns)
        found = self._query(
            f"SELECT {names}{together}, count(*) AS n, {number} AS which FROM ({query}) GROUP BY GROUPING SETS ({sets})"  # noqa: S608
        )
        which = as_numpy(found.column("which"))
        return [found.filter(from_numpy(which == i)).select([k, *beside, "n"]) for i, k in enumerate(columns)]

    def recode(self, table: ir.Table, lookups: Lookups, beside: Sequence[str], *, keep: bool) -> ir.Table:
        """Recode columns by lookup tables, each column under its own name, with others beside them.

        Joining a small table per column took a third of the time of nested
        CASE expressions at a million rows.

        Args:
            table: The records.
            lookups: For each column its keys, their codes, and the code of a missing cell, if there are some.
            beside: Columns that are left as they are.
            keep: Make a table of it, because it will be counted more than once.
        """
        import pyarrow as pa  # noqa: PLC0415 - heavy

        small = [pa.table({f"key{i}": keys, f"code{i}": codes}) for i, (keys, codes, _) in enumerate(lookups.values())]
        if not self._is_duckdb:
            coded = self._recode_anywhere(table, lookups, small, beside)
            return self.keep(coded) if keep else coded
        # One flat SELECT: building fifty joins in Ibis takes longer than running them. They are left joins, because
        # DuckDB reorders inner ones, five times slower.
        query = self.connection.compile(table.select(*lookups, *beside))
        joins, cells = [], [f"t.{name}" for name in beside]
        for i, (column, (keys, _, missing)) in enumerate(lookups.items()):
            is_cast = table[column].type().is_string() and str(keys.type) == "int64"
            cell = f"CAST(t.{column} AS BIGINT)" if is_cast else f"t.{column}"
            joins.append(f"LEFT JOIN {self._lend(small[i])} l{i} ON {cell} = l{i}.key{i}")
            code = f"l{i}.code{i}" if missing is None else f"coalesce(l{i}.code{i}, {missing})"
            cells.append(f"{code} AS {column}")
        name = self._new_name()
        kind = "TABLE" if keep else "VIEW"
        chosen = f"SELECT {', '.join(cells)} FROM ({query}) t {' '.join(joins)}"  # noqa: S608
        with _discreet():
            self.connection.con.execute(f"CREATE TEMP {kind} {name} AS {chosen}")
        self._made.append((kind, name))
        return self.connection.table(name)

    def _recode_anywhere(
        self, table: ir.Table, lookups: Lookups, small: Sequence[pa.Table], beside: Sequence[str]
    ) -> ir.Table:
        joined = table.select(*lookups, *beside)
        for i, column in enumerate(lookups):
            lent = self.lookup(small[i])
            cell, key = joined[column], lent[f"key{i}"]
            cell = cell.cast(key.type()) if cell.type().is_string() and not key.type().is_string() else cell
            joined = joined.left_join(lent, cell == key)
        coded = {
            column: joined[f"code{i}"] if missing is None else joined[f"code{i}"].fill_null(missing)
            for i, (column, (_, _, missing)) in enumerate(lookups.items())
        }
        return joined.select(**coded, **{name: joined[name] for name in beside})

    def count_rows(self, coded: ir.Table, columns: Sequence[str], sums: Sequence[str]) -> pa.Table:
        """Count the distinct rows of some columns and add up others, as those columns, n, and the sums."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        if self._is_duckdb:
            totals = "".join(f", sum({name}) AS {name}" for name in sums)
            keys = ", ".join(columns)
            found = self._query(f"SELECT {keys}, count(*) AS n{totals} FROM {coded.get_name()} GROUP BY {keys}")  # noqa: S608
        else:
            totals_of = {name: coded[name].sum() for name in sums}
            found = self.fetch(coded.group_by(list(columns)).agg(n=coded.count(), **totals_of))
        for name in sums:
            # Engines add up 64-bit numbers in wider ones.
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
        named = table.select([table[column].name(name) for name, column in zip(names, table.columns, strict=True)])
        try:
            if suffix.startswith(".arrow"):
                self._write_arrow(named, path, packed=suffix.endswith(".gz"))
            else:
                self._copy(named, path, suffix)
        except Exception as error:  # noqa: BLE001 - the database's, Arrow's and the system's types
            reason = system_reason(error)
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
        known = joined["lookup_text"].fill_null(relabel.root)
        text = ibis.ifelse(joined[name].isnull(), ibis.literal(relabel.missing, "string"), known)
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
                # No name and no time in it: the same table gives the same bytes.
                with (
                    inner.open("rb") as plain,
                    path.open("wb") as file,
                    gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
                ):
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


@contextmanager
def _discreet() -> Iterator[None]:
    """Tell that the database complained, but not what: it can quote cells."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the database's own types
        msg = f"The database could not read the table ({type(error).__name__}). It may be damaged or too large."
        raise InputError(msg) from None


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
    """Look each key up in a list; a key that is shown as itself needs no text.

    What is in no list is never shown as it is: it gets the text that replaces
    most keys, whose list is so never searched, or the root.
    """
    import ibis  # noqa: PLC0415 - heavy

    keys_of: dict[Any, list[Any]] = {}
    for key, text in zip(relabel.keys.to_pylist(), relabel.shown, strict=True):
        keys_of.setdefault(_SAME if key == text else text, []).append(key)
    texts = [text for text in keys_of if text is not _SAME]
    rest = max(texts, key=lambda text: len(keys_of[text]), default=relabel.root)
    branches = [(column.isnull(), ibis.literal(relabel.missing, "string"))] if relabel.has_missing else []
    branches += [
        (column.isin(keys), column if text is _SAME else ibis.literal(text, "string"))
        for text, keys in keys_of.items()
        if text is _SAME or text != rest
    ]
    return ibis.cases(*branches, else_=ibis.literal(rest, "string"))
