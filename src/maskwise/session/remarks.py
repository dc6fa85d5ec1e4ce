"""What is to be said of a policy, as values: where in it, what, and what to do."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from maskwise.errors import InfeasibleError, InputError, MaskwiseError, PolicyError
from maskwise.formats.policy_file import from_data, texts
from maskwise.policy.policy import Policy
from maskwise.policy.private_release import refuse_private
from maskwise.policy.source_lines import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import Any

    from maskwise.policy.source_lines import Place
    from maskwise.values.message import Level, Message

_MARK = "\x1f"
"""Stands around a place in a message; no policy can hold it as a key that is known."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that is to be said of a policy."""

    level: Level | None
    """Warning or note; None is a mistake, with which nothing can be masked."""
    place: Place
    """The keys and positions that lead to it, such as `("requirements", 0, "k")`; empty if it is about the whole."""
    text: str
    """What is wrong, or to be known."""
    remedy: str = ""
    """What to do about it."""
    is_infeasible: bool = field(default=False, repr=False)
    """Whether the policy can be read but no masking meets it."""

    @property
    def is_mistake(self) -> bool:
        """Whether nothing can be masked before this changes."""
        return self.level is None


class PlacedDocument(Document):
    """A policy that has no file: its messages say the place itself."""

    __slots__ = ()

    def locate(self, place: Place) -> str:
        """The place, so that `read_remark` finds it again."""
        return f"{_MARK}{json.dumps(place)}{_MARK}"


def read_placed(policy: Mapping[str, Any] | Policy, folder: Path) -> Policy:
    """Read a policy so that what is said of it later tells where.

    Args:
        policy: A mapping as `read_policy` takes it, or a Policy, which is returned as it is.
        folder: Where taxonomy files are looked up.

    Raises:
        PolicyError: It has mistakes, or asks for an epsilon.
    """
    if not isinstance(policy, Policy):
        policy = from_data(PlacedDocument(texts(policy), "policy", {}), folder)
    refuse_private(policy)
    return policy


def remarks_of_error(error: MaskwiseError) -> tuple[Remark, ...]:
    """The mistakes that an error lists."""
    if isinstance(error, PolicyError):
        return tuple(read_remark(mistake) for mistake in error.mistakes)
    if isinstance(error, InfeasibleError | InputError):
        is_infeasible = isinstance(error, InfeasibleError)
        lines = [line for line in str(error).splitlines() if line]
        return tuple(replace(read_remark(line), is_infeasible=is_infeasible) for line in lines)
    return (read_remark(str(error)),)


def remarks_of_messages(messages: Iterable[Message]) -> tuple[Remark, ...]:
    """Notes and warnings."""
    return tuple(read_remark(message.text, message.level) for message in messages)


def read_remark(text: str, level: Level | None = None) -> Remark:
    r"""Take a message apart.

    >>> read_remark('\x1f["requirements", 0]\x1f: k is at least 1; found 0. Raise it.')
    Remark(level=None, place=('requirements', 0), text='k is at least 1; found 0.', remedy='Raise it.')
    """
    place: Place = ()
    if text.startswith(_MARK):
        located, _, text = text[1:].partition(_MARK)
        place, text = tuple(json.loads(located)), text.removeprefix(": ")
    said, remedy = _first_sentence(text.replace(_MARK, ""))
    return Remark(level, place, said, remedy)


def _first_sentence(text: str) -> tuple[str, str]:
    """Part a message after its first sentence; a full stop inside backticks ends none."""
    is_quoted = False
    for i, letter in enumerate(text):
        if letter == "`":
            is_quoted = not is_quoted
        is_end = letter in ".!?" and text[i + 1 : i + 2] == " " and text[i + 2 : i + 3].isupper()
        if is_end and not is_quoted:
            return text[: i + 1], text[i + 2 :]
    return text, ""
