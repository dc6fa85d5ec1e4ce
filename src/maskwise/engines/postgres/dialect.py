"""PostgreSQL: tables where they are, the whole run in one transaction.

One snapshot serves every scan, so a table that others write to meanwhile is
seen as it was. Whatever ends the run early, the server takes back all of it.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import ibis
import ibis.expr.operations as ops
import psycopg
from psycopg import sql as pg

from maskwise.engines.base import Feature, Gap
from maskwise.engines.dialect import Dialect
from maskwise.engines.error_messages import missing_table, refuse_input_as_target
from maskwise.engines.postgres import cells, error_messages
from maskwise.engines.postgres.error_messages import translate_errors, translated
from maskwise.errors import InputError, WriteError
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import TableName
from maskwise.values.memory import for_engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import ibis.expr.types as ir
    import pyarrow as pa

_NO_COLLATION = '"default"'
"""What PostgreSQL calls the collation of the database, which is always deterministic."""
_CANCEL_SECONDS = 2.0
"""So many seconds the server has to take note of a cancelled query."""
_SAMPLE = 10
"""Statistics of so many frequent values are taken of what was written, from 3,000 of its records."""
_MOST_LISTED = 1 << 12
"""A view lists so many rows at most; all workers can read it, and no temporary table."""
_CHECKS_INPUT = 160_000
"""The first version that can say whether a text is spelled as a type wants it."""
_LEAST_WORK_MEM, _MOST_WORK_MEM = 64, (1 << 31) - 1
"""The kilobytes that PostgreSQL takes as work_mem."""
_OF_WORKER = 256 << 20
"""A further worker has to have so many bytes."""
_HASHES = 2
"""A hash table may have so many times work_mem, which is what servers from version 15 on take by themselves."""


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


class Postgres(Dialect):
    """A connection of our own, or the owner's through Ibis."""

    name: ClassVar[str] = "PostgreSQL"
    gaps: Mapping[Feature, Gap] = {
        Feature.FILES: Gap.NEVER,
        Feature.RECORD_ORDER: Gap.NEVER,
        Feature.LOCAL_RECORDS: Gap.NEVER,
    }

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
        self._connection: Any = _connect(source) if self._is_own else source.con
        with translate_errors():
            self._backend = ibis.postgres.from_connection(self._connection) if self._is_own else source
        if self._connection.info.server_version < _CHECKS_INPUT:
            self.gaps = {**self.gaps, Feature.UNREADABLE_TEXTS: Gap.NOTYET}
        if self._is_own and memory is not None:
            _ask_for_memory(self._connection, memory)

    @property
    def backend(self) -> Any:
        """The Ibis backend that spells expressions as SQL."""
        return self._backend

    def table(self, source: Any) -> ir.Table:
        """Open a table by its name, or an Ibis table; a column of a type that Arrow does not know is text."""
        if not isinstance(source, str | TableName):
            return self._without_collations(source)
        place = TableName(source) if isinstance(source, str) else source
        found = self._describe(pg.SQL("SELECT * FROM {}").format(_identifier(place)), place)
        schema = ibis.schema({column.name: cells.ibis_type(column) for column in found})
        if not self._is_own and isinstance(source, str):
            return self.backend.table(source, database=self._temporary_schema())
        opened = ibis.table(schema, name=place.name, database=place.schema)
        odd = [column.name for column in found if not cells.has_arrow_type(column)]
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
        plain = [column.name for column in self._describe(query) if cells.is_text(column)]
        # Joined on false nothing is scanned, and the types of the columns are still known.
        ask = pg.SQL("SELECT ARRAY[{}]::text[] FROM (SELECT 1) one LEFT JOIN ({}) q ON false")
        of_each = [pg.SQL("pg_collation_for({})").format(pg.Identifier("q", name)) for name in plain]
        found = self._run(ask.format(pg.SQL(", ").join(of_each), query)).fetchone()[0]
        fine = {name for name, collation in zip(plain, found, strict=True) if collation == _NO_COLLATION}
        odd = {name for name, kind in opened.schema().items() if kind.is_string()} - fine
        if not odd:
            return opened
        bare, other = pg.SQL('CAST({0} AS text) COLLATE "C" AS {0}'), pg.SQL("{0}")
        listed = [(bare if name in odd else other).format(pg.Identifier(name)) for name in opened.columns]
        read = pg.SQL("SELECT {} FROM ({}) q").format(pg.SQL(", ").join(listed), query)
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
            schema = cells.arrow_schema(self._describe(pg.SQL(sql)))
            copy = pg.SQL("COPY ({}) TO STDOUT (FORMAT csv, NULL '\\N')").format(pg.SQL(sql))
            # What fails takes back only the query, so that the transaction stays usable.
            with (
                self._connection.transaction(),
                self._connection.cursor() as cursor,
                cursor.copy(copy) as copied,
                cells.read_csv(iter(copied), schema) as batches,
            ):
                yield batches

    def register(self, name: str, table: pa.Table) -> None:
        """Have a view list a small table; make a temporary one of others."""
        listed = cells.listed_sql(table).as_string(self._connection)
        self.create(name, listed, view=table.num_rows <= _MOST_LISTED)
        if table.num_rows > _MOST_LISTED:
            # Without statistics the planner takes a lookup for a thousand times its size.
            self._run(pg.SQL("ANALYZE {}").format(pg.Identifier(name)))

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
        if Feature.UNREADABLE_TEXTS in self.gaps:
            return text.cast(kind)
        is_readable = _builtin("pg_input_is_valid", "boolean", text, cells.sql_type(ibis.dtype(kind).to_pyarrow()))
        return ibis.ifelse(is_readable, text.cast(kind), ibis.null(kind))

    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """Search a sorted list, which the server makes once."""
        # Servers before 14 want one type on both sides.
        number = f"CAST({cell} AS {cells.sql_type(lows.type)})"
        return "", f"width_bucket({number}, (SELECT array_agg(low ORDER BY low) FROM {registered})) - 1"  # noqa: S608

    def random_order(self) -> ir.Value:
        """Hash a random number twice, each time with a secret of this call.

        Whoever knows where some records went would have to guess 128 bits and the state of the server's generator, from
        nothing but an order. In seconds for a million records: 0.1, where a random identifier took 3.9.
        """
        first, second = (secrets.randbits(64) - (1 << 63) for _ in range(2))
        drawn = _builtin("hashfloat8extended", "int64", ibis.random(), first)
        return _builtin("hashint8extended", "int64", drawn, second)

    def cell_hash(self, cell: str, number: int) -> str:
        """Hash the text with the number as the seed."""
        return f"coalesce(hashtextextended({cell}, {number}), hashint8extended({number}, -1))"

    def byte_order(self, value: ir.Value) -> ir.Value:
        """Sort texts by their bytes, whatever the collation."""
        return _builtin("convert_to", "binary", value, "UTF8") if value.type().is_string() else value

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
        for read in _tables_of(source):
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


