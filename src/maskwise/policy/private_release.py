"""What a policy asks for with `epsilon`: a differentially private release, and the domains it must declare.

Everything that the mechanism knows before it looks at the records stands here
or in the entries of the attributes. `private` runs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maskwise.errors import PolicyError, quote
from maskwise.policy.attributes import Kind, Missing
from maskwise.policy.requirements.qid import called, qid_mistakes, refuse
from maskwise.policy.rules.public_domain import domain_misfit

if TYPE_CHECKING:
    from maskwise.policy.attributes import Attribute
    from maskwise.policy.policy import Policy
    from maskwise.policy.source_lines import Place

SMALLEST_EPSILON = Fraction(1, 1000)
"""Below it, for one record, every count is noise of thousands of records."""
LARGEST_EPSILON = 100
"""Above it nothing is protected that anybody would call so."""
MOST_STEPS = 1000
"""With more refinements each choice would be left to chance."""
_WHY = (
    "it must be declared, because a domain that is taken from the records tells whether somebody with a rare value is "
    "among them"
)


class PrivateForm(StrEnum):
    """What a differentially private release is."""

    RECORDS = "records"
    """Each combination is repeated as often as its noisy count says."""
    COUNTS = "counts"
    """Each combination stands once, with its noisy count in the column `count`."""


COUNT = "count"
"""The column of noisy counts."""


@dataclass(frozen=True, slots=True)
class PrivateRelease:
    """A differentially private release of some attributes and the class.

    Example:
        >>> PrivateRelease(Fraction(1), ("Age", "Sex")).asks()
        'epsilon=1 on {Age, Sex}'
    """

    epsilon: Fraction
    """How much one person can change the odds of any result, as the logarithm of a factor."""
    attributes: tuple[str, ...]
    """What is released beside the class."""
    steps: int | None = None
    """The most refinements; None goes by epsilon and a noisy number of records, which costs a part of epsilon."""
    form: PrivateForm = PrivateForm.RECORDS
    """Whether records are released, or counts."""
    per_person: int = 1
    """How many records of a person are used, where the policy says whom records are about."""

    def __post_init__(self) -> None:
        """Refuse what no mechanism could do."""
        mistakes = qid_mistakes(self.attributes)
        if not 0 < self.epsilon <= LARGEST_EPSILON:
            mistakes.append(
                f"epsilon is a number above 0 and at most {LARGEST_EPSILON}; found {float(self.epsilon):g}."
            )
        if self.steps is not None and not 0 <= self.steps <= MOST_STEPS:
            mistakes.append(f"steps is a number from 0 to {MOST_STEPS:,}, or `auto`; found {self.steps}.")
        if self.per_person < 1:
            mistakes.append(f"per_person is at least 1; found {self.per_person}.")
        elif 0 < self.epsilon < SMALLEST_EPSILON * self.per_person:
            least = f"{float(SMALLEST_EPSILON * self.per_person):g}"
            mistakes.append(f"With an epsilon below {least} every count would be noise alone. Ask for more.")
        refuse(mistakes)

    @property
    def name(self) -> str:
        """What messages call its attributes."""
        return called(self.attributes)

    def asks(self) -> str:
        """What is asked, in a few words."""
        return f"epsilon={float(self.epsilon):g} on {self.name}"

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that says the same.

        >>> PrivateRelease(Fraction(1, 2), ("Age",)).to_data()
        {'epsilon': 0.5, 'attributes': ['Age']}
        """
        said = {
            "steps": self.steps,
            "as": None if self.form is PrivateForm.RECORDS else str(self.form),
            "per_person": None if self.per_person == 1 else self.per_person,
        }
        exact = Fraction(str(float(self.epsilon))) == self.epsilon
        epsilon = float(self.epsilon) if exact else str(self.epsilon)
        return {"epsilon": epsilon, "attributes": list(self.attributes)} | {
            key: value for key, value in said.items() if value is not None
        }


def private_mistakes(policy: Policy) -> list[str]:
    """What is wrong with a policy that asks for a differentially private release, or declares domains without one."""
    asked = policy.private
    if asked is None:
        return [
            policy.at(("attributes", one.name)) + f"`{one.name}`: {key} goes with a requirement `epsilon`. Delete it."
            for one in policy.attributes
            for key, is_given in (
                ("the range of a rule", one.rule is not None and one.bounds is not None),
                ("a list of values", bool(one.values)),
            )
            if is_given
        ]
    found = [*_other_roles(policy, asked), *_person_roles(policy, asked), *_undeclared(policy, asked)]
    return [policy.at(place) + text for place, text in found]


