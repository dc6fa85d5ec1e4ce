"""What a run says beside its result: notes and warnings, each with the people who may read it.

Profiling, searching and recounting make messages; `Outcome.messages` holds all
of a run in one list. The command line prints them for the owner, a report
repeats what recipients may read.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import MaskwiseWarning, enumerated, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_NAMED = 8
"""So many columns are named where the same is said of more."""


class Level(StrEnum):
    """How urgent a message is."""

    NOTE = "note"
    """The owner should know it; quiet commands leave it out."""
    WARNING = "warning"
    """The owner must know it; it is printed even by quiet commands."""


class Audience(StrEnum):
    """Who may read a message."""

    OWNER = "owner"
    """Only who holds the original table."""
    RECIPIENT = "recipient"
    """Also whoever receives the release, so the owner too."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing to know about a run, in full sentences.

    Example:
        >>> unseen = Message(Level.WARNING, Audience.RECIPIENT, "`Flue` is misspelt.", "A protected value is misspelt.")
        >>> unseen.text, unseen.for_recipient
        ('`Flue` is misspelt.', 'A protected value is misspelt.')
    """

    level: Level
    """How urgent it is."""
    audience: Audience
    """Who may read it."""
    text: str
    """What the owner reads."""
    public_text: str | None = None
    """What recipients read instead of `text`, where that names something they must not learn."""
    column: str | None = None
    """The column that it is about, where others may have the same to say."""
    of_many: str | None = None
    """What is said once for many such columns instead; `{names}` stands for them."""

    def __post_init__(self) -> None:
        if self.public_text is not None and self.audience is Audience.OWNER:
            msg = "A message for the owner only has no public text."
            raise ValueError(msg)

    @property
    def is_warning(self) -> bool:
        """Whether the owner must know it."""
        return self.level is Level.WARNING

    @property
    def for_recipient(self) -> str | None:
        """What may accompany a release; None if nothing of the message may."""
        if self.audience is Audience.OWNER:
            return None
        return self.text if self.public_text is None else self.public_text


def note(text: str, column: str | None = None, of_many: str | None = None) -> Message:
    """Make a note that may accompany the release.

    Args:
        text: What it says.
        column: As in `Message`.
        of_many: As in `Message`.

    >>> note("`Age` has no range.").is_warning
    False
    """
    return Message(Level.NOTE, Audience.RECIPIENT, text, column=column, of_many=of_many)


def fold(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Say once what is said of many columns; the one message stands where the first of them stood.

    >>> few = [note(f"`{name}` is old.", name, "{names} are old.") for name in "abcdefghij"]
    >>> [message.text for one in (1, 3, 10) for message in fold(few[:one])]
    ['`a` is old.', '`a`, `b` and `c` are old.', '`a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` and 2 more are old.']
    """
    said = list(messages)
    alike: dict[tuple[object, ...], list[Message]] = {}
    for message in said:
        alike.setdefault(_kind(message), []).append(message)
    folded = []
    for message in said:
        group = alike[_kind(message)]
        if message.of_many is None or len(group) == 1:
            folded.append(message)
        elif message is group[0]:
            names = [str(other.column) for other in group]
            n_more = len(names) - _MOST_NAMED
            listed = f"{quote(names[:_MOST_NAMED])} and {n_more:,} more" if n_more > 0 else enumerated(names)
            folded.append(Message(message.level, message.audience, message.of_many.replace("{names}", listed)))
    return tuple(folded)


def _kind(message: Message) -> tuple[object, ...]:
    """What messages have in common that are said once for many columns."""
    return message.level, message.audience, message.of_many


def private_note(text: str) -> Message:
    """Make a note for the owner alone, because it does not follow from the release.

    >>> private_note("3 records were left out.").for_recipient is None
    True
    """
    return Message(Level.NOTE, Audience.OWNER, text)


def warnings_of(messages: Iterable[Message]) -> tuple[str, ...]:
    """The texts of the warnings, as the owner reads them."""
    return tuple(message.text for message in messages if message.is_warning)


def warn_in_python(texts: Iterable[str]) -> None:
    """Emit each warning by Python's own mechanism, as coming from the caller of the function that calls this.

    The command line prints the messages itself and turns these off.
    """
    for text in texts:
        warnings.warn(text, MaskwiseWarning, stacklevel=3)
