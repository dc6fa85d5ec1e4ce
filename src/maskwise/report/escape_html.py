"""Names and cells as text of a page: escaped, with nothing in them that readers cannot see."""

from __future__ import annotations

import html
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Kinds of characters that are not seen, or that change how others are shown."""
_KEPT = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{SOFT HYPHEN}")
"""What words of some languages are written with."""
MOST_LETTERS = 60
"""So many letters of a name or value are shown."""


def visible(text: str) -> str:
    r"""Spell out what is not seen: controls, and marks that turn the direction of writing.

    >>> visible("a\nb"), visible("\u202edrow"), visible("naïve")
    ('a\\nb', '\\u202edrow', 'naïve')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _UNSEEN and letter not in _KEPT
        else letter
        for letter in text
    )


def clip(text: str, most: int = MOST_LETTERS) -> str:
    """The beginning of a long text.

    >>> clip("abcdef", 4), clip("abc", 4)
    ('abc…', 'abc')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def escape(text: str) -> str:
    """A text for a page, between tags or in an attribute.

    >>> escape('<b> & "c"')
    '&lt;b&gt; &amp; &quot;c&quot;'
    """
    return html.escape(visible(text), quote=True)
