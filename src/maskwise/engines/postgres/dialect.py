"""PostgreSQL: tables where they are, the whole run in one transaction.

One snapshot serves every scan, so a table that others write to meanwhile is
seen as it was. Whatever ends the run early, the server takes back all of it.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import ibis
import numpy as np
import psycopg
from psycopg import sql as pg

from maskwise.engines import defaults
from maskwise.engines.base import Feature, Gap
from maskwise.engines.error_messages import missing_table, refuse_input_as_target
from maskwise.engines.postgres import error_messages, estimates, types
from maskwise.engines.postgres.code_expressions import code_expression
from maskwise.engines.postgres.error_messages import translate_errors, translated
from maskwise.engines.postgres.results import read_result
from maskwise.engines.postgres.settings import ask_for_memory
from maskwise.engines.postgres.source_tables import tables_of
from maskwise.engines.postgres.value_bundles import bundled_sql, choose_bundles
from maskwise.errors import InputError, WriteError
from maskwise.values.location import TableName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.engines.base import Lookup

_NO_COLLATION = '"default"'
"""What PostgreSQL calls the collation of the database, which is always deterministic."""
_CANCEL_SECONDS = 2.0
"""So many seconds the server has to take note of a cancelled query."""
_SAMPLE = 10
"""Statistics of so many frequent values are taken of what was written, from 3,000 of its records."""
_MOST_LISTED = 256
"""A view lists so many rows at most."""
_LEAST_REPEATED = 16
"""Of so many records a row has to stand for, or they are not counted by rows. Of several columns without a bound the
planner supposes a tenth of the records, whatever they are."""
_CHECKS_INPUT = 160_000
"""The first version that can say whether a text is spelled as a type wants it."""


_READS = """
WITH RECURSIVE edges(above, below) AS (
  SELECT w.ev_class, d.refobjid FROM pg_rewrite w JOIN pg_depend d
    ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
  UNION ALL SELECT inhparent, inhrelid FROM pg_inherits
  UNION ALL SELECT inhrelid, inhparent FROM pg_inherits
), reads(oid) AS (
  SELECT to_regclass({})::oid UNION SELECT e.below FROM reads r JOIN edges e ON e.above = r.oid
)
SELECT coalesce(to_regclass({})::oid IN (SELECT oid FROM reads WHERE oid IS NOT NULL), false)
"""
"""Whether a source reads a target: itself, through views, or as a part of the same partitioned table."""


class Postgres:
    """A connection of our own, or the owner's through Ibis."""

    name: ClassVar[str] = "PostgreSQL"
    gaps: ClassVar[Mapping[Feature, Gap]] = {
        Feature.FILES: Gap.NEVER,
        Feature.RECORD_ORDER: Gap.NEVER,
        Feature.LOCAL_RECORDS: Gap.NEVER,
    }

    packs_codes: ClassVar[bool] = True
    most_held = 0
    fence: ClassVar[str] = " OFFSET 0"

    open_files = defaults.refuse_files
    pairs_sql = defaults.pairs_sql
    beside = defaults.nothing_beside
    hash_input = defaults.as_text
    as_native = defaults.as_ibis_table
    write = defaults.write
    version = defaults.version
    source_files = defaults.no_files
    in_random_order = defaults.in_random_order
    n_smaller_sql = defaults.n_smaller_sql

    def __init__(self, source: Any, *, writes: bool = False, memory: int | None = None) -> None:
        """Connect.

        Args:
            source: An address such as `postgres://user@host/database`, or an Ibis backend of the owner's.
            writes: Means nothing here: the server knows who may write.
            memory: How many bytes a run may use, the server's part among them. Without it, and on a connection of the
                owner's, the server goes by its own settings.
        """
        del writes
        self._is_own = isinstance(source, str)
        self._backend = None if self._is_own else source
        self._connection: Any = _connect(source) if self._is_own else source.con
        if self._is_own and memory is not None:
            ask_for_memory(self._connection, memory)

    @property
    def backend(self) -> Any:
        """The Ibis backend that spells expressions as SQL."""
        if self._backend is None:
            with translate_errors():
                self._backend = ibis.postgres.from_connection(self._connection)
        return self._backend

    def table(self, source: Any) -> ir.Table:
        """Open a table by its name, or an Ibis table; a column of a type that Arrow does not know is text."""
        if not isinstance(source, str | TableName):
            return self._without_collations(source)
        place = TableName(source) if isinstance(source, str) else source
        found = self._describe(pg.SQL("SELECT * FROM {}").format(_identifier(place)), place)
        schema = ibis.schema({column.name: types.ibis_type(column) for column in found})
        if not self._is_own and isinstance(source, str):
            return self.backend.table(source, database=self._temporary_schema())
        opened = ibis.table(schema, name=place.name, database=place.schema)
        odd = [column.name for column in found if not types.has_arrow_type(column)]
        opened = opened.mutate(**{name: opened[name].cast("string") for name in odd}) if odd else opened
        # What we made ourselves holds labels, codes, and texts that were read without a collation.
        return opened if isinstance(source, str) else self._without_collations(opened)

    def _without_collations(self, opened: ir.Table) -> ir.Table:
        """Read texts without a collation of their own.

        One that is not deterministic, and citext, take `hiv` and `HIV` for
        equal: they would be one group, of which only one spelling is shown, so
        that a protected value could be missed.
        """
        query = pg.SQL(self.backend.compile(opened))
        plain = [column.name for column in self._describe(query) if types.is_text(column)]
        # Joined on false nothing is scanned, and the types of the columns are still known.
        ask = pg.SQL("SELECT ARRAY[{}]::text[] FROM (SELECT 1) one LEFT JOIN ({}) q ON false")
        of_each = [pg.SQL("pg_collation_for({})").format(pg.Identifier("q", name)) for name in plain]
        found = self._run(ask.format(pg.SQL(", ").join(of_each), query)).fetchone()[0]
        fine = {name for name, collation in zip(plain, found, strict=True) if collation == _NO_COLLATION}
        odd = {name for name, kind in opened.schema().items() if kind.is_string()} - fine
        if not odd:
            return opened
        bare, other = pg.SQL('CAST({0} AS text) COLLATE "C" AS {0}'), pg.SQL("{0}")
        cells = [(bare if name in odd else other).format(pg.Identifier(name)) for name in opened.columns]
        read = pg.SQL("SELECT {} FROM ({}) q").format(pg.SQL(", ").join(cells), query)
        return self.backend.sql(read.as_string(self._connection), schema=opened.schema(), dialect="postgres")

    def _user(self) -> str:
        return str(self._connection.info.user)

    def _temporary_schema(self) -> str:
        found = self._run(pg.SQL("SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()")).fetchone()
        return str(found[0])

    def _describe(self, query: pg.Composed, place: TableName | None = None) -> Sequence[psycopg.Column]:
        try:
            # What fails in here takes back only itself: a connection may be its owner's, in the middle of work.
            with self._connection.transaction():
                cursor = self._connection.execute(pg.SQL("SELECT * FROM ({}) q LIMIT 0").format(query))
        except psycopg.errors.UndefinedTable:
            if place is None:
                raise
            known = self._run(pg.SQL("SELECT relname FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'p', 'f')"))
            raise missing_table(place, [row[0] for row in known.fetchall()]) from None
        except psycopg.errors.InsufficientPrivilege:
            raise InputError(error_messages.no_right_to_read(place or "the table", self._user())) from None
        except psycopg.Error as error:
            raise translated(error) from None
        described: Sequence[psycopg.Column] = cursor.description
        return described

    @contextmanager
    def stream(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        """Run a query and read its result batch by batch."""
        with translate_errors():
            schema = types.arrow_schema(self._describe(pg.SQL(sql)))
            with read_result(self._connection, sql, schema) as batches:
                yield batches

    def register(self, name: str, table: pa.Table) -> None:
        """Copy a small table into a temporary one, or have a view list a very small one, which all workers can read."""
        if 0 < table.num_rows <= _MOST_LISTED:
            self.create(name, types.as_values(table), view=True)
            return
        columns = [pg.SQL("{} {}").format(pg.Identifier(f.name), pg.SQL(types.sql_type(f.type))) for f in table.schema]
        with self._creating_temporary():
            create = pg.SQL("CREATE TEMP TABLE {} ({}) {}")
            self._connection.execute(create.format(pg.Identifier(name), pg.SQL(", ").join(columns), self._lifetime()))
            with (
                self._connection.cursor() as cursor,
                cursor.copy(pg.SQL("COPY {} FROM STDIN (FORMAT csv)").format(pg.Identifier(name))) as copied,
            ):
                copied.write(types.as_csv(table))
            # Without statistics the planner takes a lookup for a thousand times its size.
            self._connection.execute(pg.SQL("ANALYZE {}").format(pg.Identifier(name)))

    def create(self, name: str, sql: str, *, view: bool) -> None:
        """Create a temporary table or view."""
        kind, lifetime = (pg.SQL("VIEW"), pg.SQL("")) if view else (pg.SQL("TABLE"), self._lifetime())
        with self._creating_temporary():
            create = pg.SQL("CREATE TEMP {} {} {} AS {}")
            self._connection.execute(create.format(kind, pg.Identifier(name), lifetime, pg.SQL(sql)))

    def _lifetime(self) -> pg.SQL:
        """Drop a table with our own transaction, not a moment later when the server notices that we have left."""
        return pg.SQL("ON COMMIT DROP" if self._is_own else "")

    @contextmanager
    def _creating_temporary(self) -> Iterator[None]:
        """Name the right that is missing, if temporary tables may not be made."""
        with translate_errors():
            try:
                with self._connection.transaction():
                    yield
            except psycopg.errors.InsufficientPrivilege:
                database = self._connection.info.dbname
                raise InputError(error_messages.no_right_to_temporary_tables(database, self._user())) from None

    def drop(self, name: str) -> None:
        """Drop a temporary table or view; those of our own connection go with it."""
        if not self._is_own:
            kind = self._run(pg.SQL("SELECT relkind FROM pg_class WHERE relname = {}").format(name)).fetchone()
            what = pg.SQL("VIEW" if kind and kind[0] == "v" else "TABLE")
            self._run(pg.SQL("DROP {} IF EXISTS {}").format(what, pg.Identifier(name)))

    def try_cast(self, text: ir.Value, kind: str) -> ir.Value:
        """Read texts as another type; one that cannot be read is missing, or before version 16 refused."""
        if self.stops_at_unreadable():
            return text.cast(kind)

        def is_valid(text: str, kind: str) -> bool:
            raise NotImplementedError  # the server's own

        builtin = ibis.udf.scalar.builtin(is_valid, name="pg_input_is_valid")
        spelled = types.sql_type(ibis.dtype(kind).to_pyarrow())
        return ibis.ifelse(builtin(text, spelled), text.cast(kind), ibis.null(kind))

    def stops_at_unreadable(self) -> bool:
        """Before version 16 a text cannot be tried."""
        return bool(self._connection.info.server_version < _CHECKS_INPUT)

    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """Search a sorted list, which the server makes once."""
        # Servers before 14 want one type on both sides.
        number = f"CAST({cell} AS {types.sql_type(lows.type)})"
        return "", f"width_bucket({number}, (SELECT array_agg(low ORDER BY low) FROM {registered})) - 1"  # noqa: S608

    def code_cell(self, cell: str, kind: dt.DataType, how: Lookup) -> str | None:
        """Code few texts and whole numbers by an expression, where every scan sees the table as it was counted."""
        return code_expression(cell, kind, how, self._hash_texts) if self._is_own else None

    def _hash_texts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        query = "SELECT hashtextextended(text, 0) FROM unnest(%s::text[]) WITH ORDINALITY AS t (text, i) ORDER BY i"
        with translate_errors():
            return np.array(self._connection.execute(query, [list(texts)]).fetchall(), np.int64)[:, 0]

    def values_sql(self, records: str, keys: Sequence[str], beside: Sequence[str]) -> str:
        """Count columns with few values together, as the server's statistics tell them."""
        sizes = [estimates.n_rows(self._run, records, [key]) for key in keys]
        n_classes = estimates.n_rows(self._run, records, beside) if beside else 1
        return bundled_sql(records, keys, beside, choose_bundles(sizes, n_classes))

    def repeats_rows(self, records: str, columns: Sequence[str]) -> bool:
        """Compare the planner's estimates of rows and of records."""
        n_rows = estimates.n_rows(self._run, records, columns)
        return _LEAST_REPEATED * n_rows <= estimates.n_rows(self._run, records)

    def random_order(self) -> ir.Value:
        """Hash a random number with secret ones."""
        return types.secret_order()

    def cell_hash(self, cell: str, number: int) -> str:
        """Hash the text with the number as the seed."""
        return f"coalesce(hashtextextended({cell}, {number}), hashint8extended({number}, -1))"

    def exclusive_or(self, first: str, second: str) -> str:
        """`^` is a power here."""
        return f"({first} # {second})"

    def byte_order(self, value: ir.Value) -> ir.Value:
        """Sort texts by their bytes, whatever the collation."""
        return types.bytes_of(value, "UTF8") if value.type().is_string() else value

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that may not be made, or is the source."""
        may = "SELECT has_schema_privilege(coalesce({}, current_schema()), 'CREATE')"
        try:
            allowed = self._connection.execute(pg.SQL(may).format(target.schema)).fetchone()[0]
        except psycopg.errors.InvalidSchemaName:
            msg = f"There is no schema `{target.schema}` in the database. Create it first."
            raise WriteError(msg) from None
        if not allowed:
            schema = target.schema or self._run(pg.SQL("SELECT current_schema()")).fetchone()[0]
            msg = (
                f"You may not create `{target}` in the database. Name a table in another schema, or ask the schema's "
                f"owner for: GRANT CREATE ON SCHEMA {schema} TO {self._user()};"
            )
            raise WriteError(msg)
        for read in tables_of(source):
            places = [_identifier(place).as_string(self._connection) for place in (read, target)]
            if self._run(pg.SQL(_READS).format(*places)).fetchone()[0]:
                refuse_input_as_target(target)

    @contextmanager
    def draft_table(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table, and rename and commit it only at the end."""
        place = TableName(draft, target.schema)
        with translate_errors(target), self._transaction():
            self._connection.execute(pg.SQL("CREATE TABLE {} AS {}").format(_identifier(place), pg.SQL(sql)))
            # Without it the planner may sort all records to find a few groups.
            self._connection.execute(pg.SQL("SET LOCAL default_statistics_target = {}").format(_SAMPLE))
            self._connection.execute(pg.SQL("ANALYZE {}").format(_identifier(place)))
            yield self.table(place)
            self._connection.execute(pg.SQL("SET LOCAL lock_timeout = {}").format(f"{error_messages.LOCK_SECONDS}s"))
            # Two runs with one target come one after the other, also if there is no such table yet.
            self._connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"maskwise {target}"])
            self._connection.execute(pg.SQL("DROP TABLE IF EXISTS {}").format(_identifier(target)))
            rename = pg.SQL("ALTER TABLE {} RENAME TO {}").format(_identifier(place), pg.Identifier(target.name))
            self._connection.execute(rename)
        if self._is_own:
            self._commit(target)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._is_own:
            yield
            return
        with self._connection.transaction():
            yield

    def _commit(self, target: TableName) -> None:
        try:
            self._connection.commit()
        except psycopg.Error:
            msg = f"The database was lost while it took `{target}` in. Look whether the table is there; it is whole."
            raise WriteError(msg) from None

    def _run(self, query: Any) -> Any:
        with translate_errors():
            return self._connection.execute(query)

    def interrupt(self) -> None:
        """Have the server cancel the query; a savepoint before each long one keeps the transaction usable."""
        with suppress(psycopg.Error):  # the query may be over already
            self._connection.cancel_safe(timeout=_CANCEL_SECONDS)

    def close(self) -> None:
        """End a connection of our own; what was not committed is gone."""
        if self._is_own:
            self._connection.close()


def _connect(address: str) -> Any:
    try:
        host = psycopg.conninfo.conninfo_to_dict(address).get("host", "this machine")
    except psycopg.Error:
        # PostgreSQL's own words quote the address, and with it a password.
        raise InputError(
            "The address of the database cannot be read. Write it as postgres://user:password@host:port/database, "
            "with %25 for a percent sign and %40 for an at sign in the password."
        ) from None
    try:
        database = psycopg.connect(address, application_name="maskwise")
    except psycopg.Error as error:
        reason = "the password or user is not accepted" if "authentication" in str(error) else "it does not answer"
        msg = f"The database on {host} cannot be reached: {reason}. Check the address, the user and the password."
        raise InputError(msg) from None
    database.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    # While the search runs the server hears nothing from us.
    database.execute("SET idle_in_transaction_session_timeout = 0")
    return database


def _identifier(name: TableName) -> pg.Identifier:
    return pg.Identifier(name.name) if name.schema is None else pg.Identifier(name.schema, name.name)
