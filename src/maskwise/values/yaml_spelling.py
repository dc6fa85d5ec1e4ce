"""How a text is written in a YAML file or a message about one, so that it is read as that text."""

from __future__ import annotations

import json
import re

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What YAML may take for something else than a name."""


def spelled(text: str) -> str:
    r"""A text as YAML takes it for that text, on one line.

    >>> print(spelled("zip"), spelled("last, first"), spelled("yes"), spelled("two\nlines"), spelled("007"))
    zip "last, first" "yes" "two\nlines" "007"
    """
    if re.fullmatch(r"[A-Za-z_][\w-]*", text) and text.casefold() not in _WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in quoted)


def _escaped(letter: str) -> str:
    """A character that an editor does not show, as YAML escapes it."""
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"
