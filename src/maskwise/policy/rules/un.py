"""Countries by the regions of the United Nations (M49), from the data of an optional package."""

from __future__ import annotations

import csv
import re
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
_CORRECTED: Final = {"NRU": "Micronesia"}
"""Where M49 says something else than the package (1.3.2)."""


@dataclass(frozen=True, slots=True)
class UnRegion:
    """Countries by subregion and region of the United Nations.

    `DE`, `DEU`, `276`, `Germany` and `Federal Republic of Germany` are one value,
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
        country = country_called(text.strip().casefold())
        if country is None:
            return None
        code, subregion = country
        labels = {"country": code, "subregion": subregion, "region": _REGION_OF[subregion]}
        return tuple(dict.fromkeys(labels[level] for level in self.levels))

    def to_data(self) -> Any:
        """What a policy says."""
        return levels_data(self.levels)


@cache
def all_countries() -> tuple[dict[str, tuple[str, str]], tuple[tuple[re.Pattern[str], tuple[str, str]], ...]]:
    """Countries by everything that they are called exactly, and by patterns of their names."""
    named: dict[str, tuple[str, str]] = {}
    patterns = []
    for row in _rows():
        if row["obsolete"] or row["UNregion"] not in _REGION_OF:
            continue
        country = (row["ISO3"], _CORRECTED.get(row["ISO3"], row["UNregion"]))
        names = [row[key].casefold() for key in ("name_short", "name_official", "ISO2", "ISO3")]
        for name in (*names, row["ISOnumeric"], row["ISOnumeric"].zfill(3)):
            named.setdefault(name, country)
        patterns.append((re.compile(row["regex"], re.IGNORECASE), country))
    named.pop("", None)
    return named, tuple(patterns)


def _rows() -> list[dict[str, str]]:
    """The table of the package, read as it is: to import the package needs pandas, and takes half a second."""
    found = find_spec("country_converter")
    if found is None or not found.submodule_search_locations:
        msg = (
            "The rule `un` knows countries from the `countries` extra. "
            'Install it with: pip install "maskwise[countries]"'
        )
        raise InputError(msg)
    path = Path(next(iter(found.submodule_search_locations))) / "country_data.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@cache
def country_called(text: str) -> tuple[str, str] | None:
    """Code and subregion of what is called so, in lower case; a name that fits two countries is none of them."""
    named, patterns = all_countries()
    if text in named:
        return named[text]
    fitting = {country for pattern, country in patterns if pattern.search(text)}
    return fitting.pop() if len(fitting) == 1 else None
