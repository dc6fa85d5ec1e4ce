"""A requirement as a policy and a solution file say it.

Pydantic checks the shape; `requirements` holds the result and refuses what
contradicts itself. Complaints get their line in `policy_file`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from maskwise.policy.requirements.closeness import Closeness, Distance
from maskwise.policy.requirements.confidence import Confidence
from maskwise.policy.requirements.diversity import Diversity, Measure
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.policy.requirements.lkc import LKC
from maskwise.policy.requirements.qid import MOST_PARTS

if TYPE_CHECKING:
    from maskwise.policy.requirements.all import Requirement

MISSING = "~"
"""How a policy names the missing value."""
KEYS = ("qid", "lkc", "k", "sensitive", "confidence", "diversity", "closeness", "distance", "order")
_NUMBER = re.compile(r"[0-9]{0,20}\.?[0-9]{1,40}(e-?[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}|-[0-9.]{1,20}", re.IGNORECASE)


def name_list(value: object) -> object:
    """One name is a list of one."""
    return [value] if isinstance(value, str) else value


def number(value: object, what: str) -> Fraction:
    """A number as it is written, so that 0.8 is 4/5 and not its nearest binary number."""
    text = str(value).strip()
    try:
        if _NUMBER.fullmatch(text):
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise PydanticCustomError("bound", "{what} is a number", {"what": what})


def _share(what: str) -> Any:
    def read(value: object) -> Fraction:
        try:
            bound = number(value, what)
        except PydanticCustomError:
            raise PydanticCustomError("bound", "{what} is a number above 0 and at most 1", {"what": what}) from None
        # Counts are compared as 64-bit numbers, so more than nine decimals are cut off, to the safe side.
        return bound if bound.denominator <= MOST_PARTS else Fraction(bound * MOST_PARTS // 1, MOST_PARTS)

    return read


_confidence = _share("a confidence")


def _protected(value: object) -> str | dict[str, list[tuple[str | None, Fraction | None]]]:
    """A column, or for each sensitive column its values, each with its own bound or none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise PydanticCustomError("protected", "`sensitive` is a mapping from a column to its values")
    found: dict[str, list[tuple[str | None, Fraction | None]]] = {}
    for column, values in value.items():
        if isinstance(values, Mapping):
            found[column] = [(_missing_or(text), _confidence(bound)) for text, bound in values.items()]
        elif isinstance(values, str | list) and all(text is None or isinstance(text, str) for text in values):
            listed = [values] if isinstance(values, str) else values
            found[column] = [(_missing_or(text), None) for text in listed]
        else:
            raise PydanticCustomError(
                "protected", "the values of a sensitive column are a list, or a mapping to bounds"
            )
    return found


def _missing_or(text: str | None) -> str | None:
    return None if text == MISSING else text


def _diversity(value: object) -> tuple[Measure, Fraction, Fraction]:
    """`{distinct: 3}`, `{entropy: 2.5}` or `{recursive: {c: 3, l: 2}}`."""
    mistake = PydanticCustomError(
        "protected", "`diversity` is {distinct: 3}, {entropy: 2.5} or {recursive: {c: 3, l: 2}}"
    )
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in set(Measure):
        raise mistake
    measure, level = Measure(next(iter(value))), next(iter(value.values()))
    if measure is not Measure.RECURSIVE:
        least = number(level, f"`{measure}`")
        # As with shares, more than nine decimals are cut off, to the safe side.
        is_long = measure is Measure.ENTROPY and least.denominator > MOST_PARTS
        return measure, Fraction(ceil(least * MOST_PARTS), MOST_PARTS) if is_long else least, Fraction(1)
    if not isinstance(level, Mapping) or set(level) != {"c", "l"}:
        raise mistake
    return measure, number(level["l"], "`l`"), number(level["c"], "`c`")


def _order(value: object) -> object:
    """The values from low to high; a complaint does not quote them."""
    if value is not None and not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        raise PydanticCustomError(
            "protected", "`order` is a list of values, such as [low, high]; a missing cell always comes last"
        )
    return value


class _Known(BaseModel):
    model_config = ConfigDict(extra="forbid")
    attributes: Annotated[list[str], BeforeValidator(name_list)] = Field(min_length=1)
    L: int


