"""The verbs, in Ibis and plain SQL, on any of the databases."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.engines.base import ROW
from maskwise.engines.labels import by_cases, by_steps
from maskwise.engines.messages import refuse_out_of_memory, system_reason
from maskwise.engines.value_counts import Counts
from maskwise.errors import InputError, MaskwiseError, WriteError
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.base import Database, Lookup, Lookups, Relabel
    from maskwise.values.location import TableName

MOST_CASES = 512
"""Above so many distinct values a lookup table beats a CASE expression."""


class SqlEngine:
    """The verbs on one database."""

    def __init__(self, database: Database) -> None:
        """Start with nothing lent.

        Args:
            database: Who does the work.
        """
        self.database = database
        self._token = secrets.token_hex(4)
        self._n_names = 0
        self._made: list[str] = []

    @property
    def merges_texts(self) -> bool:
        """Whether the database may take different texts for equal, by a collation."""
        return self.database.merges_texts

    @property
    def keeps_order(self) -> bool:
        """Whether records stand in an order that means something."""
        return self.database.keeps_order

    @property
    def reads_files(self) -> bool:
        """Whether the engine sees the files that this process sees."""
        return self.database.reads_files

    def _new_name(self) -> str:
        """A name that no table of the owner's has."""
        self._n_names += 1
        return f"maskwise_{self._token}_{self._n_names}"

    def forget(self) -> None:
        """Take back everything that was lent to the database or made in it on the way."""
        for name in reversed(self._made):
            self.database.remove(name)
        self._made.clear()
        self.database.close()

    def scan_csv(self, paths: Sequence[Path], delimiter: str, n_columns: int, *, load: bool) -> ir.Table:
        """Open csv files as text, so that columns that pass through keep every character."""
        return self.database.open_csv(self._new_name(), paths, delimiter, n_columns, load=load)

    def scan_parquet(self, paths: Sequence[Path], n_columns: int) -> ir.Table:
        """Open parquet files where they lie."""
        table = self.database.open_parquet(self._new_name(), paths)
        row = {ROW: table[ROW]} if len(table.columns) > n_columns else {}
        return table.select(**{f"c{i}": table[table.columns[i]] for i in range(n_columns)}, **row)

    def scan_arrow(self, table: pa.Table) -> ir.Table:
        """Open an Arrow table; where each record stood is remembered beside its columns."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        named = table.rename_columns([f"c{i}" for i in range(table.num_columns)])
        return self.lookup(named.append_column(ROW, pa.array(range(table.num_rows), pa.int64())))

    def scan_table(self, name: Any) -> ir.Table:
        """Open a table of the database under its own column names."""
        return self.database.table(name)

    def fetch(self, expr: ir.Table) -> pa.Table:
        """Bring a small result over."""
        return self.database.query(self.database.connection.compile(expr))

    def lookup(self, table: pa.Table) -> ir.Table:
        """Lend a small Arrow table to the engine for a join."""
        return self.database.table(self._lend(table))

    def _lend(self, table: pa.Table) -> str:
        name = self._new_name()
        self.database.lend(name, table)
        self._made.append(name)
        return name

    def keep(self, table: ir.Table) -> ir.Table:
        """Make a table of its own from an expression, so that what was verified is what is handed out."""
        return self.database.table(self._kept(table))

    def _kept(self, table: ir.Table) -> str:
        name = self._new_name()
        self.database.make(name, self.database.connection.compile(table), view=False)
        return name

    def hand_over(self, table: ir.Table) -> Any:
        """Make a table of its own from an expression, as the kind of table that the database's users know."""
        return self.database.native(self._kept(table))

    def discard(self, data: Any) -> None:
        """Remove a table that `keep` made; leave anything else alone."""
        if type(data).__module__.startswith("ibis"):
            self.database.remove(data.op().name)
        elif type(data).__module__.startswith("pyspark"):
            data.unpersist()

    def by_bytes(self, value: ir.Value) -> ir.Value:
        """What to sort a column by, so that texts come in the order of their bytes."""
        return self.database.by_bytes(value)

    def by_chance(self) -> ir.Value:
        """What to sort records by, so that they come in an order that nobody can foresee."""
        return self.database.by_chance()

    def group(self, table: ir.Table, keys: Sequence[ir.Value]) -> pa.Table:
        """Count the records of each combination of keys."""
        named = {f"k{i}": key for i, key in enumerate(keys)}
        return self.fetch(table.group_by(**named).agg(n=table.count()))

    def group_each(self, table: ir.Table, keys: Sequence[ir.Value], by: ir.Value | None) -> Counts:
        """For each key by itself, count its values, all in one scan, and keep the counts."""
        columns = {f"k{i}": key for i, key in enumerate(keys)}
        beside = {} if by is None else {"beside": by}
        query = self.database.connection.compile(table.select(**columns, **beside))
        together = "".join(f", {name}" for name in beside)
        names = ", ".join(columns)
        number = " ".join(f"+ {i} * (1 - grouping({key}))" for i, key in enumerate(columns))
        sets = ", ".join(f"({key}{together})" for key in columns)
        name = self._new_name()
        counted = (
            f"SELECT {names}{together}, count(*) AS n, {number} AS which FROM ({query}) q "  # noqa: S608
            f"GROUP BY GROUPING SETS ({sets})"
        )
        self.database.make(name, counted, view=False)
        self._made.append(name)
        return Counts(self.database, name, len(columns), list(beside))

    def recode(self, table: ir.Table, lookups: Lookups, beside: Sequence[str], *, keep: bool) -> ir.Table:
        """Recode columns by lookup tables, each column under its own name, with others beside them.

        Joining a small table per column took a third of the time of nested
        CASE expressions at a million rows.

        Args:
            table: The records.
            lookups: For each column how it is recoded.
            beside: Columns that are left as they are.
            keep: Make a table of it, because it will be counted more than once.
        """
        # One flat SELECT: building fifty joins in Ibis takes longer than running them. They are left joins, because
        # DuckDB reorders inner ones, five times slower.
        chosen = {name: self._as_keys(table[name], how) for name, how in lookups.items()}
        query = self.database.connection.compile(table.select(**chosen, **{name: table[name] for name in beside}))
        joins, cells = [], [f"t.{name}" for name in beside]
        for i, (column, how) in enumerate(lookups.items()):
            join, code = self._code_of(f"t.{column}", i, how)
            joins.append(join)
            cells.append(f"{code} AS {column}")
        name = self._new_name()
        coded = f"SELECT {', '.join(cells)} FROM ({query}) t {' '.join(joins)}"  # noqa: S608
        self.database.make(name, coded, view=not keep)
        self._made.append(name)
        return self.database.table(name)

    def _as_keys(self, cell: ir.Value, how: Lookup | Relabel) -> ir.Value:
        """A text as what it is looked up as: whole numbers, or the numbers and times that ranges are of."""
        import ibis  # noqa: PLC0415 - heavy
        import pyarrow as pa  # noqa: PLC0415 - heavy

        if not cell.type().is_string() or pa.types.is_string(how.keys.type):
            return cell
        return cell.cast(ibis.dtype(how.keys.type))

    def _code_of(self, cell: str, i: int, how: Lookup) -> tuple[str, str]:
        """What to join to find the code of a cell, and the code."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        if how.codes is None:
            join, code = self._range_of(cell, how.keys)
        else:
            lent = self._lend(pa.table({f"key{i}": how.keys, f"code{i}": how.codes}))
            join, code = f"LEFT JOIN {lent} ON {cell} = {lent}.key{i}", f"{lent}.code{i}"
        if how.codes is None or how.other is not None:
            other = code if how.other is None else f"coalesce({code}, {how.other})"
            return (
                join,
                other if how.missing is None else f"CASE WHEN {cell} IS NULL THEN {how.missing} ELSE {other} END",
            )
        return join, code if how.missing is None else f"coalesce({code}, {how.missing})"

    def _range_of(self, cell: str, lows: pa.Array) -> tuple[str, str]:
        import pyarrow as pa  # noqa: PLC0415 - heavy

        return self.database.range_of(cell, lows, self._lend(pa.table({"low": lows, "code": _numbers(len(lows))})))

    def count_rows(
        self, coded: ir.Table, columns: Sequence[str], sums: Sequence[str]
    ) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Count the distinct rows of some columns and add up others, as those columns, n, and the sums."""
        # Engines add up 64-bit numbers in wider ones.
        totals = "".join(f", CAST(sum({name}) AS BIGINT) AS {name}" for name in sums)
        keys = ", ".join(columns)
        return self.database.stream(f"SELECT {keys}, count(*) AS n{totals} FROM {coded.get_name()} GROUP BY {keys}")  # noqa: S608

    def relabel(self, table: ir.Table, columns: Mapping[str, Relabel]) -> ir.Table:
        """Rewrite columns as text, keeping the order of rows where there is one."""
        import ibis  # noqa: PLC0415 - heavy

        direct: dict[str, Relabel] = {}
        joins: dict[str, Relabel] = {}
        for name, relabel in columns.items():
            is_short = bool(relabel.steps) or (len(relabel.keys) <= MOST_CASES and not relabel.is_ranged)
            (direct if is_short or _one_text(relabel) else joins)[name] = relabel
        order = table.columns
        if joins and self.keeps_order and ROW not in table.columns:
            table = table.mutate(**{ROW: ibis.row_number()})
        for name, relabel in joins.items():
            table = self._by_range(table, name, relabel) if relabel.is_ranged else self._by_lookup(table, name, relabel)
        if direct:
            table = table.mutate(**{name: _directly(table[name], relabel) for name, relabel in direct.items()})
        if joins and ROW in table.columns:
            table = table.order_by(ROW)
        return table.select(*order) if joins else table

    def _by_lookup(self, table: ir.Table, name: str, relabel: Relabel) -> ir.Table:
        import ibis  # noqa: PLC0415 - heavy
        import pyarrow as pa  # noqa: PLC0415 - heavy

        small = self.lookup(pa.table({"lookup_key": relabel.keys, "lookup_text": pa.array(relabel.shown, pa.string())}))
        joined = table.left_join(small, table[name] == small["lookup_key"])
        known = joined["lookup_text"].fill_null(relabel.root)
        text = ibis.ifelse(joined[name].isnull(), ibis.literal(relabel.missing, "string"), known)
        return joined.mutate(**{name: text}).drop("lookup_key", "lookup_text")

    def _by_range(self, table: ir.Table, name: str, relabel: Relabel) -> ir.Table:
        """Number the range that each cell falls into, and look the number up."""
        query = self.database.connection.compile(table.mutate(range_cell=self._as_keys(table[name], relabel)))
        join, code = self._range_of("t.range_cell", relabel.keys)
        view = self._new_name()
        ranged = (
            f"SELECT t.*, CASE WHEN t.range_cell IS NULL THEN NULL ELSE {code} END AS range_of FROM ({query}) t {join}"  # noqa: S608
        )
        self.database.make(view, ranged, view=True)
        self._made.append(view)
        found = self.database.table(view)
        kept = [column for column in table.columns if column != name]
        numbered = found.select(*kept, **{name: found["range_of"]})
        return self._by_lookup(numbered, name, replace(relabel, keys=_numbers(len(relabel.keys))))

    def write(self, table: ir.Table, path: Path, names: Sequence[str], suffix: str, source: str) -> None:
        """Write a table under `names`; the suffix tells the format, `source` is what messages call the origin."""
        with self._complaining(path, source):
            self.database.write(self._named(table, names), path, suffix)

    def write_folder(self, table: ir.Table, folder: Path, names: Sequence[str]) -> None:
        """Write a table as parquet files into a folder."""
        with self._complaining(folder, "The table"):
            self.database.write_folder(self._named(table, names), folder)

    @contextmanager
    def _complaining(self, path: Path, source: str) -> Iterator[None]:
        """Tell a full disk from a damaged source."""
        try:
            yield
        except MaskwiseError:
            raise
        except Exception as error:  # noqa: BLE001 - the database's, Arrow's and the system's types
            refuse_out_of_memory(error)
            reason = system_reason(error)
            if str(path).removesuffix(".gz") in (reason or str(error)):
                reason = "no file can be made there"
            if reason is None:
                msg = f"`{source}` could not be read to its end ({type(error).__name__}). It may be damaged."
                raise InputError(msg) from None
            msg = f"The output could not be written to `{path.parent}`: {reason}. Free space or choose another folder."
            raise WriteError(msg) from None

    def _named(self, table: ir.Table, names: Sequence[str]) -> str:
        named = table.select([table[column].name(name) for name, column in zip(names, table.columns, strict=True)])
        return str(self.database.connection.compile(named))

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that cannot be written, or is the source, before any work is done."""
        self.database.check_target(target, source)

    @contextmanager
    def appearing(self, table: ir.Table, target: TableName, names: Sequence[str]) -> Iterator[ir.Table]:
        """Write a table under a temporary name and give it to read; it gets its name if the block ends well."""
        with self.database.appearing(self._named(table, names), target, self._new_name()) as written:
            yield written


def _one_text(relabel: Relabel) -> list[str | None]:
    """The one text that replaces all cells, if it is one."""
    texts: set[str | None] = {text for _, text in relabel.steps} or set(relabel.shown)
    texts |= {relabel.root} if relabel.has_others else set()
    is_one = texts <= {relabel.missing} or (len(texts) == 1 and not relabel.has_missing)
    return [next(iter(texts), relabel.missing)] if is_one else []


def _directly(cell: ir.Value, relabel: Relabel) -> ir.Value:
    """Rewrite a cell without a join."""
    import ibis  # noqa: PLC0415 - heavy

    for text in _one_text(relabel):
        # Nothing to look up, and a constant costs the writer almost nothing.
        return ibis.literal(text, "string")
    return by_steps(cell, relabel) if relabel.steps else by_cases(cell, relabel)


def _numbers(n: int) -> pa.Array:
    """The numbers of so many ranges."""
    return from_numpy(np.arange(n, dtype=np.int32))
