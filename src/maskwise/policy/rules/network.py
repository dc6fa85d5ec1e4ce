"""Addresses of the Internet, by the network that they are in."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from maskwise.errors import PolicyError
from maskwise.policy.rules.level_lists import read_counts

_LONGEST = {4: 32, 6: 128}


@dataclass(frozen=True, slots=True)
class Network:
    """Keeps the first bits of an IPv4 or IPv6 address.

    >>> Network((24, 16, 8)).path("192.0.2.33")
    ('192.0.0.0/8', '192.0.0.0/16', '192.0.2.0/24')
    >>> Network((24, 16)).path("2001:db8:7:1::1")
    ('2001:db8::/32', '2001:db8:7::/48')
    """

    bits: tuple[int, ...]
    """How many bits of an IPv4 address each level keeps, the finest first."""
    bits_of_6: tuple[int, ...] = ()
    """The same of an IPv6 address; without any, twice as many as of the other."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "network"

    @property
    def levels(self) -> tuple[str, ...]:
        """The numbers of bits of an IPv4 address, the coarsest first."""
        return tuple(str(n) for n in reversed(self.bits))

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read how many bits are kept: a list, or `{v4: [24, 16], v6: [48, 32]}`."""
        if not isinstance(data, Mapping):
            return cls(read_counts("network", data, "[24, 16, 8]", most=32))
        if set(data) != {"v4", "v6"}:
            raise PolicyError(
                ["`network` has a list of bits, or both v4 and v6: network: {v4: [24, 8], v6: [48, 32]}."]
            )
        bits = read_counts("network", data["v4"], "{v4: [24, 8], v6: [48, 32]}", most=32)
        bits_of_6 = read_counts("network", data["v6"], "{v4: [24, 8], v6: [48, 32]}", most=128)
        if len(bits) != len(bits_of_6):
            raise PolicyError(["v4 and v6 of `network` have as many levels: network: {v4: [24, 8], v6: [48, 32]}."])
        return cls(bits, bits_of_6)

    def path(self, text: str) -> tuple[str, ...] | None:
        """The networks of an address; None of what is no address."""
        try:
            address = ipaddress.ip_address(text.strip())
        except ValueError:
            return None
        if isinstance(address, ipaddress.IPv6Address):
            if address.scope_id is not None:
                return None
            kept = self.bits_of_6 or tuple(2 * n for n in self.bits)
        else:
            kept = self.bits
        longest = _LONGEST[address.version]
        number = int(address)
        make = ipaddress.IPv4Address if address.version == 4 else ipaddress.IPv6Address  # noqa: PLR2004
        return tuple(
            str(address) if n == longest else f"{make(number >> (longest - n) << (longest - n))}/{n}"
            for n in reversed(kept)
        )

    def to_data(self) -> Any:
        """What a policy says."""
        return {"v4": list(self.bits), "v6": list(self.bits_of_6)} if self.bits_of_6 else list(self.bits)
