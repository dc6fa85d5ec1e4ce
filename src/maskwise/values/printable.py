"""Texts of others, such as a file that was sent, as a terminal may show them."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Spell out characters that move the cursor, change colours or cannot be seen.

    >>> printable("gr\xfcn \x1b[2J\n")
    'grün \\x1b[2J\\n'
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