def _tables_of(source: Any) -> list[TableName]:
    """The tables and views that a source names; none for anything that is no table of a database."""
    if isinstance(source, TableName):
        return [source]
    if input_kind(source) is not InputKind.IBIS_TABLE:
        return []
    named = source.op().find((ops.DatabaseTable, ops.UnboundTable))
    return [TableName(one.name, one.namespace.database) for one in named]


def _builtin(name: str, returns: str, value: ir.Value, constant: str | int) -> Any:
    """A function of the server's own, as an expression."""
    kinds = value.type(), ibis.literal(constant).type()
    return ibis.udf.scalar.builtin(lambda _value, _constant: None, name=name, signature=(kinds, returns))(
        value, constant
    )


def share_memory(memory: int, n_workers: int, most_workers: int) -> tuple[int, int]:
    """Share a run's memory among a query and its workers: the kilobytes of `work_mem`, and how many workers.

    Where the server's owner allows no workers there are none; otherwise there are at least as many as the server gives
    every query, and more only up to half of all that it has, because others want some, too.

    Args:
        memory: How many bytes the run may use, in all.
        n_workers: How many workers the server gives a query.
        most_workers: How many it has in all.

    >>> share_memory(4 << 30, 2, 8)
    (314572, 4)
    """
    share = for_engine(memory)
    if n_workers:
        n_workers = min(max(n_workers, min(most_workers // 2, share // _OF_WORKER)), most_workers)
    work_mem = (share // (_HASHES * (n_workers + 1))) >> 10
    return min(max(work_mem, _LEAST_WORK_MEM), _MOST_WORK_MEM), n_workers


def _ask_for_memory(connection: Any, memory: int) -> None:
    """Set what the queries of our own transaction may use; what the server's owner does not allow is left as it is."""
    names = ("max_parallel_workers_per_gather", "max_parallel_workers")
    allowed = [int(connection.execute("SELECT current_setting(%s)", [name]).fetchone()[0]) for name in names]
    work_mem, n_workers = share_memory(memory, *allowed)
    for name, value in ("work_mem", f"{work_mem}kB"), ("hash_mem_multiplier", str(_HASHES)), (names[0], str(n_workers)):
        # Servers before 13 know no multiplier, and a setting may be reserved for others.
        with suppress(psycopg.Error), connection.transaction():
            connection.execute("SELECT set_config(%s, %s, true)", [name, value])
