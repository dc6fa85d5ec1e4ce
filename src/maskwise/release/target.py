"""Where a release goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import has_tables
from maskwise.errors import InputError
from maskwise.release.atomic_files import check_folder, check_target
from maskwise.values.location import Folder, TableName, locate, suffix_of

if TYPE_CHECKING:
    from maskwise.values.location import Place
from maskwise.table.endpoints import source_files


def resolve_target(output: str | Path, data: Any, engine: Any) -> Place:
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
