"""Where a table is, or shall be: a file, a folder of parquet files, a name in a database."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from maskwise.errors import InputError, quote

DATABASE_FILE = "duckdb://"
"""How the address of a database begins that is one file."""
SUFFIXES = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


@dataclass(frozen=True, slots=True)
class TableName:
    """A table in a database."""

    name: str
    """What it is called, letter by letter."""
    schema: str | None = None
    """The schema it is in; None is where the database looks first."""

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of parquet files."""

    path: Path
    """Where."""

    def __str__(self) -> str:
        return f"{self.path}/"


Place: TypeAlias = Path | Folder | TableName
"""Where a release may go."""


def locate(text: str | Path) -> Place:
    """Tell a file, a folder and a table apart by how they are spelled.

    >>> locate("out/people.csv").name, locate("released/").path.name, str(locate("public.people"))
    ('people.csv', 'released', 'public.people')
    """
    if isinstance(text, Path):
        return text
    if text.endswith("/"):
        return Folder(Path(text))
    path = Path(text)
    # A name that is too long is no folder, and for Path a reason to fail.
    if "/" in text or is_folder(path) or has_suffix(path) or any(letter in text for letter in "*?["):
        return path
    return table_name(text)


def has_suffix(path: Path) -> bool:
    """Whether a name tells a format."""
    return inner_suffix(path) in SUFFIXES


def inner_suffix(path: Path) -> str:
    """The suffix of a name before any `.gz`, in small letters."""
    suffixes = [part.lower() for part in path.suffixes]
    return "".join(suffixes[-2:-1] if suffixes[-1:] == [".gz"] else suffixes[-1:])


def suffix_of(path: Path) -> str:
    """The format a file's name tells: `.csv`, `.csv.gz`, `.parquet`, ...

    >>> suffix_of(Path("people.CSV.gz"))
    '.csv.gz'
    """
    inner = inner_suffix(path)
    if inner in SUFFIXES:
        return inner.replace(".feather", ".arrow") + (".gz" if path.suffix.lower() == ".gz" else "")
    msg = (
        f"The format of `{path.name}` is not known from its name. Use one of {quote(SUFFIXES)}, each may end in `.gz`."
    )
    raise InputError(msg)


def database_file(address: str) -> Path | None:
    """The file or folder of `duckdb:///people.db`, here or from the root; None for a name alone, such as `duckdb`.

    >>> database_file("duckdb:///people.db").name
    'people.db'
    """
    rest = unquote(address.partition("#")[0].partition("://")[2])
    if not rest:
        return None
    here = Path(rest.removeprefix("/"))
    return Path(rest) if not is_there(here) and is_there(rest) else here


def table_name(text: str) -> TableName:
    """Read `people` or `public.people`; the letters stand for themselves, large or small."""
    schema, dot, name = text.rpartition(".")
    if not name or (dot and not schema):
        msg = f"`{text}` is no table. Write a name, such as `people` or `public.people`."
        raise InputError(msg)
    return TableName(name, schema or None)


def is_there(path: str | Path) -> bool:
    """Whether something has this name. One that is too long is no error, other than to `Path.exists`.

    >>> is_there("/"), is_there("x" * 400)
    (True, False)
    """
    return os.path.exists(path)  # noqa: PTH110 - see above


def is_folder(path: str | Path) -> bool:
    """Whether a folder has this name.

    >>> is_folder("/"), is_folder("x" * 400)
    (True, False)
    """
    return os.path.isdir(path)  # noqa: PTH112 - see above
