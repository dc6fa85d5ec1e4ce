"""Mail addresses and hosts, by the domain that they are in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from maskwise.errors import PolicyError
from maskwise.policy.rules.level_lists import read_counts, shown

_ADDRESS = "address"
_EXAMPLE = "[address, 3, 2, 1]"
_HOST = re.compile(r"[^\s@.*\"'<>,;:]+(\.[^\s@.*\"'<>,;:]+)*")
_ITSELF = " itself"
"""Marks a host that has no name in front of its domain: no host has a blank in it."""


@dataclass(frozen=True, slots=True)
class DomainNames:
    """Keeps the last names of a host, in small letters.

    >>> DomainNames((3, 2, 1)).path("user@mail.example.org")
    ('org', 'example.org', 'mail.example.org')
    >>> DomainNames((3, 2, 1)).path("example.org"), DomainNames((2,), has_address=True).path("a@b.example.org")
    (('org', 'example.org', 'example.org itself'), ('example.org', 'a@b.example.org'))
    """

    kept: tuple[int, ...]
    """How many names each level keeps, the finest first."""
    has_address: bool = False
    """Whether the finest level shows the whole address."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "domain"

    @property
    def levels(self) -> tuple[str, ...]:
        """The numbers of names, the coarsest first, and `address`."""
        return (*(str(n) for n in reversed(self.kept)), *([_ADDRESS] if self.has_address else []))

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read how many names are kept; `address` may stand first."""
        given = list(data) if isinstance(data, list | tuple) else [data]
        has_address = given[:1] == [_ADDRESS]
        kept = given[1:] if has_address else given
        if not kept:
            msg = f"`domain` lists how many names are kept, the most first: domain: {_EXAMPLE}; found {shown(data)}."
            raise PolicyError([msg])
        return cls(read_counts("domain", kept, _EXAMPLE, most=20), has_address)

    def path(self, text: str) -> tuple[str, ...] | None:
        """The domains of an address or a host; None of what is neither."""
        whole = text.strip()
        user, at, host = whole.rpartition("@")
        host = host.casefold().removesuffix(".")
        if (at and not user) or not _HOST.fullmatch(host):
            return None
        names = host.split(".")
        n = len(names)
        found = [".".join(names[n - k :]) for k in reversed(self.kept) if k <= n]
        if self.has_address and at:
            return (*found, f"{user}@{host}")
        return (*found, host + _ITSELF) if self.has_address or n < self.kept[0] else tuple(found)

    def to_data(self) -> list[int | str]:
        """What a policy says."""
        return [*([_ADDRESS] if self.has_address else []), *self.kept]
