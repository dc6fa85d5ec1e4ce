"""Both ends of a run: what is read, and where the release goes."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import choose, has_tables
from maskwise.errors import InputError
from maskwise.table.files import find_files
from maskwise.table.read import read
from maskwise.table.whole_files import refuse_beyond_memory
from maskwise.values.input_kind import input_kind
from maskwise.values.location import DATABASE_FILE, Folder, TableName, database_file, locate
from maskwise.values.memory import memory_of_run
from maskwise.values.reading import AS_IT_IS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from maskwise.engines.dialect import Dialect
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
        if isinstance(text, str) and text.startswith(DATABASE_FILE) and (file := database_file(text)) is not None
    ]
    if isinstance(data, str | Path) and "://" not in str(data):
        place = locate(data)
        place = Path(str(data)) if isinstance(place, TableName) else place
        try:
            files += find_files(place)
        except InputError:
            # A folder without files is complained of where it is opened.
            files += [] if os.path.isdir(str(data)) else [Path(str(data))]  # noqa: PTH112 - a name may be too long
    return files


def refuse_inputs(targets: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse to write over a file that the run reads, also by another name of it, or into a folder that it reads.

    Args:
        targets: What is written.
        inputs: What is read.
    """
    read = [path for path in inputs if os.path.exists(path)]  # noqa: PTH110 - a name that is too long is not there
    for target in targets:
        if os.path.exists(target) and any(target.samefile(path) for path in read):  # noqa: PTH110 - as above
            msg = f"`{target}` is the input. Write to another file."
            raise InputError(msg)
        above = [folder for folder in target.resolve().parents if os.path.isdir(folder)]  # noqa: PTH112 - as above
        for folder in (path for path in read if path.is_dir()):
            if any(folder.samefile(one) for one in above):
                msg = f"`{target}` is inside `{folder}`, which is the input. Write to another folder."
                raise InputError(msg)


def refuse_source(target: Place, source: Any, dialect: Dialect) -> None:
    """Refuse a target that a table or view of a database, or a query of it, reads; before any work is done.

    Args:
        target: Where the release goes.
        source: Where the records are, as it was given or as it was found.
        dialect: How the database is talked to.
    """
    source = locate(source.rpartition("#")[2]) if isinstance(source, str) else source
    if isinstance(target, TableName):
        dialect.check_target(target, source)
    elif isinstance(source, TableName) or input_kind(source).is_database_table:
        refuse_inputs([target.path if isinstance(target, Folder) else target], dialect.source_files(source))


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
        if target is not None:
            refuse_source(target, place, started.dialect)
        if isinstance(place, Path):
            refuse_beyond_memory(place, memory_of_run(memory))
        return read(place, started, reading=reading)
    except BaseException:
        started.close()
        raise
