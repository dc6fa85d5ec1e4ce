"""What can go wrong, one class per remedy.

Every message says what is wrong, shows the evidence and names a remedy. The
command line turns each class into its exit code; nothing here quotes a cell of
an identifier or a sensitive column, because messages end up in logs.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WHOLE = "the whole table"
"""What a message calls all records that are masked; `evaluate`, which masks a part, calls them by what they are."""
_NEAR = 0.75
"""From so much likeness on a name is suggested: two letters of four swapped, one of seven wrong."""
_SHORTEST = 3
"""A beginning of so many letters is enough, as in Zip and Zipcode."""


_PASSWORD = re.compile(r"(:/{1,2}[^\s/@`:]*:)[^\s`]*@")
"""What stands between user and host in an address; `//` may have become `/` on the way through a path. It goes on to
the last `@`: one in the password itself should have been written as `%40`, but that is no reason to show half of it."""
_NAMED_PASSWORD = re.compile(r"(?i)(password\s*=\s*)(?:'[^']*'|[^\s&#`]+)")
"""A password with its name before it, as PostgreSQL takes it behind a question mark, or in a list."""


class MaskwiseError(Exception):
    """Base of everything maskwise raises on purpose."""

    exit_code: ClassVar[int] = 2

    def __str__(self) -> str:
        """The message, without a password that a mistyped address would show."""
        return without_password(super().__str__())


class InputError(MaskwiseError, ValueError):
    """The data, a file or an argument has to change before this can work."""


class DuplicateNamesError(InputError):
    """Columns have the same name; they can be numbered."""


class PolicyError(InputError):
    """The policy or a taxonomy has to change; lists every mistake found."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        """Join the mistakes, one a line.

        Args:
            mistakes: Complete sentences, each already carrying file and line.
        """
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(self.mistakes))


class InfeasibleError(MaskwiseError, ValueError):
    """No masking can meet the requirements on this table."""

    exit_code: ClassVar[int] = 3


class UnfinishedError(MaskwiseError):
    """A search that is safe only at its end was stopped before."""

    exit_code: ClassVar[int] = 3


class NotMetError(MaskwiseError, ValueError):
    """A table does not meet the requirements it was held to."""

    exit_code: ClassVar[int] = 1


class LeakError(MaskwiseError, ValueError):
    """A released column tells what a masked one hides, and the run was to refuse that."""

    exit_code: ClassVar[int] = 1


class MaskwiseWarning(UserWarning):
    """What the owner of a table must know, of a run in Python; the command line prints the same text."""


class RefusedError(MaskwiseError):
    """The verifier did not accept the masked table, so nothing was released."""

    exit_code: ClassVar[int] = 70


class WriteError(MaskwiseError, OSError):
    """The output could not be written; what was there before is untouched."""


def without_password(text: str) -> str:
    """A text in which addresses have no passwords.

    >>> without_password("postgres://ann:secret@host/people")
    'postgres://ann:***@host/people'
    >>> without_password("postgres://host/people?user=ann&password=secret")
    'postgres://host/people?user=ann&password=***'
    """
    return _NAMED_PASSWORD.sub(r"\1***", _PASSWORD.sub(r"\1***@", text))


def quote(names: Iterable[str]) -> str:
    """List names in backticks.

    >>> quote(["Age", "Job"])
    '`Age`, `Job`'
    """
    return ", ".join(f"`{name}`" for name in names)


def enumerated(names: Sequence[str]) -> str:
    """List names in backticks inside a sentence.

    >>> enumerated(["Age"]), enumerated(["Age", "Job", "Sex"])
    ('`Age`', '`Age`, `Job` and `Sex`')
    """
    *others, last = names
    return f"{quote(others)} and `{last}`" if others else f"`{last}`"


def plural(n: int, noun: str) -> str:
    """Count things.

    >>> plural(1, "record"), plural(2000, "record"), plural(2, "category")
    ('1 record', '2,000 records', '2 categories')
    """
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else many}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, or nothing where none is near.

    >>> did_you_mean("Zip", ["Age", "Zipcode"])
    ' Did you mean `Zipcode`?'
    >>> did_you_mean("Zip", ["Age"]), did_you_mean("nope.csv", ["people.csv"])
    ('', '')
    """
    likeness = {candidate: _likeness(name.casefold(), candidate.casefold()) for candidate in known}
    near = max(likeness, key=lambda candidate: likeness[candidate], default=None)
    return f" Did you mean `{near}`?" if near is not None and likeness[near] >= _NEAR else ""


def _likeness(one: str, other: str) -> float:
    """How much alike two names are, from 0 to 1; that both end in `.csv` tells nothing."""
    stem, dot, suffix = one.rpartition(".")
    if dot and other.endswith(dot + suffix):
        one, other = stem, other.removesuffix(dot + suffix)
    short, long = sorted((one, other), key=len)
    if len(short) >= _SHORTEST and long.startswith(short):
        return max(_NEAR, len(short) / len(long))
    return difflib.SequenceMatcher(None, one, other).ratio()
