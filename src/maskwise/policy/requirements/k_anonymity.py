"""k-anonymity: every group has at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.requirements.qid import called, qid_mistakes, refuse

if TYPE_CHECKING:
    from maskwise.policy.requirements.all import Part


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
        refuse(qid_mistakes(self.qid))
        if self.k < 1:
            raise PolicyError([f"k is at least 1; found {self.k} on {self.name}."])

    @property
    def name(self) -> str:
        """How messages call it."""
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return self.qid

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: itself."""
        return (self,)

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about; only rules on the same subject can imply each other."""
        return ("k",)

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
