"""Which rule fits the codes of a column: one that says for any value, also a later one, what stands above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.policy.rules import icd10, isco, nace, naics, un
from maskwise.suggestion.shapes import Shape
from maskwise.suggestion.vocabulary import Meaning

if TYPE_CHECKING:
    from maskwise.suggestion.evidence import ColumnEvidence

OTHER = "other values"
"""What a rule shows of values that it cannot read."""
_LEVELS: dict[Shape, tuple[str, tuple[str, ...], str]] = {
    Shape.COUNTRY: ("un", un.LEVELS, "countries are shown as themselves or as regions of the United Nations"),
    Shape.ICD10: ("icd10", icd10.LEVELS, "diagnoses are shown as codes, categories, blocks or chapters"),
    Shape.ISCO: ("isco", isco.LEVELS, "occupations are shown by as many digits as fit"),
    Shape.NACE: ("nace", nace.LEVELS, "activities are shown by class, group, division or section"),
    Shape.NAICS: ("naics", naics.LEVELS, "industries are shown by as many digits as fit"),
}
"""For each code system its rule, all levels, and what is shown."""
_PLAIN = {None, Shape.CODE, Shape.INTEGER, Shape.SOME_NUMBERS}
"""What postcodes may look like that only their name tells."""
_AGES: list[Any] = [5, 10, 20]
_DATES: list[Any] = ["month", "year", "decade"]
"""Fixed grids, where some cells cannot be read."""
_REFUSED = "which intervals would refuse"


@dataclass(frozen=True, slots=True)
class Masking:
    """An entry of `attributes`."""

    entry: Any
    """The entry as plain data."""
    reason: str
    """Why this one, and what the owner could write instead."""

    @property
    def is_hiding(self) -> bool:
        """Whether values are shown or hidden, without anything between."""
        return bool(self.entry == "suppress")


def choose_rule(column: ColumnEvidence) -> Masking | None:
    """The rule for a column of codes; None where none fits, or intervals do better.

    Args:
        column: What was counted of it.
    """
    shape = None if column.shape is None else column.shape.shape
    if shape is not None and shape in _LEVELS:
        return _by_levels(column, shape)
    if shape is Shape.POSTCODE or (column.meaning is Meaning.POSTCODE and shape in _PLAIN):
        most = max((column.width + 1) // 2, 1)
        return _rule("prefix", list(range(most, 0, -1)), f"at most the first {most} of {column.width} characters")
    for own, is_fitting, key, levels, said in (
        ({Shape.IP}, True, "network", [24, 16, 8], "addresses are shown as networks"),
        ({Shape.HOST}, True, "domain", [3, 2, 1], "hosts are shown by the last names of their domains"),
        (
            {Shape.DATE, Shape.TIMESTAMP},
            column.ends is None,
            "calendar",
            _DATES,
            f"some cells are no dates, {_REFUSED}",
        ),
        (
            {Shape.LOCAL_DATE},
            len(column.forms) > 1,
            "calendar",
            _DATES,
            f"dates, once the policy says how they are written: {' or '.join(column.date_forms)}",
        ),
        ({Shape.SOME_NUMBERS}, column.meaning is Meaning.AGE, "steps", _AGES, f"some cells are no numbers, {_REFUSED}"),
    ):
        if shape in own and is_fitting:
            return _rule(key, levels, said)
    return None


def _by_levels(column: ColumnEvidence, shape: Shape) -> Masking | None:
    """The rule of a code system with all its levels, if what it needs is installed."""
    key, levels, said = _LEVELS[shape]
    version = column.shape.what if column.shape is not None and shape is Shape.ICD10 else ""
    entry = {"levels": list(levels), "version": version} if version else list(levels)
    return _rule(key, entry, said) if _is_usable(shape) else None


def _is_usable(shape: Shape) -> bool:
    """Whether what a rule needs is installed: countries come with an optional package."""
    try:
        return shape is not Shape.COUNTRY or bool(un.all_countries())
    except InputError:
        return False


def _rule(key: str, levels: Any, said: str) -> Masking:
    return Masking({key: levels, "other": f"under {OTHER}"}, said)
