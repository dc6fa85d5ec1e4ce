"""NAICS: industries of North America by sector, subsector, industry group, industry and national industry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Self

from maskwise.policy.rules.digit_codes import digit_path
from maskwise.policy.rules.level_names import levels_data, read_names

LEVELS = ("national", "industry", "group", "subsector", "sector")
"""All levels, the finest first."""
WIDTHS = {"national": 6, "industry": 5, "group": 4, "subsector": 3, "sector": 2}
"""How many digits each level has."""
_CODE = re.compile(r"[0-9]{2,6}", re.ASCII)
SECTORS: Final = "11 21 22 23 31-33 42 44-45 48-49 51 52 53 54 55 56 61 62 71 72 81 92"
"""The sectors since 1997; three of them have several pairs of digits."""
SECTOR_OF: Final = {
    f"{digits:02}": sector for sector in SECTORS.split() for digits in range(int(sector[:2]), int(sector[-2:]) + 1)
}
"""For each pair of digits its sector."""


@dataclass(frozen=True, slots=True)
class Naics:
    """Industries by the North American Industry Classification System.

    >>> Naics().path("332710")
    ('31-33****', '332***', '3327**', '33271*', '332710')
    """

    levels: tuple[str, ...] = LEVELS[::-1]
    """The chosen levels, the coarsest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "naics"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read what stands beside the key: levels, the finest first."""
        return cls(read_names("naics", data, LEVELS, all_by_default=True))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a code of two to six digits, or of a sector such as `31-33`; None if it is none."""
        code = text.strip()
        if code in SECTOR_OF.values() and "-" in code:
            above = (f"{code}****",) if self.levels[0] == "sector" else ()
            return above if self.levels == ("sector",) else (*above, code)
        if not _CODE.fullmatch(code) or code[:2] not in SECTOR_OF:
            return None
        heads = {digits: f"{sector}****" for digits, sector in SECTOR_OF.items()}
        return digit_path(code, WIDTHS, self.levels, heads)

    def to_data(self) -> Any:
        """What a policy says."""
        return levels_data(self.levels)
