"""Messages for whoever writes a policy file, and for whoever chooses on a page.

A message says what the policy should ask, in words, and behind it how its file
says that; a page leaves the latter out.
"""

from __future__ import annotations

import re

_IN_FILE = "in the file:"
_FILE_WORDS = re.compile(rf" \({_IN_FILE} `[^`]*`(?:(?:, | or )`[^`]*`)*\)")


def file_words(*lines: str) -> str:
    """How the file of a policy says something, to stand behind a sentence or a part of one; several are a choice.

    >>> file_words("missing: keep", "missing: drop")
    ' (in the file: `missing: keep` or `missing: drop`)'
    """
    return f" ({_IN_FILE} {' or '.join(f'`{line}`' for line in lines)})"


def without_file_words(text: str) -> str:
    """A message without what is of use only to whoever writes a policy file.

    >>> without_file_words("Keep or drop them" + file_words("missing: keep", "missing: drop") + ".")
    'Keep or drop them.'
    """
    return _FILE_WORDS.sub("", text)
