"""How a policy file writes a requirement: the keys of each model, and how their values are read.

A model says which keys it reads; `models` puts the keys of all models together,
and `formats.requirement_file` checks a file against them. Nothing here knows
about files, lines or pydantic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from maskwise.policy.requirements.qid import MOST_PARTS

if TYPE_CHECKING:
    from maskwise.policy.requirements.base import Requirement

Entry: TypeAlias = Mapping[str, Any]
"""An entry of a file after its values were read: only the keys that say something."""
_NUMBER = re.compile(r"[0-9]{0,20}\.?[0-9]{1,40}(e-?[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}|-[0-9.]{1,20}", re.IGNORECASE)


class ValueMistake(ValueError):  # noqa: N818 - a mistake of the file's author, reported as such
    """A value of a file that cannot be read."""

    def __init__(self, text: str, *, is_secret: bool = False) -> None:
        """Say what the value should be.

        Args:
            text: The complaint, without a full stop.
            is_secret: The value may hold sensitive values, so a complaint does not quote it.
        """
        super().__init__(text)
        self.is_secret = is_secret


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a requirement in a file."""

    name: str
    """How it is written."""
    type: Any = Any
    """What its value is once it is read: `int`, `list[str]`, an enumeration; Any where `read` decides."""
    read: Callable[[object], object] | None = None
    """Reads the value from texts, lists and mappings; raises `ValueMistake`."""
    least: int | None = None
    """The smallest number, or the fewest items of a list."""
    fields: tuple[Key, ...] = ()
    """For a mapping with keys of its own, all of which are needed: those."""


def only_stray(entry: Entry, stray: str | None) -> str | None:
    """The check of a model whose keys always fit together."""
    del entry
    return stray


@dataclass(frozen=True, slots=True)
class Model:
    """A privacy model as policy files write it."""

    lead: str
    """The key that tells it from other models. If several models' keys are given, the last one listed decides."""
    keys: tuple[Key, ...]
    """Every key that it reads. Models may share a key, with one meaning."""
    build: Callable[[Entry], Requirement]
    """Makes the requirement of an entry that fits; raises `PolicyError`."""
    misfit: Callable[[Entry, str | None], str | None] = only_stray
    """Says why the keys of an entry do not fit together. Also gets what is wrong with companions of other models."""
    attributes: str = "qid"
    """The key that names the attributes."""
    companions: tuple[str, ...] = ()
    """Keys that only go with its lead."""


def name_list(value: object) -> object:
    """One name is a list of one."""
    return [value] if isinstance(value, str) else value


QID = Key("qid", list[str], name_list, least=1)
"""The attributes that an attacker knows."""


def number(value: object, what: str) -> Fraction:
    """A number as it is written, so that 0.8 is 4/5 and not its nearest binary number.

    >>> number("0.8", "a share")
    Fraction(4, 5)
    """
    text = str(value).strip()
    try:
        if _NUMBER.fullmatch(text):
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    message = f"{what} is a number"
    raise ValueMistake(message)


def share(what: str) -> Callable[[object], Fraction]:
    """A reader of numbers above 0 and at most 1; whether they are is checked by the requirement.

    >>> share("a confidence")("3/4")
    Fraction(3, 4)
    """

    def read(value: object) -> Fraction:
        try:
            bound = number(value, what)
        except ValueMistake:
            message = f"{what} is a number above 0 and at most 1"
            raise ValueMistake(message) from None
        # Counts are compared as 64-bit numbers, so more than nine decimals are cut off, to the safe side.
        return bound if bound.denominator <= MOST_PARTS else Fraction(bound * MOST_PARTS // 1, MOST_PARTS)

    return read
