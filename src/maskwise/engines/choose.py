"""Find the engine that is meant: by its name or address, or by what is to be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from maskwise.engines.sql import SqlEngine
from maskwise.errors import InputError
from maskwise.values.location import TableName, locate, table_name

if TYPE_CHECKING:
    from maskwise.engines.base import Engine

KINDS = "duckdb, duckdb:///people.db, postgres://user@host/database, spark, spark://host:port"


def choose(data: Any, engine: Any = None, *, writes: bool = False, memory: int | None = None) -> tuple[Engine, Any]:
    """Choose an engine for some data, and say where in it the data is.

    Args:
        data: A path, a table's name, an address with `#` and a table's name, or a table in memory or in a database.
        engine: An engine, its name or address, a Spark session or an Ibis backend; None goes by the data.
        writes: A table of a database file will be written.
        memory: How many bytes of memory a run may use; None goes by what the machine allows.
    """
    if isinstance(data, str) and "://" in data:
        address, _, table = data.partition("#")
        if engine not in {None, "duckdb"} or not table:
            msg = "Data with an address is written as postgres://user@host/database#people, and needs no engine."
            raise InputError(msg)
        return _start(address, writes=writes, memory=memory), table_name(table)
    kind = type(data).__module__.partition(".")[0]
    if kind == "ibis":
        return _of_ibis(data, engine)
    if kind == "pyspark":
        return _spark(data.sparkSession, memory), data
    started = _start(engine, writes=writes, memory=memory)
    place = locate(data) if isinstance(data, str) else data
    if isinstance(place, TableName) and isinstance(data, str) and not has_tables(engine, data):
        # Without a database there are only files, however they are called.
        place = Path(str(data))
    return started, place


def has_tables(engine: Any, data: Any) -> bool:
    """Whether a bare name means a table, because the data is in a database."""
    if type(data).__module__.partition(".")[0] in {"ibis", "pyspark"} or (isinstance(data, str) and "://" in data):
        return True
    return not (engine is None or engine == "duckdb")


def _start(engine: Any, *, writes: bool, memory: int | None) -> Engine:
    if engine is None or isinstance(engine, str):
        return _start_named(engine or "duckdb", writes=writes, memory=memory)
    kind = type(engine).__module__.partition(".")[0]
    if kind == "pyspark":
        return _spark(engine, memory)
    if kind == "ibis":
        return _of_backend(engine)
    started: Engine = engine
    return started


def _start_named(name: str, *, writes: bool, memory: int | None) -> Engine:
    if name == "duckdb" or name.startswith("duckdb://"):
        from maskwise.engines.duckdb import DuckDB  # noqa: PLC0415 - only the engine that is used

        return SqlEngine(DuckDB(file=_file_of(name), writes=writes, memory=memory))
    if name.startswith(("postgres://", "postgresql://")):
        try:
            from maskwise.engines.postgres.database import Postgres  # noqa: PLC0415 - as above
        except ImportError:
            raise InputError(_install("PostgreSQL tables", "postgres")) from None
        return SqlEngine(Postgres(name))
    if name == "spark" or name.startswith(("spark://", "local[")):
        return _spark(None if name == "spark" else name, memory)
    msg = f"There is no engine `{name.partition(':')[0]}`. Use one of {KINDS}."
    raise InputError(msg)


def _file_of(address: str) -> Path | None:
    """The file of `duckdb:///people.db`, here or from the root; `duckdb` alone has none.

    >>> _file_of("duckdb:///people.db").name
    'people.db'
    """
    rest = unquote(address.removeprefix("duckdb").removeprefix("://"))
    if not rest:
        return None
    here = Path(rest.removeprefix("/"))
    return Path(rest) if not here.exists() and Path(rest).exists() else here


def _spark(session: Any, memory: int | None) -> Engine:
    try:
        from maskwise.engines.spark.database import Spark  # noqa: PLC0415 - only the engine that is used
    except ImportError:
        raise InputError(_install("Spark tables", "spark")) from None
    return SqlEngine(Spark(session, memory=memory))


def _of_ibis(data: Any, engine: Any) -> tuple[Engine, Any]:
    from ibis.expr.operations import InMemoryTable  # noqa: PLC0415 - heavy

    if data.op().find(InMemoryTable):
        return _start(engine, writes=False, memory=None), data.to_pyarrow()
    return _of_backend(data.get_backend()), data


def _of_backend(backend: Any) -> Engine:
    if backend.name == "duckdb":
        from maskwise.engines.duckdb import DuckDB  # noqa: PLC0415 - only the engine that is used

        return SqlEngine(DuckDB(backend))
    if backend.name == "postgres":
        from maskwise.engines.postgres.database import Postgres  # noqa: PLC0415 - as above

        return SqlEngine(Postgres(backend))
    if backend.name == "pyspark":
        return _spark(backend, None)
    msg = f"maskwise works in DuckDB, PostgreSQL and Spark; found an Ibis table of {backend.name}."
    raise InputError(msg)


def _install(what: str, extra: str) -> str:
    return f'Reading {what} needs the `{extra}` extra. Install it with: pip install "maskwise[{extra}]"'
