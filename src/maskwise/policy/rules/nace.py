"""NACE: economic activities of the European Union by class, group, division and section."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Self

from maskwise.policy.rules.level_names import levels_data, read_names, split_options

LEVELS = ("class", "group", "division", "section")
"""All levels, the finest first."""
_VERSIONS = {"version": ("2", "2.1")}
_CODE = re.compile(
    r"([A-V])?\s?(?:([0-9])(?=\.)|([0-9]{2}))(?:\.?([0-9])(?:([0-9])(?:\.?[0-9]{1,2}|[A-Z])?)?)?", re.ASCII
)
"""Section, division (with its zero lost or not), group, class and what a country added."""
SECTIONS: Final = {
    "2": (
        "A 01-03 B 05-09 C 10-33 D 35-35 E 36-39 F 41-43 G 45-47 H 49-53 I 55-56 J 58-63 K 64-66 L 68-68 M 69-75 "
        "N 77-82 O 84-84 P 85-85 Q 86-88 R 90-93 S 94-96 T 97-98 U 99-99"
    ),
    "2.1": (
        "A 01-03 B 05-09 C 10-33 D 35-35 E 36-39 F 41-43 G 46-47 H 49-53 I 55-56 J 58-60 K 61-63 L 64-66 M 68-68 "
        "N 69-75 O 77-82 P 84-84 Q 85-85 R 86-88 S 90-93 T 94-96 U 97-98 V 99-99"
    ),
}
"""For each revision its sections, and the first and the last division of each."""


@dataclass(frozen=True, slots=True)
class Nace:
    """Economic activities by NACE Rev. 2, or Rev. 2.1 in which sections have other letters.

    `01.11`, `0111`, `A01.11` and `1.11` are one value, and so is a code that a
    country divides further, such as `01.11Z`.

    >>> Nace().path("62.01")
    ('J (58-63)', '62.**', '62.0*', '62.01')
    >>> Nace(version="2.1").path("62.01")[0]
    'K (61-63)'
    """

    levels: tuple[str, ...] = LEVELS[::-1]
    """The chosen levels, the coarsest first."""
    version: str = "2"
    """The revision, `2` or `2.1`."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "nace"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read what stands beside the key: levels, the finest first, or `{levels: [...], version: 2.1}`."""
        levels, options = split_options("nace", data, _VERSIONS)
        return cls(read_names("nace", levels, LEVELS, all_by_default=True), **options)

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a code; None if it is none, or its letter and its division do not belong together."""
        code = text.strip().upper()
        sections = _sections(self.version)
        if code in sections:
            above = (_label(code, sections),) if self.levels[0] == "section" else ()
            return above if self.levels == ("section",) else (*above, code)
        found = _CODE.fullmatch(code)
        if found is None:
            return None
        letter, short, long, group, last = found.groups()
        division = f"0{short}" if short else long
        section = next((name for name, (low, high) in sections.items() if low <= division <= high), None)
        if section is None or letter not in {None, section}:
            return None
        own = division + (f".{group}{last or ''}" if group else "")
        labels = {
            "section": _label(section, sections),
            "division": f"{division}.**",
            "group": group and f"{division}.{group}*",
            "class": last and own,
        }
        path = tuple(label for level in self.levels if (label := labels[level]) is not None)
        # A code that is shorter than the finest level ends with itself, as somebody of whom no more is known.
        return path if labels[self.levels[-1]] is not None else (*path, own)

    def to_data(self) -> Any:
        """What a policy says."""
        return levels_data(self.levels, {} if self.version == "2" else {"version": self.version})


def _sections(version: str) -> dict[str, tuple[str, str]]:
    words = SECTIONS[version].split()
    return {name: (span[:2], span[3:]) for name, span in zip(words[::2], words[1::2], strict=True)}


def _label(section: str, sections: dict[str, tuple[str, str]]) -> str:
    return f"{section} ({'-'.join(dict.fromkeys(sections[section]))})"
