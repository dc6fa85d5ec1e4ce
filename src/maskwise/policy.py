"""What the owner asks for: the attributes, the requirements, what to drop.

A `Policy` is plain values; its YAML form, with file and line in every
complaint, is the concern of `formats.policy_file`. Whether a table fits a
policy is checked where the table is first looked at, in `profile`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from maskwise.errors import PolicyError
from maskwise.formats.located import Document

if TYPE_CHECKING:
    from fractions import Fraction

    from maskwise.formats.located import Place
    from maskwise.taxonomy import Taxonomy


MOST_PARTS = 10**9
"""The largest denominator of a bound, so that counts times it fit 64 bits up to nine billion records."""


class Kind(StrEnum):
    """How an attribute is masked."""

    TAXONOMY = "taxonomy"
    """Generalized along a given tree."""
    INTERVAL = "interval"
    """Discretized; the tree of intervals is grown from the data."""
    SUPPRESS = "suppress"
    """Each value is shown, or hidden as `*`."""


class Missing(StrEnum):
    """What happens to a missing cell of a masked attribute."""

    KEEP = "keep"
    """It is a value of its own, a leaf under the root."""
    DROP = "drop"
    """Its record is removed."""
    ERROR = "error"
    """The table is refused."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One masked column and the way it is masked.

    >>> Attribute("Work_Hrs", Kind.INTERVAL, bounds=("1", "99")).kind
    <Kind.INTERVAL: 'interval'>
    """

    name: str
    """The column."""
    kind: Kind
    """The way."""
    taxonomy: Taxonomy | None = None
    """The tree, for a taxonomy attribute."""
    bounds: tuple[str, str] | None = None
    """The range as it stands in the policy, for an interval attribute; None means the data's."""

    def __post_init__(self) -> None:
        """Refuse an entry whose parts do not belong together."""
        if (self.kind is Kind.TAXONOMY) != (self.taxonomy is not None):
            raise PolicyError([f"`{self.name}`: a taxonomy attribute, and no other, needs a tree."])
        if self.bounds is not None and self.kind is not Kind.INTERVAL:
            raise PolicyError([f"`{self.name}`: only an interval attribute has a range."])


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every group that shares its values on `qid` has at least `k` records.

    Claim: anti-monotone. A refinement only splits groups, so no group grows.
    """

    qid: tuple[str, ...]
    """The attributes through which a person could be linked."""
    k: int
    """The smallest group allowed."""

    def __post_init__(self) -> None:
        """Refuse an empty or repeating QID and a k below one."""
        if not self.qid or len(set(self.qid)) != len(self.qid):
            raise PolicyError([f"A QID names each attribute once, and at least one; found {{{', '.join(self.qid)}}}."])
        if self.k < 1:
            raise PolicyError([f"k is at least 1; found {self.k} on {self.name}."])

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"{{{', '.join(self.qid)}}}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return self.qid

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: itself."""
        return (self,)

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`.

        Claim: every group on a QID is inside a group on any subset of it, so
        A(QID) <= A(subset).

        >>> KAnonymity(("Sex", "Job"), 5).implies(KAnonymity(("Job",), 4))
        True
        """
        return isinstance(other, KAnonymity) and set(other.qid) <= set(self.qid) and other.k <= self.k

    def asks(self) -> str:
        """What it asks, in a few words."""
        return f"k={self.k} on {self.name}"


@dataclass(frozen=True, slots=True)
class Template:
    """A privacy template: in no group on `qid` is the share of one sensitive value above `bound`.

    Claim: anti-monotone. The share in a group is a mean of the shares in its
    parts, so some part has at least the group's share.
    """

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: str
    """The column whose value could be inferred."""
    value: str | None
    """That value; None is the missing one."""
    bound: Fraction
    """The largest share allowed."""

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other` (KAIS 2007, Theorem 3.1).

        >>> from fractions import Fraction
        >>> half, most = Fraction(1, 2), Fraction(9, 10)
        >>> Template(("Job", "Sex"), "Ill", "HIV", half).implies(Template(("Job",), "Ill", "HIV", most))
        True
        """
        return (
            isinstance(other, Template)
            and (self.sensitive, self.value) == (other.sensitive, other.value)
            and set(other.qid) <= set(self.qid)
            and self.bound <= other.bound
        )


@dataclass(frozen=True, slots=True)
class Confidence:
    """Privacy templates on one QID: one for each sensitive value and its bound."""

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: tuple[tuple[str, str | None, Fraction], ...]
    """Column, value and largest share, for each protected value."""

    def __post_init__(self) -> None:
        """Refuse bounds outside (0, 1], a value twice, and a sensitive column in its own QID."""
        mistakes = []
        if not self.qid or len(set(self.qid)) != len(self.qid):
            mistakes.append(f"A QID names each attribute once, and at least one; found {{{', '.join(self.qid)}}}.")
        if not self.sensitive:
            mistakes.append(
                f"A template on {self.name} protects no value. Name one, such as sensitive: {{Illness: [HIV]}}."
            )
        if len({(column, value) for column, value, _ in self.sensitive}) < len(self.sensitive):
            mistakes.append(f"A sensitive value stands twice in the template on {self.name}.")
        mistakes += [
            f"The sensitive column `{column}` is in its own QID. Take it out of one of them."
            for column in dict.fromkeys(column for column, _, _ in self.sensitive)
            if column in self.qid
        ]
        mistakes += [
            f"A confidence is above 0 and at most 1; found {float(bound):g}."
            for bound in dict.fromkeys(bound for _, _, bound in self.sensitive)
            if not 0 < bound <= 1
        ]
        if any(bound.denominator > MOST_PARTS for _, _, bound in self.sensitive):
            mistakes.append("A confidence has at most nine decimals.")
        if mistakes:
            raise PolicyError(mistakes)

    @property
    def name(self) -> str:
        """How messages call its QID."""
        return f"{{{', '.join(self.qid)}}}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return tuple(dict.fromkeys([*self.qid, *(column for column, _, _ in self.sensitive)]))

    @property
    def templates(self) -> tuple[Template, ...]:
        """One template for each protected value."""
        return tuple(Template(self.qid, column, value, bound) for column, value, bound in self.sensitive)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: its templates."""
        return self.templates

    def asks(self) -> str:
        """What it asks, in a few words, without naming a value."""
        columns = ", ".join(dict.fromkeys(column for column, _, _ in self.sensitive))
        bounds = ", ".join(dict.fromkeys(f"{float(bound):g}" for _, _, bound in self.sensitive))
        return f"confidence {bounds} for {columns} on {self.name}"


