"""The policy's YAML form, with file and line in every complaint.

Pydantic checks the shape; `policy.Policy` holds the result. Taxonomies named
by file are looked up beside the policy.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from maskwise.errors import InputError, PolicyError, did_you_mean, quote
from maskwise.formats import located
from maskwise.formats.located import Document
from maskwise.formats.taxonomy_file import from_document, read_taxonomy
from maskwise.policy import MOST_PARTS, Attribute, Confidence, KAnonymity, Kind, Missing, Policy, Requirement
from maskwise.taxonomy import Taxonomy
from maskwise.typed import parse_bound


def _name_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _no_null(value: object) -> object:
    return None if value == "null" else value


def _entry(value: object) -> object:
    if isinstance(value, str):
        value = {value: None}
    if not isinstance(value, Mapping) or len(value) != 1:
        raise PydanticCustomError(
            "entry", "an attribute is `suppress`, `interval`, {{interval: [low, high]}} or {{taxonomy: ...}}"
        )
    return value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


class _Entry(_Strict):
    taxonomy: Any = None
    interval: list[str] | None = Field(default=None, min_length=2, max_length=2)
    suppress: None = None


def _bound(value: object) -> Fraction:
    """A bound as it is written, so that 0.8 is 4/5 and not its nearest binary number."""
    text = str(value).strip()
    if not _BOUND.fullmatch(text):
        raise PydanticCustomError("bound", "a confidence is a number above 0 and at most 1")
    try:
        bound = Fraction(text)
    except ZeroDivisionError:
        raise PydanticCustomError("bound", "a confidence is a number above 0 and at most 1") from None
    # Counts are compared as 64-bit numbers, so more than nine decimals are cut off, to the safe side.
    return bound if bound.denominator <= MOST_PARTS else Fraction(bound * MOST_PARTS // 1, MOST_PARTS)


def _protected(value: object) -> dict[str, list[tuple[str | None, Fraction | None]]]:
    """For each sensitive column its values, each with its own bound or none; `~` is the missing value."""
    if not isinstance(value, Mapping):
        raise PydanticCustomError("protected", "`sensitive` is a mapping from a column to its values")
    found: dict[str, list[tuple[str | None, Fraction | None]]] = {}
    for column, values in value.items():
        if isinstance(values, Mapping):
            found[column] = [(_missing_or(text), _bound(bound)) for text, bound in values.items()]
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


class _Requirement(_Strict):
    qid: Annotated[list[str], BeforeValidator(_name_list)] = Field(min_length=1)
    k: int | None = Field(default=None, ge=1)
    sensitive: Annotated[Any, BeforeValidator(_protected)] = None
    confidence: Annotated[Any, BeforeValidator(_bound)] = None

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if (self.k is None) == (self.sensitive is None):
            raise PydanticCustomError(
                "kind", "`k` is missing, or `sensitive` with `confidence`. Add one of them, and not both"
            )
        if self.k is not None and self.confidence is not None:
            raise PydanticCustomError("kind", "`confidence` goes with `sensitive`, not with `k`")
        bare = [own is None for values in (self.sensitive or {}).values() for _, own in values]
        if self.sensitive is not None and any(bare) and self.confidence is None:
            raise PydanticCustomError("kind", "`confidence` is missing: the largest share a sensitive value may have")
        if self.confidence is not None and bare and not any(bare):
            raise PydanticCustomError("kind", "`confidence` is not used: every sensitive value has its own bound")
        return self

    def requirement(self) -> Requirement:
        if self.k is not None:
            return KAnonymity(tuple(self.qid), self.k)
        protected = [
            (column, value, self.confidence if own is None else own)
            for column, values in self.sensitive.items()
            for value, own in values
        ]
        return Confidence(tuple(self.qid), tuple(protected))


class _PolicyFile(_Strict):
    class_: Annotated[str | None, BeforeValidator(_no_null)] = Field(default=None, alias="class")
    attributes: dict[str, Annotated[_Entry, BeforeValidator(_entry)]] = {}
    requirements: list[_Requirement] = Field(min_length=1)
    drop: Annotated[list[str], BeforeValidator(_name_list)] = []
    missing: Missing = Missing.KEEP


_BOUND = re.compile(r"[0-9]{0,20}\.?[0-9]{1,40}(e-?[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}|-[0-9.]{1,20}", re.IGNORECASE)
MISSING = "~"
"""How a policy names the missing value."""
_KEYS: dict[str, tuple[str, ...]] = {
    "": ("class", "attributes", "requirements", "drop", "missing"),
    "attributes": ("taxonomy", "interval", "suppress"),
    "requirements": ("qid", "k", "sensitive", "confidence"),
}


def read_policy(source: str | Path | Mapping[str, Any] | Policy) -> Policy:
    """Read a policy from a YAML file or a Python mapping; a Policy is returned as it is.

    Example:
        >>> policy = read_policy({"class": "Risk", "requirements": [{"qid": ["Age", "Sex"], "k": 5}]})
        >>> policy.requirements[0].k
        5
    """
    if isinstance(source, Policy):
        return source
    if isinstance(source, Mapping):
        return from_data(Document(_texts(source), "", {}), Path())
    if not isinstance(source, str | Path):
        msg = f"A policy is a file, a mapping or a Policy; found {type(source).__name__}. Are data and policy swapped?"
        raise InputError(msg)
    path = Path(source)
    return from_data(located.load(path), path.parent)


def from_data(document: Document, folder: Path) -> Policy:
    """Check a document and turn it into a Policy; every mistake is reported at once.

    Args:
        document: The YAML as plain data.
        folder: Where taxonomy files are looked up.
    """
    if not isinstance(document.data, dict):
        raise PolicyError([_where(document, ()) + "A policy is a mapping with `requirements`; see the README for one."])
    mistakes: list[str] = []
    try:
        file = _PolicyFile.model_validate(document.data)
    except ValidationError as error:
        mistakes += [_complain(document, detail) for detail in error.errors()]
        file = None
    attributes = _attributes(document, folder, mistakes)
    if file is None or mistakes:
        raise PolicyError(mistakes)
    requirements: list[Requirement] = []
    for i, entry in enumerate(file.requirements):
        try:
            requirements.append(entry.requirement())
        except PolicyError as error:
            mistakes += [_where(document, ("requirements", i)) + mistake for mistake in error.mistakes]
    if mistakes:
        raise PolicyError(mistakes)
    return Policy(
        requirements=tuple(requirements),
        attributes=tuple(attributes),
        class_name=file.class_,
        drop=tuple(dict.fromkeys(file.drop)),
        missing=file.missing,
        document=document,
    )


def to_data(policy: Policy) -> dict[str, Any]:
    """Write a policy as the mapping that `read_policy` reads.

    >>> to_data(read_policy({"requirements": [{"qid": ["Age"], "k": 5}]}))["requirements"]
    [{'qid': ['Age'], 'k': 5}]
    """
    entries: dict[str, Any] = {}
    for attribute in policy.attributes:
        match attribute.kind:
            case Kind.TAXONOMY if attribute.taxonomy is not None:
                entries[attribute.name] = {"taxonomy": attribute.taxonomy.to_nested()}
            case Kind.INTERVAL:
                entries[attribute.name] = {"interval": list(attribute.bounds)} if attribute.bounds else "interval"
            case _:
                entries[attribute.name] = "suppress"
    return {
        "class": policy.class_name,
        "attributes": entries,
        "requirements": [requirement_data(requirement) for requirement in policy.requirements],
        "drop": list(policy.drop),
        "missing": str(policy.missing),
    }


def requirement_data(requirement: Requirement) -> dict[str, Any]:
    """Write a requirement as a policy says it."""
    if isinstance(requirement, KAnonymity):
        return {"qid": list(requirement.qid), "k": requirement.k}
    protected: dict[str, dict[str, str]] = {}
    for column, value, bound in requirement.sensitive:
        protected.setdefault(column, {})[MISSING if value is None else value] = str(bound)
    return {"qid": list(requirement.qid), "sensitive": protected}


def _attributes(document: Document, folder: Path, mistakes: list[str]) -> list[Attribute]:
    """Read the entries that have the right shape; pydantic has complained about the others."""
    data = document.data
    entries = data.get("attributes") if isinstance(data, dict) else None
    found: list[Attribute] = []
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        place = ("attributes", name)
        try:
            parts = _entry(entry)
            if "taxonomy" in parts:  # type: ignore[operator]
                found.append(Attribute(name, Kind.TAXONOMY, taxonomy=_taxonomy(document, place, folder)))
            elif "interval" in parts:  # type: ignore[operator]
                found.append(Attribute(name, Kind.INTERVAL, bounds=_bounds(parts["interval"])))  # type: ignore[index]
            elif "suppress" in parts:  # type: ignore[operator]
                found.append(Attribute(name, Kind.SUPPRESS))
        except PydanticCustomError:
            continue
        except PolicyError as error:
            mistakes += [m if document.name and ", line " in m else _where(document, place) + m for m in error.mistakes]
        except InputError as error:
            mistakes.append(_where(document, place) + str(error))
    return found


def _taxonomy(document: Document, place: located.Place, folder: Path) -> Taxonomy:
    tree: object = document.data
    for step in (*place, "taxonomy"):
        tree = tree[step]  # type: ignore[index]
    if isinstance(tree, Taxonomy):
        return tree
    if isinstance(tree, str):
        path = folder / tree
        if not path.exists():
            beside = did_you_mean(tree, (p.name for p in folder.iterdir())) if folder.is_dir() else ""
            msg = f"There is no taxonomy file `{path}`.{beside}"
            raise InputError(msg)
        return read_taxonomy(path)
    return from_document(document, (*place, "taxonomy"))


def _bounds(given: object) -> tuple[str, str] | None:
    if not isinstance(given, list) or len(given) != 2:  # noqa: PLR2004
        return None
    low, high = (parse_bound(str(part)) for part in given)
    if type(low) is not type(high) and not (isinstance(low, int | float) and isinstance(high, int | float)):
        raise PolicyError([f"The range [{given[0]}, {given[1]}] mixes numbers and dates."])
    if low > high:  # type: ignore[operator]
        raise PolicyError([f"The range [{given[0]}, {given[1]}] is upside down. Write the lower end first."])
    return str(given[0]), str(given[1])


def _complain(document: Document, detail: Any) -> str:
    place = tuple(part for part in detail["loc"])
    found = detail["input"]
    shown = f"; found `{found}`" if isinstance(found, str | int | float) else ""
    key = str(place[-1]) if place else ""
    match detail["type"]:
        case "extra_forbidden":
            known = _KEYS[str(place[0]) if len(place) > 1 else ""]
            text = f"`{key}` is not a key that belongs here.{did_you_mean(key, known)} Known here: {quote(known)}."
        case "missing":
            example = " For example: requirements: [{qid: [Age, Sex], k: 10}]." if key == "requirements" else ""
            text = f"`{key}` is missing. Add it.{example}"
        case "greater_than_equal":
            text = f"k is at least 1{shown}."
        case "int_parsing" | "int_type" | "int_from_float":
            text = f"`{key}` is a whole number{shown}."
        case "enum":
            known = tuple(Missing)
            text = f"`{key}` is one of {quote(known)}{shown}.{did_you_mean(str(found), known)}"
        case "too_short" | "too_long" if "interval" in place:
            text = "An interval's range is [low, high], two values."
        case "kind" | "protected":
            text = f"{detail['msg']}."
        case "too_short":
            text = f"`{key}` is empty. Name at least one."
        case "list_type":
            text = f"`{key}` is a list{shown}."
        case "dict_type" | "model_type" | "model_attributes_type":
            text = f"`{key}` is a mapping{shown}."
        case _:
            text = f"`{key}`: {detail['msg']}{shown}."
    return _where(document, place) + text


def _where(document: Document, place: located.Place) -> str:
    return f"{document.locate(place)}: " if document.name else ""


def _texts(value: object) -> object:
    """Spell a Python policy as a file would."""
    if value is None or isinstance(value, str | Taxonomy):
        return value
    if isinstance(value, Mapping):
        return {MISSING if key is None else str(key): _texts(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_texts(item) for item in value]
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value)
