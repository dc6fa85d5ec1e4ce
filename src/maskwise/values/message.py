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

from maskwise.errors import MaskwiseWarning

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def note(text: str) -> Message:
    """Make a note that may accompany the release.

    >>> note("`Age` has no range.").is_warning
    False
    """
    return Message(Level.NOTE, Audience.RECIPIENT, text)


def warnings_of(messages: Iterable[Message]) -> tuple[str, ...]:
    """The texts of the warnings, as the owner reads them."""
    return tuple(message.text for message in messages if message.is_warning)


def warn_in_python(texts: Iterable[str]) -> None:
    """Emit each warning by Python's own mechanism, as coming from the caller of the function that calls this.

    The command line prints the messages itself and turns these off.
    """
    for text in texts:
        warnings.warn(text, MaskwiseWarning, stacklevel=3)


def public_texts(messages: Iterable[Message]) -> tuple[str, ...]:
    """What recipients may read of the messages."""
    return tuple(text for message in messages if (text := message.for_recipient) is not None)