Part: TypeAlias = KAnonymity | Template
"""A rule on the groups of one QID."""
Requirement: TypeAlias = KAnonymity | Confidence
"""A line of a policy: one or several rules."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything the owner decides.

    Example:
        >>> policy = Policy(requirements=(KAnonymity(("Age", "Sex"), 10),))
        >>> policy.masked
        ('Age', 'Sex')
    """

    requirements: tuple[Requirement, ...]
    """What the masked table must satisfy, in policy order."""
    attributes: tuple[Attribute, ...] = ()
    """The entries the policy gives, in policy order; others get a default."""
    class_name: str | None = None
    """The column recipients will predict."""
    drop: tuple[str, ...] = ()
    """Columns removed from the output."""
    missing: Missing = Missing.KEEP
    """What happens to missing cells of masked attributes."""
    document: Document = field(default=Document(None, "", {}), compare=False, repr=False)
    """Where each part stands in its file; empty for a policy made in Python."""

    def __post_init__(self) -> None:
        """Refuse parts that contradict each other."""
        mistakes: list[str] = []
        if not self.requirements:
            mistakes.append(
                self.at(("requirements",)) + "The policy has no requirement. Add one, such as {qid: [Age, Sex], k: 10}."
            )
        in_qid = {name for requirement in self.requirements for name in requirement.qid}
        if self.class_name in in_qid:
            mistakes.append(
                self.at(("class",))
                + f"The class `{self.class_name}` is in a QID, so it would be masked. Take it out of one of them."
            )
        for name in self.drop:
            if name in in_qid or name == self.class_name or name in self.sensitive:
                role = "in a QID" if name in in_qid else "the class" if name == self.class_name else "sensitive"
                mistakes.append(
                    self.at(("drop",)) + f"`{name}` is dropped and also {role}. Take it out of one of them."
                )
        if mistakes:
            raise PolicyError(mistakes)

    def at(self, place: Place) -> str:
        """Begin a message with file and line, where the policy has them."""
        return f"{self.document.locate(place)}: " if self.document.name else ""

    @property
    def masked(self) -> tuple[str, ...]:
        """The attributes of all QIDs: entries first, in policy order, then by first mention."""
        in_qid = dict.fromkeys(name for requirement in self.requirements for name in requirement.qid)
        entries = [attribute.name for attribute in self.attributes if attribute.name in in_qid]
        return tuple(dict.fromkeys([*entries, *in_qid]))

    @property
    def idle(self) -> tuple[str, ...]:
        """Attributes with an entry that are in no QID, so pass through unchanged."""
        return tuple(a.name for a in self.attributes if a.name not in set(self.masked))

    def implied_parts(self) -> dict[tuple[int, int], int]:
        """For each rule (requirement, part) that another rule implies, the position of that one's requirement.

        >>> Policy((KAnonymity(("a",), 3), KAnonymity(("a", "b"), 3))).implied_parts()
        {(0, 0): 1}
        """
        places = [(i, p) for i, requirement in enumerate(self.requirements) for p in range(len(requirement.parts))]
        part_at = {(i, p): self.requirements[i].parts[p] for i, p in places}
        found: dict[tuple[int, int], int] = {}
        for place in places:
            for other in places:
                implied = other != place and other not in found and part_at[other].implies(part_at[place])
                equal = implied and part_at[place].implies(part_at[other])
                if implied and not (equal and place < other):
                    found[place] = other[0]
                    break
        return found

    def implied_by(self) -> dict[int, int]:
        """For each requirement all of whose rules are implied, the position of a requirement that implies one.

        >>> Policy((KAnonymity(("a",), 3), KAnonymity(("a", "b"), 3))).implied_by()
        {0: 1}
        """
        found = self.implied_parts()
        return {
            i: found[i, 0]
            for i, requirement in enumerate(self.requirements)
            if all((i, p) in found for p in range(len(requirement.parts)))
        }

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns, by first mention."""
        parts = [part for requirement in self.requirements for part in requirement.parts]
        return tuple(dict.fromkeys(part.sensitive for part in parts if isinstance(part, Template)))

    def fingerprint(self) -> str:
        """Hash what the policy says, whatever file it stood in."""
        said = {
            "class": self.class_name,
            "attributes": [
                [a.name, a.kind, a.taxonomy and [a.taxonomy.labels, a.taxonomy.parents], a.bounds]
                for a in self.attributes
            ],
            "requirements": [
                [r.qid, r.k] if isinstance(r, KAnonymity) else [r.qid, [[c, v, str(b)] for c, v, b in r.sensitive]]
                for r in self.requirements
            ],
            "drop": self.drop,
            "missing": self.missing,
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
