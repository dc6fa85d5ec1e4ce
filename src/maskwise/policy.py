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
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError, quote
from maskwise.formats.located import Document

if TYPE_CHECKING:
    from maskwise.formats.located import Place
    from maskwise.taxonomy import Taxonomy


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

    def implies(self, other: KAnonymity) -> bool:
        """Say whether a table that meets this one always meets `other`.

        Claim: every group on a QID is inside a group on any subset of it, so
        A(QID) <= A(subset).

        >>> KAnonymity(("Sex", "Job"), 5).implies(KAnonymity(("Job",), 4))
        True
        """
        return set(other.qid) <= set(self.qid) and other.k <= self.k


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything the owner decides.

    Example:
        >>> policy = Policy(requirements=(KAnonymity(("Age", "Sex"), 10),))
        >>> policy.masked
        ('Age', 'Sex')
    """

    requirements: tuple[KAnonymity, ...]
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
            if name in in_qid or name == self.class_name:
                role = "in a QID" if name in in_qid else "the class"
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

    def implied_by(self) -> dict[int, int]:
        """For each requirement that another one implies, the position of that other one.

        >>> Policy((KAnonymity(("a",), 3), KAnonymity(("a", "b"), 3))).implied_by()
        {0: 1}
        """
        found: dict[int, int] = {}
        for i, requirement in enumerate(self.requirements):
            for j, other in enumerate(self.requirements):
                equal = other.implies(requirement) and requirement.implies(other)
                if i != j and other.implies(requirement) and not (equal and i < j) and j not in found:
                    found[i] = j
                    break
        return found

    def fingerprint(self) -> str:
        """Hash what the policy says, whatever file it stood in."""
        said = {
            "class": self.class_name,
            "attributes": [
                [a.name, a.kind, a.taxonomy and [a.taxonomy.labels, a.taxonomy.parents], a.bounds]
                for a in self.attributes
            ],
            "requirements": [[r.qid, r.k] for r in self.requirements],
            "drop": self.drop,
            "missing": self.missing,
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def describe(policy: Policy) -> str:
    """Say in one line what a policy asks.

    >>> describe(Policy((KAnonymity(("Age", "Sex"), 10),)))
    'k=10 on {Age, Sex}; the rest passes through'
    """
    asks = ", ".join(f"k={r.k} on {r.name}" for r in policy.requirements)
    drops = f"; {quote(policy.drop)} dropped" if policy.drop else ""
    return f"{asks}{drops}; the rest passes through"
