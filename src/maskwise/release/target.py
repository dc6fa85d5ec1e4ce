"""Find out where a release goes, and refuse places that cannot be written before any work is done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import has_tables
from maskwise.errors import InputError
from maskwise.release.atomic_files import check_folder, check_target
from maskwise.table.endpoints import source_files
from maskwise.values.location import Folder, TableName, locate, suffix_of

if TYPE_CHECKING:
    from maskwise.values.location import Place


def resolve_target(output: str | Path, data: Any, engine: Any) -> Place:
    """Tell a file, a folder and a table of a database apart, and check that a file or folder can be written.

    Args:
        output: What the caller named. A plain word is a table only where the engine has tables.
        data: What is read; the release must not replace it.
        engine: Where the work is done.
    """
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
