"""ICD-10: codes of diagnoses, their categories, blocks and chapters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from maskwise.policy.rules.icd10_blocks import CHAPTER_RANGES, CHAPTERS, OUT_OF_ORDER
from maskwise.policy.rules.level_names import levels_data, read_names, split_options

LEVELS = ("code", "category", "block", "chapter")
"""All levels, the finest first."""
_VERSIONS = {"version": ("who", "cm")}
_CODE = re.compile(r"([A-Z][0-9][0-9AB]|QA0)\.?(?:([0-9A-Z]{1,4})-?|-)?[†*+!#]?", re.ASCII)
"""A category and what follows it; a dash stands for what was left out, a mark for the role of the code."""


@dataclass(frozen=True, slots=True)
class Icd10:
    """Diagnoses by the International Classification of Diseases, 10th revision.

    `E11.9`, `E119` and `e11.9` are one value. Blocks differ between the
    classification of WHO, which most countries follow, and the clinical
    modification (CM) of the United States.

    >>> Icd10().path("E119")
    ('Chapter IV (E00-E90)', 'E10-E14', 'E11.-', 'E11.9')
    >>> Icd10(version="cm").path("E11.9")[:2]
    ('Chapter 4 (E00-E89)', 'E08-E13')
    """

    levels: tuple[str, ...] = LEVELS[::-1]
    """The chosen levels, the coarsest first."""
    version: str = "who"
    """`who`, or `cm` for codes of up to seven characters."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "icd10"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read what stands beside the key: levels, the finest first, or `{levels: [...], version: cm}`."""
        levels, options = split_options("icd10", data, _VERSIONS)
        return cls(read_names("icd10", levels, LEVELS, all_by_default=True), **options)

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a code; None if it is none, or of no chapter.

        A category without a block, which a country may have added, stands right below its chapter.
        """
        found = _CODE.fullmatch(text.strip().upper())
        if found is None:
            return None
        category, rest = found.groups()
        chapter, block = _places(category, self.version)
        if chapter is None:
            return None
        labels = {
            "chapter": chapter,
            "block": block,
            # With codes below it, a category is written as ICD writes it, so that it is not taken for a bare code.
            "category": f"{category}.-" if "code" in self.levels else category,
            "code": category if rest is None else f"{category}.{rest}",
        }
        return tuple(label for level in self.levels if (label := labels[level]) is not None) or (chapter,)

    def to_data(self) -> Any:
        """What a policy says."""
        return levels_data(self.levels, {} if self.version == "who" else {"version": self.version})


@cache
def _ranges(version: str) -> tuple[tuple[str, str, str, str], ...]:
    """Every block as first and last category, its label and that of its chapter."""
    found = []
    for number, listed in CHAPTERS[version].items():
        blocks = listed.split()
        whole = CHAPTER_RANGES[version].get(number, f"{blocks[0][:3]}-{blocks[-1][-3:]}")
        found += [(block[:3], block[-3:], block, f"Chapter {number} ({whole})") for block in blocks]
    return tuple(found)


@cache
def _places(category: str, version: str) -> tuple[str | None, str | None]:
    """The labels of the chapter and of the block of a category, where it has one."""
    if version == "who" and not category[1:].isdigit():
        return None, None
    ranges = _ranges(version)
    own = OUT_OF_ORDER.get(category, f"{category}-{category}")
    for low, high, block, chapter in (*(one for one in ranges if one[2] == own), *ranges):
        if block == own or low <= category <= high:
            return chapter, block
    chapters = dict.fromkeys(chapter for *_, chapter in ranges)
    return next((label for label in chapters if label[-8:-5] <= category <= label[-4:-1]), None), None
