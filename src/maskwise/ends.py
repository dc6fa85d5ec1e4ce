"""Both ends of a run: what is read, and where the release goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import choose, has_tables
from maskwise.errors import InputError
from maskwise.place import Folder, TableName, locate, suffix_of
from maskwise.read import read
from maskwise.write import check_folder, check_target

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
        if isinstance(data, str | Path) and target.exists() and Path(data).exists() and target.samefile(data):
            msg = f"`{target}` is the input. Write the release to another file."
            raise InputError(msg)
        check_target(target)
    return target


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
