"""The files that a query of DuckDB reads, also through views and macros: a release must replace none of them.

DuckDB's plans do not name them, so they are taken from the query's text, and from those of the views and table macros
that it names.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import duckdb
from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEFINED = """
SELECT view_name, sql FROM duckdb_views() WHERE NOT internal
UNION ALL
SELECT function_name, macro_definition FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal
"""

_KNOWN = """
SELECT table_name FROM duckdb_tables()
UNION
SELECT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')
"""
_ARROW_SCANS = frozenset({"arrow_scan", "arrow_scan_dumb", "python_arrow_scan"})
"""The functions in the text of a view that `register` makes of Arrow data."""


def files_read(connection: Any, query: str) -> list[Path]:
    """List the files that a query reads, and folders of such files.

    Args:
        connection: Where it would run: the names of files start from this process's folder, or where its settings say.
        query: The query. Behind Arrow data that the owner registered may be any dataset of this process: its files are
            listed, too.
    """
    defined: dict[str, list[str]] = {}
    for name, sql in connection.execute(_DEFINED).fetchall():
        defined.setdefault(name.casefold(), []).append(sql)
    found = dict.fromkeys(_places_named(connection, query, defined))
    paths = {place: _paths_of(connection, place[0], with_folders=place[1]) for place in found}
    listed = [path for some in paths.values() for path in some]
    known = {name.casefold() for (name,) in connection.execute(_KNOWN).fetchall()} | {"", *defined}
    bare = [name.casefold() for (name, is_asked), some in paths.items() if not is_asked and not some]
    # A name that DuckDB does not know is that of a variable of the owner's.
    if any(name in _ARROW_SCANS or name not in known for name in bare):
        listed += _dataset_files()
    return listed


def _dataset_files() -> list[Path]:
    """The local files of every Arrow dataset that this process holds.

    DuckDB does not tell which object it has registered under a name, or found as a variable of the owner's.
    """
    # Where nobody imported it there is no dataset.
    if (module := sys.modules.get("pyarrow.dataset")) is None:
        return []
    # By their types: to ask the objects themselves may raise, as a weak proxy of what is gone does.
    found = [one for one in gc.get_objects() if issubclass(type(one), module.Dataset)]
    files = []
    while found:
        one = found.pop()
        # The parts of a union may be known to nobody else.
        found += getattr(one, "children", [])
        if isinstance(one, module.FileSystemDataset) and one.filesystem.type_name == "local":
            files += [Path(file) for file in one.files]
    return files


def _places_named(connection: Any, query: str, defined: Mapping[str, list[str]]) -> Iterator[tuple[str, bool]]:
    """The names behind FROM, and what functions there are asked for; of views and macros, those in their texts."""
    waiting, seen = [query], {query}
    while waiting:
        for name, is_asked in _names_in(connection, waiting.pop()):
            yield name, is_asked
            # Of views in several schemas, all: one too many does no harm. The function `query` is asked for a query.
            new = [sql for sql in (*defined.get(name.casefold(), ()), *[name] * is_asked) if sql not in seen]
            seen.update(new)
            waiting += new


def _names_in(connection: Any, sql: str) -> Iterator[tuple[str, bool]]:
    """The names in a query, and whether a function is asked for them."""
    import sqlglot  # noqa: PLC0415 - heavy

    try:
        parsed = [one for one in sqlglot.parse(sql, read="duckdb") if one is not None]
    except sqlglot.errors.ParseError:
        # Whatever is quoted in it may be a name.
        kinds = (sqlglot.TokenType.STRING, sqlglot.TokenType.IDENTIFIER, sqlglot.TokenType.VAR)
        yield from ((token.text, False) for token in sqlglot.tokenize(sql, read="duckdb") if token.token_type in kinds)
        return
    except sqlglot.errors.SqlglotError:
        # No query, but a text that a function is asked for.
        return
    inner = {cte.alias for one in parsed for cte in one.find_all(exp.CTE)}
    for table in (table for one in parsed for table in one.find_all(exp.Table)):
        if table.name not in inner:
            yield table.name, False
        if isinstance(table.this, exp.Func):
            yield table.this.name, False
            yield from ((literal.name, True) for literal in table.this.find_all(exp.Literal) if literal.is_string)
            for argument in table.this.args.values():
                yield from ((text, True) for text in _texts_of(connection, argument))


def _texts_of(connection: Any, argument: Any) -> Iterator[str]:
    """The texts that an argument of a function stands for: it may be put together, or be a variable."""
    if isinstance(argument, list):
        for one in argument:
            yield from _texts_of(connection, one)
    elif isinstance(argument, exp.Expression) and not isinstance(argument, exp.Literal | exp.PropertyEQ | exp.EQ):
        try:
            (found,) = connection.execute(f"SELECT {argument.sql(dialect='duckdb')}").fetchone()
        except duckdb.Error:
            # No text by itself, such as the parameter of a macro.
            return
        yield from (one for one in (found if isinstance(found, list) else [found]) if isinstance(one, str))


def _paths_of(connection: Any, name: str, *, with_folders: bool) -> list[Path]:
    """The files and folders that a name or pattern stands for; none for the name of a table."""
    part = urlsplit(name) if "://" in name else None
    if part is not None and part.scheme != "file":
        return []
    # A file may have a name that is a pattern, too.
    found = [unquote(part.path) if part is not None else name]
    # What is no pattern, or one of a place that this connection may not look at, stands for no other file.
    with suppress(duckdb.Error):
        found += [file for (file,) in connection.execute("SELECT file FROM glob(?)", [name]).fetchall()]
    # Unlike those of `Path` they do not raise over a name that is too long.
    is_there = os.path.exists if with_folders else os.path.isfile
    return [Path(file) for file in found if file and is_there(file)]
