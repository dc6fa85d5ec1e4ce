"""Countries by the regions of the United Nations (M49), from the data of an optional package."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

from maskwise.errors import InputError
from maskwise.policy.rules.level_names import levels_data, read_names

LEVELS = ("country", "subregion", "region")
"""All levels, the finest first."""
REGIONS: Final = {
    "Africa": (
        "Northern Africa",
        "Eastern Africa",
        "Middle Africa",
        "Southern Africa",
        "Western Africa",
    ),
    "Americas": ("Caribbean", "Central America", "South America", "Northern America"),
    "Antarctica": ("Antarctica",),
    "Asia": ("Central Asia", "Eastern Asia", "South-eastern Asia", "Southern Asia", "Western Asia"),
    "Europe": ("Eastern Europe", "Northern Europe", "Southern Europe", "Western Europe"),
    "Oceania": ("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia"),
}
"""The regions of M49 and their subregions; where M49 divides a subregion, the parts."""
_REGION_OF: Final = {part: region for region, parts in REGIONS.items() for part in parts}
_CORRECTED: Final = {"HMD": "Australia and New Zealand", "MNE": "Southern Europe", "SRB": "Southern Europe"}
"""Where M49 says something else than the package (1.0.1)."""
_ADDED: Final = ({"name": "Kosovo", "ISO": {"alpha2": "XK", "alpha3": "XKX"}, "subregion": "Southern Europe"},)
"""What the package lacks: a code that ISO leaves to its users, and most European registers have."""
_FORMER: Final = frozenset({"ANT", "SCG"})
"""Codes that ISO has withdrawn."""


@dataclass(frozen=True, slots=True)
class UnRegion:
    """Countries by subregion and region of the United Nations.

    `DE`, `DEU`, `276`, `Germany`, `Deutschland` and `Allemagne` are one value,
    shown as `DEU`: three letters, since the two of Namibia, `NA`, are read as a
    missing cell by many programs.
    """

    levels: tuple[str, ...] = LEVELS[::-1]
    """The chosen levels, the coarsest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "un"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read what stands beside the key: levels, the finest first."""
        return cls(read_names("un", data, LEVELS, all_by_default=True))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a country; None if it is none, or more than one."""
        country = all_countries().get(_plain(text))
        if country is None:
            return None
        code, subregion = country
        labels = {"country": code, "subregion": subregion, "region": _REGION_OF[subregion]}
        return tuple(dict.fromkeys(labels[level] for level in self.levels))

    def to_data(self) -> Any:
        """What a policy says."""
        return levels_data(self.levels)


@cache
def all_countries() -> dict[str, tuple[str, str]]:
    """Code and subregion of countries by everything that they are called; a name that fits two of them is none."""
    named: dict[str, set[str]] = {}
    subregions: dict[str, str] = {}
    for row in (*_rows(), *_ADDED):
        codes = row["ISO"]
        code = codes["alpha3"]
        if code in _FORMER:
            continue
        parts = (_CORRECTED.get(code), row.get("intermediateregion"), row.get("subregion"), "Antarctica")
        subregions.setdefault(code, next(str(part) for part in parts if part in _REGION_OF))
        number = codes.get("numeric", "")
        own = [row["name"], row.get("nativeName", ""), codes["alpha2"], code, number, number.lstrip("0")]
        for name in (*own, *row.get("altSpellings", ()), *row.get("translations", {}).values()):
            named.setdefault(_plain(name), set()).add(code)
    named.pop("", None)
    unique = {name: countries.pop() for name, countries in named.items() if len(countries) == 1}
    return {name: (code, subregions[code]) for name, code in unique.items()}


def _rows() -> list[dict[str, Any]]:
    """The files of the package, read as they are: what it computes from them is not needed."""
    found = find_spec("countryinfo")
    if found is None or not found.submodule_search_locations:
        msg = (
            "The rule `un` knows countries from the `countries` extra. "
            'Install it with: pip install "maskwise[countries]"'
        )
        raise InputError(msg)
    folder = Path(next(iter(found.submodule_search_locations))) / "data"
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def _plain(name: str) -> str:
    """A name without accents, signs and what stands in brackets, in small letters.

    >>> _plain("Türkiye"), _plain("Bolivia (Plurinational State of)"), _plain("Côte d'Ivoire")
    ('turkiye', 'bolivia', 'cote d ivoire')
    """
    letters = unicodedata.normalize("NFKD", re.sub(r"\(.*?\)", " ", name).casefold())
    return " ".join(re.findall(r"\w+", "".join(letter for letter in letters if not unicodedata.combining(letter))))
