"""Messages for whoever writes a policy file, and for whoever chooses on a page.

A message says what the policy should ask, in words, and behind it how its file
says that, or which command does it; a page leaves the latter out.
"""

from __future__ import annotations

import re

_IN_FILE = "in the file:"
_ON_COMMAND_LINE = "on the command line:"
_HINT = re.compile(rf" \((?:{_IN_FILE}|{_ON_COMMAND_LINE}) `[^`]*`(?: or `[^`]*`)*\)")


def file_words(*lines: str) -> str:
    """How the file of a policy says something, to stand behind a sentence or a part of one; several are a choice.

    >>> file_words("missing: keep", "missing: drop")
    ' (in the file: `missing: keep` or `missing: drop`)'
    """
    return f" ({_IN_FILE} {' or '.join(f'`{line}`' for line in lines)})"


def command_words(command: str) -> str:
    """What does something on the command line, to stand behind a sentence or a part of one.

    >>> command_words("maskwise attack")
    ' (on the command line: `maskwise attack`)'
    """
    return f" ({_ON_COMMAND_LINE} `{command}`)"


def without_file_words(text: str) -> str:
    """A message without what is of use only to whoever writes a policy file or a command.

    >>> without_file_words("Keep or drop them" + file_words("missing: keep", "missing: drop") + ".")
    'Keep or drop them.'
    """
    return _HINT.sub("", text)
