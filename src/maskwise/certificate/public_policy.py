"""A policy as recipients may read it, and what they can recount of it.

Left out is what only the owner may know: protected values and orders of
values, and what lists or bounds the values of the table, which are taxonomies,
ranges and spellings of missing cells. Where a requirement needs one of them, it
is marked as withheld.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.formats.class_entry import parse_class
from maskwise.formats.number_entries import number_data
from maskwise.formats.policy_file import texts, to_data
from maskwise.formats.requirement_file import read_requirement
from maskwise.formats.set_entries import read_sets, with_sets, without_sets
from maskwise.policy.number_columns import reading_of_release
from maskwise.policy.person import Person, PersonColumn
from maskwise.policy.policy import Policy
from maskwise.policy.requirements.grouping import GroupedBy
from maskwise.values.number_spellings import NumberForm
from maskwise.values.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from maskwise.policy.requirements.base import Requirement

WITHHELD = "withheld"
"""The key of a requirement of which the owner keeps a part, such as the protected values."""
_OF_ATTRIBUTES = ("weight", "at_least", "release")
"""What is told of an attribute beside how it is masked."""
_OF_POLICY = ("class", "drop", "keep", "missing", "boundaries", "rename", "person", "suppress")
"""The keys of a policy that name no value of the table."""
_NUMBERS = "numbers"


def public_policy(policy: Policy) -> dict[str, Any]:
    """A policy as plain values, without what only the owner may know.

    >>> from maskwise import read_policy
    >>> public_policy(read_policy({"requirements": [{"qid": ["Age"], "sensitive": {"Ill": ["HIV"]},
    ...     "confidence": 0.5}]}))["requirements"]
    [{'qid': ['Age'], 'sensitive': [{'column': 'Ill', 'confidence': 0.5}], 'withheld': True}]
    """
    said = to_data(policy)
    attributes = {}
    for attribute in policy.attributes:
        entry = said["attributes"][attribute.name]
        told = {key: entry[key] for key in _OF_ATTRIBUTES if isinstance(entry, dict) and key in entry}
        rule = {} if attribute.rule is None else {"rule": attribute.rule.public_data()}
        rule |= {} if attribute.source is None else {"rule": {attribute.source.key: attribute.source.to_data()}}
        attributes[attribute.name] = {"masked_by": str(attribute.kind), **rule, **told}
    # How masked columns were written is of no use to a recipient; numbers of others are counted by what they are.
    numbers = number_data(reading_of_release(policy))
    return {
        **{key: said[key] for key in _OF_POLICY if key in said},
        **({_NUMBERS: numbers} if numbers else {}),
        "attributes": attributes,
        "requirements": [with_sets(_public_requirement(one), policy.reading) for one in policy.requirements],
    }


def _public_requirement(requirement: Requirement) -> dict[str, Any]:
    if _is_withheld(requirement):
        return {**requirement.public_data(), WITHHELD: True}
    # Exact, where the public form has bounds that are rounded to the nearest binary number.
    return requirement.to_data()


def _is_withheld(requirement: Requirement) -> bool:
    """Whether a recount needs what only the owner knows: values, an order of values, or a tree."""
    counted = [part.counted for part in requirement.parts if part.counted is not None]
    return any(
        one.values is not None or one.order or (one.by is not None and one.by.kind is GroupedBy.LEVEL)
        for one in counted
    )


@dataclass(frozen=True, slots=True)
class PublicPolicy:
    """A policy as recipients know it."""

    policy: Policy
    """The same policy with made-up values in the place of those that are withheld, and without attributes."""
    entries: tuple[Mapping[str, Any], ...]
    """What each requirement asks, as the certificate says it."""
    fixed: tuple[str, ...]
    """The columns in no QID that are released at one depth of their taxonomy."""

    def masked(self, names: Collection[str]) -> tuple[str, ...]:
        """Those of a release's columns that are masked."""
        masked = {*self.policy.masked, *self.fixed}
        return tuple(name for name in names if name in masked)

    def passed(self, names: Collection[str]) -> tuple[str, ...]:
        """Those of a release's columns that were released as they were."""
        person = () if self.policy.person is None else (self.policy.person.column,)
        changed = {*self.masked(names), *person}
        return tuple(name for name in names if name not in changed)

    @property
    def is_unit_released(self) -> bool:
        """Whether recipients can count what was counted: records, or persons by their pseudonyms."""
        return self.policy.person is None or self.policy.person.is_released

    def recounts(self, names: Collection[str]) -> tuple[Recountable, ...]:
        """What recipients can recount of each requirement on a release with these columns."""
        passed = set(self.passed(names))
        return tuple(
            self._recount_of(entry, requirement, passed)
            for entry, requirement in zip(self.entries, self.policy.requirements, strict=True)
        )

    def _recount_of(self, entry: Mapping[str, Any], asked: Requirement, passed: Collection[str]) -> Recountable:
        beside_qid = set(asked.columns) - set(asked.qid)
        if self.is_unit_released and WITHHELD not in entry and beside_qid <= set(passed):
            return Recountable(asked, is_whole=True, has_figure=True)
        # A group of k persons has k records at least, so a k can be checked even where persons cannot be counted.
        known = {key: entry[key] for key in ("lkc", "k") if entry.get(key) is not None}
        alone = read_requirement(texts({"k": 1} | ({} if "lkc" in known else {"qid": list(asked.qid)}) | known))
        return Recountable(alone, is_whole=False, has_figure="k" in known and self.is_unit_released)


