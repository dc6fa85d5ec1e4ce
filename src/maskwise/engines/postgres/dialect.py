"""PostgreSQL: tables where they are, the whole run in one transaction.

One snapshot serves every scan, so a table that others write to meanwhile is
seen as it was. Whatever ends the run early, the server takes back all of it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql as pg

from maskwise.engines.files import stream
from maskwise.engines.messages import missing_table
from maskwise.engines.postgres import messages as complaints
from maskwise.engines.postgres import types
from maskwise.engines.postgres.messages import may_not_help, may_not_read, told, told_of
from maskwise.errors import InputError, WriteError
from maskwise.values.location import TableName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

_NO_COLLATION = '"default"'
"""What PostgreSQL calls the collation of the database, which is always deterministic."""
_CHECKS_INPUT = 160_000
"""The first version that can say whether a text is spelled as a type wants it."""
_INPUT = {"int64": "bigint", "float64": "double precision", "date": "date", "timestamp": "timestamp"}


class Postgres:
    """A connection of our own, or the owner's through Ibis."""

    keeps_order = False
    merges_texts = False
    reads_files = False

    def __init__(self, source: Any) -> None:
        """Connect.

        Args:
            source: An address such as `postgres://user@host/database`, or an Ibis backend of the owner's.
        """
        self._is_own = isinstance(source, str)
        self._backend = None if self._is_own else source
        self._database: Any = _connect(source) if self._is_own else source.con

    @property
    def connection(self) -> Any:
        """The Ibis backend that spells expressions as SQL."""
        if self._backend is None:
            import ibis  # noqa: PLC0415 - heavy

            with told():
                self._backend = ibis.postgres.from_connection(self._database)
        return self._backend

    def table(self, name: Any) -> ir.Table:
        """A table by its name; a column of a type that Arrow does not know is text."""
        if not isinstance(name, str | TableName):
            return self._by_letters(name)
        import ibis  # noqa: PLC0415 - heavy

        place = TableName(name) if isinstance(name, str) else name
        found = self._describe(pg.SQL("SELECT * FROM {}").format(_identifier(place)), place)
        schema = ibis.schema({column.name: types.ibis_type(column) for column in found})
        if not self._is_own and isinstance(name, str):
            return self.connection.table(name, database=self._temporary_schema())
        opened = ibis.table(schema, name=place.name, database=place.schema)
        odd = [column.name for column in found if not types.is_plain(column)]
        opened = opened.mutate(**{name: opened[name].cast("string") for name in odd}) if odd else opened
        # What we made ourselves holds labels, codes and texts that were read by their letters.
        return opened if isinstance(name, str) else self._by_letters(opened)

    def _by_letters(self, opened: ir.Table) -> ir.Table:
        """Read texts without a collation of their own.

        One that is not deterministic, and citext, take `hiv` and `HIV` for
        equal: they would be one group, of which only one spelling is told, so
        that a protected value could be missed.
        """
        query = pg.SQL(self.connection.compile(opened))
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
        return self.connection.sql(read.as_string(self._database), schema=opened.schema(), dialect="postgres")

    def _user(self) -> str:
        return str(self._database.info.user)

    def _temporary_schema(self) -> str:
        found = self._run(pg.SQL("SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()")).fetchone()
        return str(found[0])

    def _describe(self, query: pg.Composed, place: TableName | None = None) -> Sequence[psycopg.Column]:
        try:
            # What fails in here takes back only itself: a connection may be its owner's, in the middle of work.
            with self._database.transaction():
                cursor = self._database.execute(pg.SQL("SELECT * FROM ({}) q LIMIT 0").format(query))
        except psycopg.errors.UndefinedTable:
            if place is None:
                raise
            known = self._run(pg.SQL("SELECT relname FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'p', 'f')"))
            raise InputError(missing_table(place, [row[0] for row in known.fetchall()])) from None
        except psycopg.errors.InsufficientPrivilege:
            raise InputError(may_not_read(place or "the table", self._user())) from None
        except psycopg.Error as error:
            raise told_of(error) from None
        described: Sequence[psycopg.Column] = cursor.description
        return described

    def open_csv(self, name: str, paths: Sequence[Path], delimiter: str, n_columns: int, *, load: bool) -> ir.Table:
        """Refuse: the server does not see our files."""
        del name, delimiter, n_columns, load
        raise InputError(_no_files(paths))

    def open_parquet(self, name: str, paths: Sequence[Path]) -> ir.Table:
        """Refuse: the server does not see our files."""
        del name
        raise InputError(_no_files(paths))

    def query(self, sql: str) -> pa.Table:
        """Fetch a result, as csv by way of COPY, so that no row becomes Python objects."""
        with self.stream(sql) as batches:
            return batches.read_all()

    @contextmanager
    def stream(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        """Fetch a result batch by batch, in the same way."""
        query = pg.SQL(sql)
        with told():
            schema = types.arrow_schema(self._describe(query))
            out = pg.SQL("COPY ({}) TO STDOUT (FORMAT csv, NULL '\\N')").format(query)
            with self._database.cursor() as cursor, cursor.copy(out) as copied, types.readable():
                yield types.batches(iter(copied), schema)

    def lend(self, name: str, table: pa.Table) -> None:
        """Send a small table over."""
        columns = [pg.SQL("{} {}").format(pg.Identifier(f.name), pg.SQL(types.sql_type(f.type))) for f in table.schema]
        with self._helping():
            create = pg.SQL("CREATE TEMP TABLE {} ({}) {}")
            self._database.execute(create.format(pg.Identifier(name), pg.SQL(", ").join(columns), self._life()))
            with (
                self._database.cursor() as cursor,
                cursor.copy(pg.SQL("COPY {} FROM STDIN (FORMAT csv)").format(pg.Identifier(name))) as copied,
            ):
                copied.write(types.as_csv(table))
            # Without statistics the planner takes a lookup for a thousand times its size.
            self._database.execute(pg.SQL("ANALYZE {}").format(pg.Identifier(name)))

    def make(self, name: str, sql: str, *, view: bool) -> None:
        """Make a temporary table or view."""
        kind, life = (pg.SQL("VIEW"), pg.SQL("")) if view else (pg.SQL("TABLE"), self._life())
        with self._helping():
            create = pg.SQL("CREATE TEMP {} {} {} AS {}")
            self._database.execute(create.format(kind, pg.Identifier(name), life, pg.SQL(sql)))

    def _life(self) -> pg.SQL:
        """Gone with our own transaction, not a moment later when the server notices that we have left."""
        return pg.SQL("ON COMMIT DROP" if self._is_own else "")

    @contextmanager
    def _helping(self) -> Iterator[None]:
        """Tell what went wrong with a temporary table."""
        with told():
            try:
                yield
            except psycopg.errors.InsufficientPrivilege:
                raise InputError(may_not_help(self._database.info.dbname, self._user())) from None

    def remove(self, name: str) -> None:
        """Remove a temporary table or view; our own connection takes them with it."""
        if not self._is_own:
            kind = self._run(pg.SQL("SELECT relkind FROM pg_class WHERE relname = {}").format(name)).fetchone()
            what = pg.SQL("VIEW" if kind and kind[0] == "v" else "TABLE")
            self._run(pg.SQL("DROP {} IF EXISTS {}").format(what, pg.Identifier(name)))

    def native(self, name: str) -> Any:
        """A kept table as Ibis knows it."""
        return self.table(name)

    def try_cast(self, text: ir.Value, kind: str) -> ir.Value:
        """Read texts as another type; one that cannot be read is missing, or before version 16 refused."""
        import ibis  # noqa: PLC0415 - heavy

        if self._database.info.server_version < _CHECKS_INPUT:
            return text.cast(kind)

        def is_valid(text: str, kind: str) -> bool:
            raise NotImplementedError  # the server's own

        builtin = ibis.udf.scalar.builtin(is_valid, name="pg_input_is_valid")
        return ibis.ifelse(builtin(text, _INPUT[kind]), text.cast(kind), ibis.null(kind))

    def range_of(self, cell: str, lows: pa.Array, lent: str) -> tuple[str, str]:
        """Search a sorted list, which the server makes once."""
        # Servers before 14 want one type on both sides.
        number = f"CAST({cell} AS {types.sql_type(lows.type)})"
        return "", f"width_bucket({number}, (SELECT array_agg(low ORDER BY low) FROM {lent})) - 1"  # noqa: S608

    def by_bytes(self, value: ir.Value) -> ir.Value:
        """Sort texts by their bytes, whatever the collation."""
        return types.bytes_of(value, "UTF8") if value.type().is_string() else value

    def by_chance(self) -> ir.Value:
        """Draw a number for each record."""
        import ibis  # noqa: PLC0415 - heavy

        return ibis.uuid()

    def write(self, sql: str, path: Path, suffix: str) -> None:
        """Write a file: the records stream through this process, batch by batch."""
        with self.stream(sql) as batches:
            stream(batches, path, suffix)

    def write_folder(self, sql: str, folder: Path) -> None:
        """Write one parquet file into a folder; the records stream through."""
        self.write(sql, folder / "part-0.parquet", ".parquet")

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that may not be made, or is the source."""
        may = "SELECT has_schema_privilege(coalesce({}, current_schema()), 'CREATE')"
        try:
            allowed = self._database.execute(pg.SQL(may).format(target.schema)).fetchone()[0]
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
        if isinstance(source, TableName):
            same = pg.SQL("SELECT to_regclass({}) = to_regclass({})")
            places = [_identifier(place).as_string(self._database) for place in (source, target)]
            if self._run(same.format(*places)).fetchone()[0]:
                msg = f"`{target}` is the input. Write the release to another table."
                raise InputError(msg)

    @contextmanager
    def appearing(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table, and rename and commit it only at the end."""
        place = TableName(draft, target.schema)
        with told(target), self._transaction():
            self._database.execute(pg.SQL("CREATE TABLE {} AS {}").format(_identifier(place), pg.SQL(sql)))
            yield self.table(place)
            self._database.execute(pg.SQL("SET LOCAL lock_timeout = {}").format(f"{complaints.LOCK_SECONDS}s"))
            # Two runs with one target come one after the other, also if there is no such table yet.
            self._database.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"maskwise {target}"])
            self._database.execute(pg.SQL("DROP TABLE IF EXISTS {}").format(_identifier(target)))
            rename = pg.SQL("ALTER TABLE {} RENAME TO {}").format(_identifier(place), pg.Identifier(target.name))
            self._database.execute(rename)
        if self._is_own:
            self._commit(target)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._is_own:
            yield
            return
        with self._database.transaction():
            yield

    def _commit(self, target: TableName) -> None:
        try:
            self._database.commit()
        except psycopg.Error:
            msg = f"The database was lost while it took `{target}` in. Look whether the table is there; it is whole."
            raise WriteError(msg) from None

    def _run(self, query: Any) -> Any:
        with told():
            return self._database.execute(query)

    def close(self) -> None:
        """End a connection of our own; what was not committed is gone."""
        if self._is_own:
            self._database.close()


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


def _no_files(paths: Sequence[Path]) -> str:
    return f"PostgreSQL reads tables, and `{paths[0].name}` is a file. Load it into a table, or use --engine duckdb."
