"""Tables as the page or the command names them: what opens them, what drafts and commands call them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import without_password
from maskwise.studio.refusal import BAD, RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

_DATASETS = Path(__file__).parents[1] / "datasets"


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """A table as it was asked for, so that it can be opened again."""

    kind: str
    """`file`, `upload`, `example` or `table`."""
    key: str
    """What drafts are kept by."""
    arguments: Mapping[str, Any]
    """What the other process opens it by."""
    words: Mapping[str, str | None] = field(default_factory=dict)
    """What a command line calls it: `data`, `engine`, and a `note` where that needs one."""
    upload: Path | None = None
    """The file that was dropped on the page, if it was."""
    beside: Path | None = None
    """The file beside which a release may go, if it has a place of its own."""

    @property
    def export_folder(self) -> str:
        """A folder for a release that is proposed: beside the table, or in the user's own folder."""
        place = Path.home() / Path(self.arguments["name"]).name if self.beside is None else self.beside
        stem = re.sub(r"[^\w.-]+", "-", place.name.partition(".")[0]).strip("-.") or "table"
        return str(place.with_name(f"{stem}-release"))


def read_choice(path: str | None, example: str | None, engine: str | None, table: str | None) -> SourceChoice:
    """What a page asks to open.

    Args:
        path: A file, a folder or a pattern.
        example: A table that comes with maskwise.
        engine: The address of a database.
        table: A table in it.
    """
    if (path, engine, table) == (None, None, None) and example is not None:
        words = {"data": str(_DATASETS / example / f"{example}.parquet")}
        return SourceChoice("example", f"example:{example}", {"example": example, "name": example.title()}, words)
    if (example, engine, table) == (None, None, None) and path is not None:
        return describe_file(path)
    if (path, example) == (None, None) and engine is not None and table is not None:
        return describe_table(engine, table)
    raise RequestError(BAD, "A table is named by its path, or by the address of a database and the table's name.")


def describe_file(path: str) -> SourceChoice:
    """A file, a folder or a pattern."""
    if "://" in path:
        address, _, table = path.partition("#")
        return describe_table(address, table)
    place = full_path(path)
    # A folder is told by its end.
    full = f"{place}/" if path.endswith("/") else str(place)
    return SourceChoice("file", f"file:{full}", {"data": full, "name": place.name}, {"data": full}, beside=place)


def full_path(text: str) -> Path:
    """A path from the root on, as somebody typed it; `~` is their own folder.

    Args:
        text: What was typed.

    Raises:
        RequestError: No file can have it.
    """
    try:
        if "\0" not in text:
            return Path(text.strip()).expanduser().absolute()
    except RuntimeError:  # nobody is called so
        pass
    shown = text[:200].replace("\0", "")
    remedy = "Write it from the root on, or from the folder in which the studio was started."
    raise RequestError(BAD, f"`{shown}` is no path on this machine.", remedy)


def describe_table(engine: str, table: str) -> SourceChoice:
    """A table of a database; what is kept and shown has no password."""
    shown = without_password(engine)
    note = None if shown == engine else "The password is left out: write it into the address, where *** stands."
    words = {"data": table, "engine": shown, "note": note}
    return SourceChoice("table", f"table:{shown}#{table}", {"data": table, "engine": engine, "name": table}, words)


def describe_upload(path: Path, shown: str) -> SourceChoice:
    """A file that was dropped on the page.

    Args:
        path: Where it is now.
        shown: What it was called.
    """
    note = "The file was dropped on the page, so its folder is not known: write its path into the command."
    words = {"data": path.name, "note": note}
    return SourceChoice("upload", f"upload:{shown}", {"data": str(path), "name": shown}, words, path)