@dataclass(frozen=True, slots=True)
class Recountable:
    """What recipients can recount of a requirement."""

    requirement: Requirement
    """The requirement, or what of it is about group sizes alone."""
    is_whole: bool
    """Whether that is all that was asked."""
    has_figure: bool
    """Whether its figure is the requirement's."""


def read_public_policy(data: Mapping[str, Any]) -> PublicPolicy:
    """Read what `public_policy` wrote.

    Raises:
        InputError: It is no such policy.
    """
    if strange := sorted(set(data) - {*_OF_POLICY, _NUMBERS, "attributes", "requirements"}):
        msg = f"The policy in the certificate says `{strange[0]}`, which this maskwise does not know."
        raise InputError(msg)
    try:
        entries = tuple(dict(entry) for entry in data["requirements"])
        numbers = data.get(_NUMBERS) or {}
        person = None if data.get("person") is None else Person(**_person(data["person"]))
        policy = Policy(
            requirements=tuple(_stand_in(entry) for entry in entries),
            **parse_class(data.get("class")),
            drop=tuple(data.get("drop") or ()),
            keep=None if data.get("keep") is None else tuple(data["keep"]),
            person=person,
            reading=Reading(
                numbers=tuple((name, NumberForm.read(form)) for name, form in numbers.items()), sets=read_sets(entries)
            ),
        )
        fixed = tuple(name for name, entry in data["attributes"].items() if "release" in entry)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise InputError("The policy in the certificate is none. Ask the owner for another certificate.") from None
    if formed := sorted({*numbers} & {*policy.masked, *fixed}):
        # Read as numbers, different cells could be counted as one group.
        msg = (
            f"The policy in the certificate reads `{formed[0]}` as numbers of a form, but what is masked is counted as "
            "it is written. Ask the owner for another certificate."
        )
        raise InputError(msg)
    return PublicPolicy(policy, entries, fixed)


def _person(entry: Mapping[str, str]) -> dict[str, Any]:
    return {"column": entry["column"], "release": PersonColumn(entry["release"])}


def _stand_in(entry: Mapping[str, Any]) -> Requirement:
    """The requirement of an entry; values that are withheld are made up, since only their columns are looked at."""
    known = {key: entry[key] for key in entry if key not in {WITHHELD, "by", "distance"} or WITHHELD not in entry}
    if WITHHELD in entry and isinstance(known.get("sensitive"), list):
        columns: dict[str, dict[str, Any]] = {}
        for i, one in enumerate(known["sensitive"]):
            columns.setdefault(one["column"], {})[f"{WITHHELD} {i}"] = one["confidence"]
        known["sensitive"] = columns
    return read_requirement(without_sets(texts(known)))  # type: ignore[arg-type]