class RequirementEntry(BaseModel):
    """One requirement of a policy, before it is understood."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    qid: Annotated[list[str] | None, BeforeValidator(name_list)] = Field(default=None, min_length=1)
    lkc: _Known | None = None
    k: int | None = Field(default=None, ge=1)
    sensitive: Annotated[Any, BeforeValidator(_protected)] = None
    confidence: Annotated[Any, BeforeValidator(_confidence)] = None
    diversity: Annotated[Any, BeforeValidator(_diversity)] = None
    closeness: Annotated[Any, BeforeValidator(_share("a closeness"))] = None
    distance: Distance | None = None
    order: Annotated[list[str] | None, BeforeValidator(_order)] = None

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        mistake = self._misfit()
        if mistake is not None:
            raise PydanticCustomError("kind", mistake)
        return self

    def _misfit(self) -> str | None:  # noqa: PLR0911 - one for each way not to fit together
        if (self.qid is None) == (self.lkc is None):
            return (
                "`qid` is missing. Add it, or `lkc`"
                if self.qid is None
                else "`qid` and `lkc` are two requirements. Write one line for each"
            )
        spreads = [name for name in ("diversity", "closeness") if getattr(self, name) is not None]
        if spreads:
            if len(spreads) > 1 or self.lkc is not None or self.k is not None or self.confidence is not None:
                return f"`{spreads[0]}` stands alone with `qid` and `sensitive`. Write another requirement for the rest"
            if not isinstance(self.sensitive, str):
                return f"`{spreads[0]}` needs one `sensitive` column, such as sensitive: Illness"
        if (self.distance or self.order) and self.closeness is None:
            return "`distance` and `order` go with `closeness`"
        if spreads:
            return None
        if isinstance(self.sensitive, str):
            return "`sensitive` is a mapping from a column to its values, but for `diversity` and `closeness`"
        if self.lkc is None and (self.k is None) == (self.sensitive is None):
            return (
                "`k` is missing, or `sensitive` with `confidence`. Add one of them, and not both"
                if self.k is None
                else "`k` and `sensitive` are two requirements. Write one line for each"
            )
        if self.k is None and self.sensitive is None:
            return "`lkc` needs `k`, or `sensitive` with `confidence`, or both"
        if self.confidence is not None and self.sensitive is None:
            return "`confidence` goes with `sensitive`, not with `k`"
        bare = [own is None for values in (self.sensitive or {}).values() for _, own in values]
        if any(bare) and self.confidence is None:
            return "`confidence` is missing: the largest share a sensitive value may have"
        if self.confidence is not None and bare and not any(bare):
            return "`confidence` is not used: every sensitive value has its own bound"
        return None

    def requirement(self) -> Requirement:
        """What the entry asks."""
        qid = tuple(self.qid or ())
        if self.diversity is not None:
            return Diversity(qid, self.sensitive, *self.diversity)
        if self.closeness is not None:
            distance = self.distance or Distance.EQUAL
            return Closeness(qid, self.sensitive, self.closeness, distance, tuple(self.order or ()))
        protected = tuple(
            (column, value, self.confidence if own is None else own)
            for column, values in (self.sensitive or {}).items()
            for value, own in values
        )
        if self.lkc is not None:
            return LKC(tuple(self.lkc.attributes), self.lkc.L, self.k, protected)
        return Confidence(qid, protected) if self.k is None else KAnonymity(qid, self.k)


def requirement_data(requirement: Requirement) -> dict[str, Any]:
    """Write a requirement as a policy says it.

    >>> requirement_data(KAnonymity(("Age",), 5))
    {'qid': ['Age'], 'k': 5}
    """
    match requirement:
        case KAnonymity():
            return {"qid": list(requirement.qid), "k": requirement.k}
        case Diversity():
            level: Any = str(requirement.l)
            if requirement.measure is Measure.RECURSIVE:
                level = {"c": str(requirement.c), "l": level}
            said = {"sensitive": requirement.sensitive, "diversity": {str(requirement.measure): level}}
            return {"qid": list(requirement.qid), **said}
        case Closeness():
            said = {"sensitive": requirement.sensitive, "closeness": str(requirement.bound)}
            order = {"order": list(requirement.order)} if requirement.order else {}
            return {"qid": list(requirement.qid), **said, "distance": str(requirement.distance), **order}
        case Confidence():
            return {"qid": list(requirement.qid), "sensitive": _protected_data(requirement.sensitive)}
        case LKC():
            asked: dict[str, Any] = {"lkc": {"attributes": list(requirement.qid), "L": requirement.known}}
            asked |= {} if requirement.k is None else {"k": requirement.k}
            return asked | ({"sensitive": _protected_data(requirement.sensitive)} if requirement.sensitive else {})


def _protected_data(sensitive: tuple[tuple[str, str | None, Fraction], ...]) -> dict[str, dict[str, str]]:
    protected: dict[str, dict[str, str]] = {}
    for column, value, bound in sensitive:
        protected.setdefault(column, {})[MISSING if value is None else value] = str(bound)
    return protected


def without_values(requirement: Requirement) -> dict[str, Any]:
    """Write a requirement without the values it protects, for those who get the release."""
    said = requirement_data(requirement)
    if isinstance(requirement, Closeness):
        said["closeness"] = float(requirement.bound)
    if isinstance(requirement, Diversity):
        level = float(requirement.l) if requirement.measure is Measure.ENTROPY else int(requirement.l)
        is_recursive = requirement.measure is Measure.RECURSIVE
        said["diversity"] = {
            str(requirement.measure): {"c": float(requirement.c), "l": level} if is_recursive else level
        }
    if isinstance(requirement, Confidence | LKC) and requirement.sensitive:
        said["sensitive"] = [
            {"column": column, "confidence": float(bound)} for column, _, bound in requirement.sensitive
        ]
    said.pop("order", None)
    return said
