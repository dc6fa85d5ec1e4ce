"""The policy's YAML form, with file and line in every complaint.

Pydantic checks the shape; `policy.Policy` holds the result. Taxonomies named
by file are looked up beside the policy.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError

from maskwise.errors import InputError, PolicyError, did_you_mean, quote
from maskwise.formats import yaml_lines
from maskwise.formats.attribute_entries import (
    ATTRIBUTE_KEYS,
    AttributeEntry,
    entry_shape,
    locate,
    read_attributes,
    write_attribute,
)
from maskwise.formats.budget_file import budget_data, read_budget
from maskwise.formats.class_entry import ClassEntry, read_class, write_class
from maskwise.formats.date_entries import DateEntry, date_data, pairs
from maskwise.formats.number_entries import NumberEntry, number_data
from maskwise.formats.private_entry import is_private_entry, read_private_entry
from maskwise.formats.requirement_file import check_entry, keys_at
from maskwise.formats.set_entries import read_sets, with_sets, without_sets
from maskwise.policy.attributes import Boundaries, Minimality, Missing
from maskwise.policy.budget import SuppressionBudget  # noqa: TC001 - pydantic needs it
from maskwise.policy.person import Person, PersonColumn
from maskwise.policy.policy import Policy
from maskwise.policy.private_release import PrivateRelease, refuse_private
from maskwise.policy.requirements import registry
from maskwise.policy.requirements.any_of import MISSING
from maskwise.policy.requirements.file_form import name_list
from maskwise.policy.source_lines import Document, Place
from maskwise.policy.taxonomy import Taxonomy
from maskwise.values.reading import Reading, Rename

if TYPE_CHECKING:
    from enum import StrEnum


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def _person(value: object) -> object:
    return {"column": value} if isinstance(value, str) else value


class PersonEntry(_Strict):
    """The column that names persons, as policy and solution files say it."""

    column: str
    release: PersonColumn = PersonColumn.DROP

    @classmethod
    def of(cls, person: Person) -> Self:
        """The entry that says this."""
        return cls(column=person.column, release=person.release)

    def person(self) -> Person:
        """What the entry says."""
        return Person(self.column, self.release)


def _requirement(value: object) -> object:
    if not isinstance(value, Mapping):
        return check_entry(value)
    return read_private_entry(value) if is_private_entry(value) else check_entry(without_sets(value))


AnyRequirementEntry = Annotated[Any, PlainValidator(_requirement)]


class _PolicyFile(_Strict):
    class_: ClassEntry = Field(default=None, alias="class")
    attributes: dict[str, Annotated[AttributeEntry, BeforeValidator(entry_shape)]] = {}
    requirements: list[AnyRequirementEntry] = Field(min_length=1)
    drop: Annotated[list[str], BeforeValidator(name_list)] = []
    keep: Annotated[list[str] | None, BeforeValidator(name_list)] = None
    missing: Missing = Missing.KEEP
    boundaries: Boundaries = Boundaries.SAFE
    minimality: Minimality | None = None
    na_values: Annotated[list[str], BeforeValidator(name_list)] = []
    rename: Rename | None = None
    dates: dict[str, DateEntry] = {}
    numbers: dict[str, NumberEntry] = {}
    person: Annotated[PersonEntry | None, BeforeValidator(_person)] = None
    suppress: Annotated[SuppressionBudget | None, BeforeValidator(read_budget)] = None


_KEYS: dict[str, tuple[str, ...]] = {
    "": tuple(field.alias or name for name, field in _PolicyFile.model_fields.items()),
    "person": ("column", "release"),
    "attributes": ATTRIBUTE_KEYS,
}
_PAIRS = {
    "interval": "An interval's range is [low, high], two values.",
    "range": "The range of a rule is [low, high], two values.",
    "clamp": "clamp is [low, high], the ends of bottom- and top-coding; write ~ for one that there is not.",
}
"""What is said of keys that have two values, where there are more or fewer."""
_GONE = {
    "consistency": "Regions have cuts of their own. Delete `consistency`, or use the method `tdr`: one cut for all.",
}
"""What is said of keys that there were."""
_OPTIONAL = {
    "boundaries",
    "minimality",
    "keep",
    "na_values",
    "rename",
    "dates",
    "numbers",
    "person",
    "suppress",
}
"""Keys that are written only where they say something."""
_ONE_EPSILON = "There are several requirements with `epsilon`. Each is a release of its own: write a policy for each."


def read_policy(source: str | Path | Mapping[str, Any] | Policy, *, private: bool = False) -> Policy:
    """Read a policy from a YAML file or a Python mapping; a Policy is returned as it is.

    Args:
        source: The policy.
        private: Whether it may ask for a differentially private release, which only few commands know.

    Example:
        >>> policy = read_policy({"class": "Risk", "requirements": [{"qid": ["Age", "Sex"], "k": 5}]})
        >>> policy.requirements[0].k
        5
    """
    policy = _read(source)
    if not private:
        refuse_private(policy)
    return policy


def _read(source: str | Path | Mapping[str, Any] | Policy) -> Policy:
    if isinstance(source, Policy):
        return source
    if isinstance(source, Mapping):
        return from_data(Document(texts(source), "", {}), Path())
    if not isinstance(source, str | Path):
        msg = f"A policy is a file, a mapping or a Policy; found {type(source).__name__}. Are data and policy swapped?"
        raise InputError(msg)
    path = Path(source)
    return from_data(yaml_lines.load(path), path.parent)


def policy_files(source: Any) -> tuple[Path, ...]:
    """The files that a policy is read from: its own and those of its taxonomies; none of one that is no file.

    Args:
        source: As in `read_policy`; of a policy that was read already no file is read again.
    """
    if isinstance(source, Policy):
        document = source.document
    elif isinstance(source, str | Path):
        try:
            document = yaml_lines.load(Path(source))
        except (InputError, PolicyError):
            return (Path(source),)
    else:
        return ()
    path, data = document.path, document.data
    if path is None:
        return ()
    entries = data.get("attributes") if isinstance(data, dict) else None
    trees = [entry.get("taxonomy") for entry in (entries or {}).values() if isinstance(entry, dict)]
    return (path, *(path.parent / tree for tree in trees if isinstance(tree, str)))


def from_data(document: Document, folder: Path) -> Policy:
    """Check a document and turn it into a Policy; every mistake is reported at once.

    Args:
        document: The YAML as plain data.
        folder: Where taxonomy files are looked up.
    """
    if not isinstance(document.data, dict):
        raise PolicyError([locate(document, ()) + "A policy is a mapping with `requirements`; see the README for one."])
    mistakes: list[str] = []
    try:
        file = _PolicyFile.model_validate(document.data)
    except ValidationError as error:
        mistakes += [_complain(document, detail) for detail in error.errors()]
        file = None
    attributes = read_attributes(document, folder, mistakes)
    if file is None or mistakes:
        raise PolicyError(mistakes)
    requirements = []
    private = [entry for entry in file.requirements if isinstance(entry, PrivateRelease)]
    if len(private) > 1:
        raise PolicyError([locate(document, ("requirements",)) + _ONE_EPSILON])
    for i, entry in enumerate(file.requirements):
        if isinstance(entry, PrivateRelease):
            continue
        try:
            requirements.append(registry.requirement_of(entry))
        except PolicyError as error:
            mistakes += [locate(document, ("requirements", i)) + mistake for mistake in error.mistakes]
    try:
        sets = read_sets(document.data["requirements"])
    except PolicyError as error:
        mistakes += [locate(document, ("requirements",)) + mistake for mistake in error.mistakes]
    if mistakes:
        raise PolicyError(mistakes)
    return Policy(
        requirements=tuple(requirements),
        attributes=tuple(attributes),
        private=private[0] if private else None,
        **read_class(file.class_),
        drop=tuple(dict.fromkeys(file.drop)),
        keep=None if file.keep is None else tuple(dict.fromkeys(file.keep)),
        missing=file.missing,
        boundaries=file.boundaries,
        minimality=file.minimality,
        reading=Reading(
            tuple(dict.fromkeys(file.na_values)), file.rename, pairs(file.dates), pairs(file.numbers), sets
        ),
        person=None if file.person is None else file.person.person(),
        suppress=file.suppress,
        document=document,
    )


def to_data(policy: Policy) -> dict[str, Any]:
    """Write a policy as the mapping that `read_policy` reads.

    >>> to_data(read_policy({"requirements": [{"qid": ["Age"], "k": 5}]}))["requirements"]
    [{'qid': ['Age'], 'k': 5}]
    """
    said = {
        "class": write_class(policy),
        "attributes": {attribute.name: write_attribute(attribute) for attribute in policy.attributes},
        "requirements": [
            *(with_sets(one.to_data(), policy.reading) for one in policy.requirements),
            *([] if policy.private is None else [policy.private.to_data()]),
        ],
        "drop": list(policy.drop),
        "missing": str(policy.missing),
        "boundaries": None if policy.boundaries is Boundaries.SAFE else str(policy.boundaries),
        "minimality": policy.minimality and str(policy.minimality),
        "keep": None if policy.keep is None else list(policy.keep),
        "na_values": list(policy.reading.na_values) or None,
        "rename": policy.reading.rename and str(policy.reading.rename),
        "dates": date_data(policy.reading) or None,
        "numbers": number_data(policy.reading) or None,
        "person": policy.person and PersonEntry.of(policy.person).model_dump(mode="json"),
        "suppress": policy.suppress and budget_data(policy.suppress),
    }
    return {key: value for key, value in said.items() if value is not None or key not in _OPTIONAL}


def _complain(document: Document, detail: Any) -> str:
    place = tuple(part for part in detail["loc"])
    found = detail["input"]
    shown = f"; found `{found}`" if isinstance(found, str | int | float) else ""
    key = str(place[-1]) if place else ""
    match detail["type"]:
        case "extra_forbidden":
            known = _known_keys(place)
            stray = f"`{key}` is not a key that belongs here.{did_you_mean(key, known)} Known here: {quote(known)}."
            text = _GONE.get(key, stray)
        case "missing":
            example = " For example: requirements: [{qid: [Age, Sex], k: 10}]." if key == "requirements" else ""
            text = f"`{key}` is missing. Add it.{example}"
        case "greater_than" | "finite_number" | "float_parsing" | "float_type":
            text = f"`{key}` is a number above 0{shown}."
        case "greater_than_equal":
            text = f"{key} is at least {detail['ctx']['ge']}{shown}."
        case "int_parsing" | "int_type" | "int_from_float":
            text = f"`{key}` is a whole number{shown}."
        case "enum":
            known = tuple(_choices(place))
            text = f"`{key}` is one of {quote(known)}{shown}.{did_you_mean(str(found), known)}"
        case "too_short" | "too_long" if key in _PAIRS:
            text = _PAIRS[key]
        case "kind" | "protected" | "date_form" | "number_form":
            text = f"{detail['msg']}."
        case "too_short":
            text = f"`{key}` is empty. Name at least one."
        case "list_type":
            text = f"`{key}` is a list{shown}."
        case "dict_type" | "model_type" | "model_attributes_type":
            text = f"`{key}` is a mapping{shown}."
        case _:
            text = f"`{key}`: {detail['msg']}{shown}."
    return locate(document, place) + text


def _known_keys(place: Place) -> tuple[str, ...]:
    """The keys that are known where `place` ends."""
    if len(place) > 1 and place[0] == "requirements":
        return tuple(key.name for key in keys_at(place[2:-1]))
    return _KEYS[str(place[0]) if len(place) > 1 else ""]


def _choices(place: Place) -> type[StrEnum]:
    """The words that are known at `place`."""
    if place[0] != "requirements":
        own = {"boundaries": Boundaries, "minimality": Minimality, "rename": Rename, "person": PersonColumn}
        return own.get(str(place[0]), Missing)
    key = next(key for key in keys_at(place[2:-1]) if key.name == place[-1])
    choices: type[StrEnum] = key.type
    return choices


def texts(value: object) -> object:
    """Spell a Python policy as a file would."""
    if value is None or isinstance(value, str | Taxonomy):
        return value
    if isinstance(value, Mapping):
        return {MISSING if key is None else str(key): texts(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [texts(item) for item in value]
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value)
