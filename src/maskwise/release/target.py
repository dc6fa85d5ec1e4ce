"""Find out where a release goes, and refuse places that cannot be written before any work is done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.choose import has_tables
from maskwise.release.target_checks import check_folder, check_target
from maskwise.table.endpoints import refuse_inputs, source_files
from maskwise.values.location import Folder, TableName, locate, suffix_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.values.location import Place


def resolve_target(output: str | Path, data: Any, engine: Any, read: Iterable[Path] = ()) -> Place:
    """Tell a file, a folder and a table of a database apart, and check that a file or folder can be written.

    Args:
        output: What the caller named. A plain word is a table only where the engine has tables.
        data: What is read; the release must not replace it.
        engine: Where the work is done.
        read: More files that the run reads, such as the policy's.
    """
    target = locate(output)
    if isinstance(target, TableName) and not has_tables(engine, data):
        target = Path(output)
    if isinstance(target, Folder):
        check_folder(target.path)
    if isinstance(target, Path):
        suffix_of(target)
        check_target(target)
        refuse_inputs([target], [*source_files(data, engine), *read])
    return target
