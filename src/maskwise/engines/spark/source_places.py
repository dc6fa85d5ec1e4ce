"""The tables and files that a Spark data frame reads, also through views: a release must replace none of them.

Spark says it in the analyzed plan of the frame, whose leaves are tables, files
and what was made of others step by step (RDDs).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

_OF_TEXTS = {"HadoopRDD", "NewHadoopRDD"}
"""Files that are read line by line, such as by `textFile`; Spark names them by what is read."""


@dataclass(frozen=True, slots=True)
class SourcePlaces:
    """What a frame reads."""

    tables: frozenset[str] = frozenset()
    """Tables of the catalog by their whole names, in small letters as Spark compares them."""
    files: frozenset[str] = frozenset()
    """Files and folders, as addresses such as `file:/data/people`."""

    def meet(self, other: SourcePlaces) -> bool:
        """Whether both read the same table, or the same files, or one reads files in a folder of the other."""
        return bool(self.tables & other.tables) or any(
            _is_within(mine, its) or _is_within(its, mine) for mine in self.files for its in other.files
        )

    def paths(self) -> list[Path]:
        """The files and folders that are on this machine."""
        parts = [urlsplit(file) for file in sorted(self.files)]
        return [Path(unquote(part.path)) for part in parts if part.scheme in {"", "file"}]


def place_of_path(path: Path) -> SourcePlaces:
    """A file or folder of this machine; of a pattern, the folder above it.

    >>> [path.name for path in place_of_path(Path("people/2024*/part.csv")).paths()]
    ['people']
    """
    plain = takewhile(lambda part: not any(letter in part for letter in "*?["), path.parts)
    return SourcePlaces(files=frozenset([Path(*plain).resolve().as_uri()]))


def places_of_frame(frame: DataFrame) -> SourcePlaces:
    """What a frame reads, however many views and subqueries are in between."""
    tables: set[str] = set()
    files: set[str] = set()
    plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - Python's own frame does not know its plan
    for part in (plan, *_each(plan.subqueriesAll())):
        for leaf in _each(part.collectLeaves()):
            _note(leaf, tables, files)
    return SourcePlaces(frozenset(name.lower() for name in tables), frozenset(map(_one_spelling, files)))


def _note(leaf: Any, tables: set[str], files: set[str]) -> None:
    """Note what one leaf of a plan reads; a leaf of any other kind reads nothing that a release could replace."""
    match _kind(leaf):
        case "LogicalRelation":
            relation = leaf.relation()
            if _kind(relation) == "HadoopFsRelation":
                files.update(_addresses(relation.location()))
            if leaf.catalogTable().isDefined():
                _note_table(leaf.catalogTable().get(), tables, files)
        case "HiveTableRelation":
            _note_table(leaf.tableMeta(), tables, files)
        case "DataSourceV2Relation":
            if leaf.identifier().isDefined():
                catalog = [leaf.catalog().get().name()] if leaf.catalog().isDefined() else []
                found = leaf.identifier().get()
                tables.add(".".join([*catalog, *found.namespace(), found.name()]))
            if _has(leaf.table(), "fileIndex"):
                files.update(_addresses(leaf.table().fileIndex()))
        case "LogicalRDD":
            files.update(_files_behind(leaf.rdd()))


def _note_table(table: Any, tables: set[str], files: set[str]) -> None:
    tables.add(table.identifier().unquotedString())
    if table.storage().locationUri().isDefined():
        files.add(table.storage().locationUri().get().toString())


def _files_behind(rdd: Any) -> Iterator[str]:
    """The files that records were made of step by step, as by `DataFrame.rdd`: they are read again when counted."""
    seen, waiting = {rdd.id()}, [rdd]
    while waiting:
        step = waiting.pop()
        if _kind(step) == "FileScanRDD":
            for part in _each(step.filePartitions()):
                yield from (file.filePath().toPath().toUri().toString() for file in part.files())
        elif _kind(step) in _OF_TEXTS and step.name() is not None:
            yield from step.name().split(",")
        for before in (link.rdd() for link in _each(step.dependencies())):
            if before.id() not in seen:
                seen.add(before.id())
                waiting.append(before)


def _addresses(listing: Any) -> list[str]:
    return [path.toUri().toString() for path in _each(listing.rootPaths())]


def _one_spelling(address: str) -> str:
    """An address as Java and Python both spell it; on this machine, links are followed."""
    part = urlsplit(address)
    if part.scheme not in {"", "file"}:
        return address.rstrip("/")
    return Path(unquote(part.path)).resolve().as_uri()


def _is_within(address: str, folder: str) -> bool:
    return address == folder or address.startswith(f"{folder}/")


def _each(sequence: Any) -> list[Any]:
    """The elements of a Scala sequence."""
    return [sequence.apply(i) for i in range(sequence.size())]


def _kind(java: Any) -> str:
    return str(java.getClass().getSimpleName())


def _has(java: Any, method: str) -> bool:
    return any(found.getName() == method for found in java.getClass().getMethods())
