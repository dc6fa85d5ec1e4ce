"""Pieces of a draft: comments, and plain data in YAML's flow style."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from maskwise.values.yaml_spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WIDTH = 118
_PLAIN = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}")
"""Numbers and days, which need no quotes as ends of ranges."""


def comment(text: str, indent: int = 0) -> list[str]:
    """A text as lines of comment; what an editor does not show, in the name of a column, becomes a blank."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return textwrap.wrap(
        " ".join(printable.split()),
        _WIDTH,
        initial_indent=" " * indent + "# ",
        subsequent_indent=" " * indent + "# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def flow(entry: Any) -> str:
    """Plain data in YAML's flow style, on one line."""
    match entry:
        case dict():
            return _flow_mapping(entry)
        case list() | tuple():
            return _flow_list(entry)
        case str():
            return entry if _PLAIN.fullmatch(entry) else spelled(entry)
        case None:
            return "~"
    return str(entry)


def _flow_mapping(entry: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{spelled(key)}: {flow(value)}" for key, value in entry.items()) + "}"


def _flow_list(entry: Sequence[Any]) -> str:
    return "[" + ", ".join(map(flow, entry)) + "]"
