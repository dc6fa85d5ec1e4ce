"""Both ends of a run: what is read, and where the release goes."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import choose, has_tables
from maskwise.errors import InputError
from maskwise.table.files import find_files
from maskwise.table.read import read
from maskwise.table.whole_files import refuse_beyond_memory
from maskwise.values.location import DATABASE_FILES, TableName, database_file, locate
from maskwise.values.memory import memory_of_run
from maskwise.values.reading import AS_IT_IS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.table.table import Table
    from maskwise.values.location import Place
    from maskwise.values.reading import Reading


@contextmanager
def closing(table: Table) -> Iterator[None]:
    """Remove at the end what a run made in the owner's database, and close what the run opened."""
    try:
        yield
    finally:
        table.engine.close()


def source_files(data: Any, engine: Any) -> list[Path]:
    """The files that a run reads, also the file of a database: no release may replace one of them."""
    files = [
        file
        for text in (data, engine)
        if isinstance(text, str) and text.startswith(DATABASE_FILES) and (file := database_file(text)) is not None
    ]
    if isinstance(data, str | Path) and "://" not in str(data):
        place = locate(data)
        place = Path(str(data)) if isinstance(place, TableName) else place
        try:
            files += find_files(place)
        except InputError:
            files.append(Path(str(data)))
    return files


def input_files(data: Any, engine: Any) -> tuple[Path, ...]:
    """The files that hold the records; none for a data frame or a table of a database.

    Args:
        data: What is read.
        engine: Where the work is done.
    """
    if not isinstance(data, str | Path) or "://" in str(data):
        return ()
    place = locate(data)
    if isinstance(place, TableName):
        if has_tables(engine, data):
            return ()
        place = Path(str(data))
    return tuple(find_files(place))


def open_data(data: Any, engine: Any, target: Place | None, memory: int | None, reading: Reading = AS_IT_IS) -> Table:
    """Start an engine and open the data in it.

    Args:
        data: A path, a table's name or address, or a table in memory or in a database.
        engine: Where the work is done; None goes by the data.
        target: Where the release goes; a table that cannot be written is refused before anything is read.
        memory: How many bytes of memory a run may use; None goes by what the machine allows.
        reading: As in `read`.
    """
    started, place = choose(data, engine, writes=isinstance(target, TableName), memory=memory)
    try:
        if isinstance(target, TableName):
            started.dialect.check_target(target, place)
        if isinstance(place, Path):
            refuse_beyond_memory(place, memory_of_run(memory))
        return read(place, started, reading=reading)
    except BaseException:
        started.close()
        raise
