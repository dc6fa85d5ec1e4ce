"""Find the engine that is meant: by its name or address, or by what is to be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.sql import Engine
from maskwise.errors import InputError
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import TableName, locate, table_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.engines.dialect import Dialect


@dataclass(frozen=True, slots=True)
class EngineRegistration:
    """A database that maskwise works in, and how it is asked for."""

    name: str
    """What messages call it."""
    load: Callable[[], Callable[..., Dialect]]
    """Imports its dialect; called only when it is used."""
    backend: str
    """What Ibis calls it."""
    addresses: tuple[str, ...]
    """How its addresses begin."""
    short_name: str | None = None
    """The name that it is asked for by without an address."""
    extra: str | None = None
    """The extra of maskwise that it needs."""
    examples: tuple[str, ...] = ()
    """How it is asked for, for messages."""

    def is_meant(self, text: str) -> bool:
        """Whether a name or an address is one of this database."""
        return text == self.short_name or text.startswith(self.addresses)


def _load_duckdb() -> Callable[..., Dialect]:
    from maskwise.engines.duckdb import DuckDB  # noqa: PLC0415 - only the engine that is used

    return DuckDB


def _load_postgres() -> Callable[..., Dialect]:
    from maskwise.engines.postgres.dialect import Postgres  # noqa: PLC0415 - as above

    return Postgres


def _load_spark() -> Callable[..., Dialect]:
    from maskwise.engines.spark.dialect import Spark  # noqa: PLC0415 - as above

    return Spark


_SPARK = EngineRegistration(
    name="Spark",
    load=_load_spark,
    backend="pyspark",
    addresses=("spark://", "local["),
    short_name="spark",
    extra="spark",
    examples=("spark", "spark://host:port"),
)
REGISTERED = (
    EngineRegistration(
        name="DuckDB",
        load=_load_duckdb,
        backend="duckdb",
        addresses=("duckdb://",),
        short_name="duckdb",
        examples=("duckdb", "duckdb:///people.db"),
    ),
    EngineRegistration(
        name="PostgreSQL",
        load=_load_postgres,
        backend="postgres",
        addresses=("postgres://", "postgresql://"),
        extra="postgres",
        examples=("postgres://user@host/database",),
    ),
    _SPARK,
)
"""The databases that maskwise works in; a new one is a dialect and an entry here."""


def choose(data: Any, engine: Any = None, *, writes: bool = False, memory: int | None = None) -> tuple[Engine, Any]:
    """Choose an engine for some data, and say where in it the data is.

    Args:
        data: A path, a table's name, an address with `#` and a table's name, or a table in memory or in a database.
        engine: An engine, its name or address, a Spark session or an Ibis backend; None goes by the data.
        writes: A table of a database file will be written.
        memory: How many bytes a run may use; None leaves it to the engine.
    """
    if isinstance(data, str) and "://" in data:
        address, _, table = data.partition("#")
        if engine not in {None, "duckdb"} or not table:
            msg = "Data with an address is written as postgres://user@host/database#people, and needs no engine."
            raise InputError(msg)
        return _start(address, writes=writes, memory=memory), table_name(table)
    match input_kind(data):
        case InputKind.IBIS_TABLE:
            return _start_for_ibis(data, engine)
        case InputKind.SPARK_TABLE:
            return _connect(_SPARK, data.sparkSession, memory=memory), data
    started = _start(engine, writes=writes, memory=memory)
    place = locate(data) if isinstance(data, str) else data
    if isinstance(place, TableName) and isinstance(data, str) and not has_tables(engine, data):
        # Without a database there are only files, whatever their names.
        place = Path(str(data))
    return started, place


def start_beside(engine: Engine) -> Engine:
    """Start an engine of this process, with tables of its own, to read what another one wrote.

    Args:
        engine: The one that wrote.
    """
    beside = engine.dialect.beside()
    return _start(None) if beside is None else Engine(beside)


def has_tables(engine: Any, data: Any) -> bool:
    """Whether a bare name means a table, because the data is in a database."""
    if input_kind(data).is_database_table or (isinstance(data, str) and "://" in data):
        return True
    return not (engine is None or engine == "duckdb")


def _start(engine: Any, *, writes: bool = False, memory: int | None = None) -> Engine:
    """Start the engine that was asked for; DuckDB if none was."""
    match input_kind(engine or "duckdb"):
        case InputKind.TEXT:
            return _start_named(engine or "duckdb", writes=writes, memory=memory)
        case InputKind.SPARK_SESSION:
            return _connect(_SPARK, engine, memory=memory)
        case InputKind.IBIS_BACKEND:
            return _start_in_backend(engine)
    if isinstance(engine, Engine):
        return engine
    msg = f"An engine is a name, an address, a Spark session or an Ibis backend; found {type(engine).__name__}."
    raise InputError(msg)


def _start_named(text: str, *, writes: bool, memory: int | None) -> Engine:
    for registered in REGISTERED:
        if registered.is_meant(text):
            return _connect(registered, text, writes=writes, memory=memory)
    kinds = ", ".join(example for registered in REGISTERED for example in registered.examples)
    msg = (
        f"There is no engine `{text.partition(':')[0]}`. Use one of {kinds}; or bring the table in as a parquet file, "
        "or in Python as an Arrow table, such as `ibis.connect(address).table(name).to_pyarrow()`."
    )
    raise InputError(msg)


def _start_for_ibis(data: Any, engine: Any) -> tuple[Engine, Any]:
    """Work where an Ibis table is; one in memory goes to the engine that was asked for."""
    from ibis.expr.operations import InMemoryTable  # noqa: PLC0415 - heavy

    if data.op().find(InMemoryTable):
        return _start(engine), data.to_pyarrow()
    return _start_in_backend(data.get_backend()), data


def _start_in_backend(backend: Any) -> Engine:
    for registered in REGISTERED:
        if registered.backend == backend.name:
            return _connect(registered, backend)
    *names, last = (registered.name for registered in REGISTERED)
    msg = (
        f"maskwise works in {', '.join(names)} and {last}; found an Ibis table of {backend.name}. Bring its records "
        "here first: `table.to_pyarrow()`."
    )
    raise InputError(msg)


def _connect(registered: EngineRegistration, source: Any, *, writes: bool = False, memory: int | None = None) -> Engine:
    """Import a dialect, connect to its database, and put the verbs on it."""
    try:
        dialect = registered.load()
    except ImportError:
        if registered.extra is None:
            raise
        msg = (
            f"Reading {registered.name} tables needs the `{registered.extra}` extra. Install it with: "
            f'pip install "maskwise[{registered.extra}]"'
        )
        raise InputError(msg) from None
    return Engine(dialect(source, writes=writes, memory=memory))
