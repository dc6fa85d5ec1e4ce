"""Both ends of a run: what is read, and where the release goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import choose, has_tables
from maskwise.errors import InputError
from maskwise.opening import find_files
from maskwise.place import Folder, TableName, locate, suffix_of
from maskwise.read import read
from maskwise.write import check_folder, check_target

_DATABASE_FILE = "duckdb:///"

if TYPE_CHECKING:
    from maskwise.place import Place
    from maskwise.read import Table


def where_to(output: str | Path, data: Any, engine: Any) -> Place:
    """Find out where to write, and check a file or folder before any work is done."""
    target = locate(output)
    if isinstance(target, TableName) and not has_tables(engine, data):
        target = Path(output)
    if isinstance(target, Folder):
        check_folder(target.path)
    if isinstance(target, Path):
        suffix_of(target)
        check_target(target)
        if target.exists() and any(path.exists() and target.samefile(path) for path in source_files(data, engine)):
            msg = f"`{target}` is the input. Write the release to another file."
            raise InputError(msg)
    return target


def source_files(data: Any, engine: Any) -> list[Path]:
    """The files that a run reads, the file of a database among them: none of them may be written."""
    files = [
        Path(text.removeprefix(_DATABASE_FILE).partition("#")[0])
        for text in (data, engine)
        if isinstance(text, str) and text.startswith(_DATABASE_FILE)
    ]
    if isinstance(data, str | Path) and "://" not in str(data):
        place = locate(data)
        place = Path(str(data)) if isinstance(place, TableName) else place
        try:
            files += find_files(place)
        except InputError:
            files.append(Path(str(data)))
    return files


def open_data(data: Any, engine: Any, target: Place | None, memory: str | None) -> Table:
    """Start an engine and open the data in it."""
    started, place = choose(data, engine, writes=isinstance(target, TableName), memory=memory)
    try:
        if isinstance(target, TableName):
            started.check_target(target, place)
        return read(place, started)
    except BaseException:
        started.forget()
        raise
