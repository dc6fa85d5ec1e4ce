"""ISCO-08: occupations by unit group, minor group, sub-major group and major group."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

from maskwise.policy.rules.digit_codes import digit_path
from maskwise.policy.rules.level_names import levels_data, read_names

LEVELS = ("unit", "minor", "submajor", "major")
"""All levels, the finest first."""
WIDTHS = {"unit": 4, "minor": 3, "submajor": 2, "major": 1}
"""How many digits each level has."""
_CODE = re.compile(r"[0-9]{1,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Isco:
    """Occupations by the International Standard Classification of Occupations.

    >>> Isco().path("2512")
    ('2***', '25**', '251*', '2512')
    """

    levels: tuple[str, ...] = LEVELS[::-1]
    """The chosen levels, the coarsest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "isco"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read what stands beside the key: levels, the finest first."""
        return cls(read_names("isco", data, LEVELS, all_by_default=True))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a code of one to four digits; None if it is none."""
        code = text.strip()
        return digit_path(code, WIDTHS, self.levels) if _CODE.fullmatch(code) else None

    def to_data(self) -> Any:
        """What a policy says."""
        return levels_data(self.levels)