def _other_roles(policy: Policy, asked: PrivateRelease) -> list[tuple[Place, str]]:
    """What the policy asks besides that a private release cannot do."""
    at: Place = ("requirements",)
    found: list[tuple[Place, str]] = []
    if policy.requirements:
        others = ", ".join(one.asks() for one in policy.requirements)
        text = (
            f"`epsilon` stands beside {others}. What is released with epsilon are noisy counts, not records of "
            "persons, so group sizes and shares in it bound nothing. Write one policy for each."
        )
        found.append((at, text))
    if policy.class_name in asked.attributes:
        found.append((("class",), f"The class `{policy.class_name}` is among the attributes. Take it out of them."))
    if COUNT in (*asked.attributes, policy.class_name) and asked.form is PrivateForm.COUNTS:
        found.append((at, f"A column is called `{COUNT}`, as the noisy counts are. Write as: records, or rename it."))
    if policy.missing is Missing.ERROR:
        text = "missing: error would tell whether a cell is missing. Write keep, which shows it as the root, or drop."
        found.append((("missing",), text))
    unfit = {"keep": policy.keep is not None, "suppress": policy.suppress is not None}
    unfit |= {"minimality": policy.minimality is not None}
    found += [
        ((key,), f"`{key}` does not go with `epsilon`: only its attributes and the class are released. Delete it.")
        for key, is_given in unfit.items()
        if is_given
    ]
    return found


def _person_roles(policy: Policy, asked: PrivateRelease) -> list[tuple[Place, str]]:
    """What is wrong with the column of persons, or with how many records of each are used."""
    person = policy.person
    if person is None:
        text = "per_person goes with `person`, the column that says whom a record is about. Add it."
        return [] if asked.per_person == 1 else [(("requirements",), text)]
    found: list[tuple[Place, str]] = []
    if person.column in asked.attributes:
        text = f"`{person.column}` names persons and is among the attributes. Take it out of one of them."
        found.append((("person",), text))
    if person.is_released:
        text = "No column of persons is left in a release with epsilon. Write person: column, without release."
        found.append((("person",), text))
    return found


def _undeclared(policy: Policy, asked: PrivateRelease) -> list[tuple[Place, str]]:
    """The domains that are not declared, and what of an entry is not read."""
    found: list[tuple[Place, str]] = []
    if policy.class_name is None:
        text = "`epsilon` needs a class: refinements are chosen by what they tell of it. Write class: {column: [a, b]}."
        found.append((("requirements",), text))
    elif policy.class_is_number:
        text = f"The class `{policy.class_name}` is a number. List its classes instead: class: {{column: [low, high]}}."
        found.append((("class",), text))
    elif not policy.class_values:
        text = f"The values of the class `{policy.class_name}` are not listed; {_WHY}. Write "
        found.append((("class",), f"{text}class: {{{policy.class_name}: [first value, second value]}}."))
    entries = {attribute.name: attribute for attribute in policy.attributes}
    for name in asked.attributes:
        undeclared = _domain_mistake(name, entries.get(name))
        if undeclared is not None:
            found.append((("attributes", name) if name in entries else ("requirements",), undeclared))
    for one in policy.attributes:
        unused = _unused(one, asked)
        if unused is not None:
            found.append((("attributes", one.name), unused))
    return found


def _domain_mistake(name: str, entry: Attribute | None) -> str | None:
    """Say what an attribute's entry has to declare, if it does not."""
    if entry is None:
        return (
            f"`{name}` has no entry, so its domain is not known; {_WHY}. Write an entry such as {name}: "
            f"{{interval: {{range: [0, 100], on: 5}}}}, {{taxonomy: tree.yaml}} or {{suppress: [value, value]}}."
        )
    if entry.kind is Kind.INTERVAL and (entry.bounds is None or entry.grid is None):
        what = "range" if entry.bounds is None else "grid"
        shown = "[0, 100]" if entry.bounds is None else f"[{', '.join(entry.bounds)}]"
        return (
            f"The {what} of `{name}` is not given; {_WHY}. Write {name}: {{interval: {{range: {shown}, on: 5}}}}: "
            "boundaries are chosen among the points of the grid."
        )
    if entry.source is not None:
        return (
            f"`{name}` has a tree that is made of the table, but a private release needs a domain that is listed "
            f"before anything is read; {_WHY}. Write {name}: {{taxonomy: tree.yaml}}."
        )
    if entry.rule is not None:
        misfit = domain_misfit(entry)
        return None if misfit is None else f"`{name}`: {misfit} The domain must be known beforehand; {_WHY}."
    if entry.kind is Kind.SUPPRESS and not entry.values:
        return f"The values of `{name}` are not listed; {_WHY}. Write {name}: {{suppress: [value, value]}}."
    return None


def _unused(entry: Attribute, asked: PrivateRelease) -> str | None:
    """Say so if an entry asks for what a private release does not do."""
    if entry.name not in asked.attributes:
        return None
    unread = [key for key, _ in entry.preferred if key != "weight"] + ["clamp"] * (entry.clamp != (None, None))
    unread += ["weight"] * (entry.weight != 1)
    if not unread:
        return None
    return f"`{entry.name}`: {quote(unread)} does not go with `epsilon`. Delete it."


def refuse_private(policy: Policy) -> None:
    """Refuse a policy with `epsilon` where a table is recounted: the table alone cannot show that it holds."""
    if policy.private is not None:
        msg = (
            f"The policy asks for {policy.private.asks()}. No table shows by itself how it was made, so this cannot be "
            "recounted. Such a policy is for `maskwise mask`, `maskwise evaluate` and "
            "`maskwise.anonymize_privately`."
        )
        raise PolicyError([policy.at(("requirements",)) + msg])
