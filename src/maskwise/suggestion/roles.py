"""What part each column has in a policy, and why: by its name, its cells and its counts, in this order of weight."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.suggestion.names import speaks_of_name
from maskwise.suggestion.shapes import Shape
from maskwise.suggestion.vocabulary import ARTICLE_9, DEMOGRAPHIC, IDENTIFYING, SENSITIVE, Meaning
from maskwise.suggestion.wording import percent, values_text
from maskwise.values.scales import Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.suggestion.evidence import ColumnEvidence


class Role(StrEnum):
    """The part of a column in a policy."""

    IDENTIFIER = "identifier"
    """It names a person by itself: left out."""
    PERSON = "person"
    """It says whom a record is about, and persons have several: they are counted instead of records."""
    CLASS = "class"
    """What recipients predict."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Others may know it: masked."""
    SENSITIVE = "sensitive"
    """Nobody shall be able to infer it."""
    REPEATED = "repeated"
    """Another column says the same: left out."""
    CONSTANT = "constant"
    """It says nothing: left out."""
    FREE_TEXT = "free text"
    """It may say anything: left out."""
    UNREADABLE = "unreadable"
    """Its cells cannot be counted: left out."""
    GIVEN_AWAY = "tells the class"
    """It is filled only where the class has one value: left out."""
    BEYOND = "beyond"
    """There are more columns than a search can protect: left out."""

    @property
    def is_left_out(self) -> bool:
        """Whether a column with this role stands in `drop`."""
        return self in {
            Role.IDENTIFIER,
            Role.REPEATED,
            Role.CONSTANT,
            Role.FREE_TEXT,
            Role.UNREADABLE,
            Role.GIVEN_AWAY,
            Role.BEYOND,
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """The role of a column and what speaks for it."""

    role: Role
    """The role."""
    reason: str
    """Why, in a sentence without any cell."""


LEAST_RECORDS = 20
"""Of fewer records, different values say nothing."""
_NEARLY_ALL = 0.9
"""From so many different values for each cell on a column tells people apart."""
_MOSTLY = 0.5
"""A key, or a text of somebody's own, has so many different values for each cell."""
_CATEGORY = 12
"""With so few values, that also repeat, a column is a category whatever it is called."""
_REPEATS = 0.2
"""A category has fewer different values for each cell."""
LEAST_PERSONS = 20
"""With fewer values a column is no key of persons."""
_SHARING = 0.05
"""So many records must share a person's key with another record."""
_SINGLED_OUT = 0.01
"""A number that singles out more records is masked, even if it is sensitive."""
_MOST_CLASSES = 20
"""A class that is guessed has at most so many values."""
_FIVE_DIGITS = 10**5
"""Numbers with leading zeros below this may be postcodes, which many tables have only once each."""
_LONG = 10**6
"""Numbers from here on, all of one length, are numbers of something rather than amounts."""
_LONG_LABELS = 0.05
"""Long texts that repeat so much are labels of a category."""

_IDENTIFYING_SHAPES = frozenset({
    Shape.EMAIL, Shape.IBAN, Shape.CARD, Shape.NATIONAL_ID, Shape.UUID, Shape.MAC, Shape.PHONE, Shape.ADDRESS,
    Shape.NAME,
})  # fmt: skip
_REPEATED_KEYS = frozenset({Meaning.PERSON_KEY, Meaning.CASE_KEY})
"""What several records of one person have in common."""
_SENSITIVE_SHAPES = frozenset({Shape.ICD10, Shape.ATC})
_KNOWN_SHAPES = frozenset({Shape.POSTCODE, Shape.COUNTRY, Shape.DATE, Shape.TIMESTAMP, Shape.LOCAL_DATE, Shape.TIME})


def judge_columns(columns: Sequence[ColumnEvidence], class_name: str | None) -> dict[str, Judgement]:
    """Judge every column by itself; of several that could be the person or the class, one is chosen.

    Args:
        columns: What was counted.
        class_name: The class, if it is given.
    """
    found = {
        column.name: Judgement(Role.CLASS, _given_class(column)) if column.name == class_name else judge(column)
        for column in columns
    }
    for role, rest in ((Role.PERSON, Role.IDENTIFIER), (Role.CLASS, Role.QUASI_IDENTIFIER)):
        named = [name for name, judgement in found.items() if judgement.role is role]
        chosen = class_name if role is Role.CLASS and class_name is not None else _first(named, columns)
        for name in named:
            if name != chosen:
                found[name] = Judgement(rest, f"{found[name].reason}; `{chosen}` is the {role} already")
    return found


def refuse_class(column: ColumnEvidence) -> None:
    """Refuse a given class that names people or tells nothing: a class is released as it is."""
    found = judge(column)
    if found.role.is_left_out or found.role is Role.PERSON:
        what = "the key of a person" if found.role is Role.PERSON else found.role
        msg = (
            f"Column `{column.name}` is given as the class, which is released as it is, but it seems to be {what}: "
            f"{found.reason}. Name another class, or write it into the policy yourself."
        )
        raise InputError(msg)


def is_secret_class(column: ColumnEvidence) -> bool:
    """Whether a class is also what nobody shall be able to infer, so that it is protected too."""
    found = _sensitive(column)
    return found is not None and found.role is Role.SENSITIVE


def _given_class(column: ColumnEvidence) -> str:
    said = ["named as the class"]
    if is_secret_class(column):
        said.append(f"its name says {column.meaning}, so it is protected below")
    elif column.singled_out > _SINGLED_OUT:
        said.append(f"it is released as it is, though its value alone singles out {percent(column.singled_out)}")
    return "; ".join(said)


def _first(names: Sequence[str], columns: Sequence[ColumnEvidence]) -> str | None:
    """The key of a person before other identifiers that repeat, that of a case last; then the table's order."""
    meaning = {column.name: column.meaning for column in columns}
    ranks = {Meaning.PERSON_KEY: -1, Meaning.CASE_KEY: 1}
    rank = {name: 0 if (known := meaning[name]) is None else ranks.get(known, 0) for name in names}
    return min(names, key=lambda name: (rank[name], names.index(name)), default=None)


def judge(column: ColumnEvidence) -> Judgement:
    """The role of one column."""
    if not column.is_countable:
        return Judgement(Role.UNREADABLE, "its cells are lists, bytes or other things that cannot be counted")
    if column.n_distinct == 0:
        return Judgement(Role.CONSTANT, "all its cells are missing")
    if column.n_distinct == 1 and not column.n_missing:
        return Judgement(Role.CONSTANT, "all its cells are the same")
    return (
        _identifier(column)
        or _free_text(column)
        or _guessed_class(column)
        or _sensitive(column)
        or _known(column)
        or _differing(column)
        or Judgement(Role.QUASI_IDENTIFIER, f"somebody may know it; {values_text(column)}")
    )


def _is_category(column: ColumnEvidence) -> bool:
    """Whether a column has a few values that repeat: a category, whatever its name is."""
    return column.is_boolean or (column.n_distinct <= _CATEGORY and column.distinction < _REPEATS)


def _is_amount(column: ColumnEvidence) -> bool:
    """Whether the values are numbers, and not all of a great length."""
    if column.scale not in {Scale.INTEGER, Scale.REAL} or column.ends is None:
        return False
    return column.scale is Scale.REAL or column.ends[0] < _LONG


def _identifier(column: ColumnEvidence) -> Judgement | None:
    return None if _is_category(column) else _shaped_identifier(column) or _named_identifier(column)


def _shaped_identifier(column: ColumnEvidence) -> Judgement | None:
    """What names a person by the shape of its cells; a place or a job may look like a name."""
    if column.shape is None:
        return None
    shape, is_worded = column.shape.shape, column.shape.shape in {Shape.NAME, Shape.ADDRESS}
    is_known = column.meaning in DEMOGRAPHIC and (shape is Shape.NAME or column.distinction < _MOSTLY)
    if shape in _IDENTIFYING_SHAPES and not (is_worded and is_known):
        kind = _of_kind(column.shape.what or shape)
        may_repeat = column.meaning in _REPEATED_KEYS or not (is_worded or shape is Shape.UUID)
        return _key(column, f"{percent(column.shape.share)} of the values looked at are {kind}", may_repeat=may_repeat)
    if shape is Shape.URL and column.distinction >= _MOSTLY:
        return Judgement(Role.IDENTIFIER, f"web addresses; {values_text(column)}")
    return None


def _named_identifier(column: ColumnEvidence) -> Judgement | None:
    """What names a person by the name of the column."""
    meaning = column.meaning
    why = f"its name says {meaning}"
    if meaning in {None, Meaning.NAME, Meaning.FAMILY}:
        return _person_name(column)
    if meaning in IDENTIFYING and not (_is_amount(column) and column.distinction < _MOSTLY):
        return _key(column, why, may_repeat=meaning in {Meaning.NATIONAL_ID, Meaning.EMAIL})
    is_decimal = column.scale is Scale.REAL and column.shape is not None and column.shape.shape is not Shape.INTEGER
    if is_decimal or meaning not in {*_REPEATED_KEYS, Meaning.KEY}:
        return None
    if meaning in _REPEATED_KEYS and column.n_distinct >= min(LEAST_PERSONS, column.n_cells):
        return _key(column, why, may_repeat=True)
    return Judgement(Role.IDENTIFIER, f"{why}; {values_text(column)}") if column.distinction >= _MOSTLY else None


def _person_name(column: ColumnEvidence) -> Judgement | None:
    """What names a person by a name, which is no number or date: `last` may say when."""
    if column.scale is not None:
        return None
    if column.meaning is Meaning.NAME:
        return _key(column, f"its name says {column.meaning}", may_repeat=False)
    if column.distinction < _MOSTLY:
        return None
    if column.meaning is Meaning.FAMILY:
        return Judgement(Role.IDENTIFIER, f"its name says family, but it differs as names do; {values_text(column)}")
    said = f"its name says the name of somebody or something; {values_text(column)}"
    return Judgement(Role.IDENTIFIER, said) if speaks_of_name(column.name) else None


def _of_kind(kind: str) -> str:
    return kind if kind.islower() or kind in set(Shape) else f"valid as {kind}s"


def _key(column: ColumnEvidence, why: str, *, may_repeat: bool) -> Judgement:
    """An identifier, or the key of persons with several records."""
    n_sharing = 1 - column.singled_out
    is_repeated = may_repeat and column.n_distinct >= LEAST_PERSONS and n_sharing >= _SHARING
    if is_repeated and column.n_missing:
        return Judgement(
            Role.IDENTIFIER,
            f"{why}; persons have several records, but {column.n_missing:,} cells are missing, so it is not `person`",
        )
    if is_repeated:
        mean = column.n_cells / column.n_distinct
        return Judgement(Role.PERSON, f"{why}; {column.n_distinct:,} persons with {mean:.1f} records on average")
    return Judgement(Role.IDENTIFIER, f"{why}; {values_text(column)}")


def _free_text(column: ColumnEvidence) -> Judgement | None:
    is_shaped = column.shape is not None and column.shape.shape is Shape.FREE_TEXT
    is_text = column.shape is None or is_shaped or column.shape.shape is Shape.SOME_NUMBERS
    is_known = column.meaning in DEMOGRAPHIC and column.distinction < _NEARLY_ALL
    if is_shaped and column.distinction >= _LONG_LABELS and column.n_distinct > _CATEGORY and not is_known:
        return Judgement(Role.FREE_TEXT, f"long texts, which may say anything; {values_text(column)}")
    if column.meaning is Meaning.FREE_TEXT and is_text and column.distinction >= _REPEATS:
        return Judgement(Role.FREE_TEXT, f"its name says {column.meaning}; {values_text(column)}")
    return None


def _guessed_class(column: ColumnEvidence) -> Judgement | None:
    if column.meaning is Meaning.CLASS and 2 <= column.n_distinct <= _MOST_CLASSES:  # noqa: PLR2004
        return Judgement(Role.CLASS, f"its name says {column.meaning}; {values_text(column)}")
    return None


def _sensitive(column: ColumnEvidence) -> Judgement | None:
    coded = column.shape if column.shape is not None and column.shape.shape in _SENSITIVE_SHAPES else None
    if column.meaning not in SENSITIVE and coded is None:
        return None
    why = f"its name says {column.meaning}"
    if coded is not None:
        why = f"{percent(coded.share)} of the values looked at are {coded.shape}"
    is_coded = coded is not None
    law = ", a special category of GDPR article 9" if is_coded or column.meaning in ARTICLE_9 else ""
    is_wide = column.singled_out > _SINGLED_OUT and (column.scale is not None or column.distinction >= _MOSTLY)
    if is_wide and not is_coded:
        return _differing(column) or Judgement(
            Role.QUASI_IDENTIFIER,
            f"{why}{law}, but its value alone singles out {percent(column.singled_out)}, so it is masked",
        )
    return Judgement(Role.SENSITIVE, f"{why}{law}; {values_text(column)}")


def _known(column: ColumnEvidence) -> Judgement | None:
    """What others may know of a person, by its name or its shape."""
    if column.meaning in DEMOGRAPHIC:
        return Judgement(Role.QUASI_IDENTIFIER, f"its name says {column.meaning}; {values_text(column)}")
    if column.meaning is Meaning.NETWORK or (column.shape is not None and column.shape.shape is Shape.IP):
        return Judgement(Role.QUASI_IDENTIFIER, f"{Meaning.NETWORK}; {values_text(column)}")
    if column.shape is not None and column.shape.shape in _KNOWN_SHAPES:
        return Judgement(Role.QUASI_IDENTIFIER, f"{column.shape.shape}; {values_text(column)}")
    return None


def _differing(column: ColumnEvidence) -> Judgement | None:
    """What tells people apart because it differs in nearly every record; amounts differ too."""
    if column.n_cells < LEAST_RECORDS or column.distinction < _NEARLY_ALL:
        return None
    differs = f"it differs in nearly every record; {values_text(column)}"
    if column.scale is None:
        is_amount = column.shape is not None and column.shape.shape is Shape.LOCAL_NUMBER
        return None if is_amount else Judgement(Role.IDENTIFIER, differs)
    if column.ends is None or column.scale is not Scale.INTEGER:
        return None
    low, high = column.ends
    if column.has_zeros and high >= _FIVE_DIGITS:
        return Judgement(Role.IDENTIFIER, f"numbers with leading zeros; {differs}")
    is_counted = column.n_distinct == column.n_cells and high - low < 2 * column.n_distinct
    is_long = low >= _LONG and len(str(int(low))) == len(str(int(high)))
    return (
        Judgement(
            Role.IDENTIFIER, f"numbers that {'count the records' if is_counted else 'are all of one length'}; {differs}"
        )
        if is_counted or is_long
        else None
    )
