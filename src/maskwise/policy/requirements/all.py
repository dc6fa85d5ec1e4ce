"""What a table must satisfy on the groups of a quasi-identifier.

A requirement is a line of a policy. It is made of parts, each a rule on the
groups of one QID; all are anti-monotone, so that a refinement once invalid
stays invalid. How a rule is counted is the concern of `rules` for the search
and of `verify` for the recount, which share nothing but these values.
"""

from __future__ import annotations

from typing import TypeAlias

from maskwise.policy.requirements.closeness import Closeness
from maskwise.policy.requirements.confidence import Confidence, Template
from maskwise.policy.requirements.diversity import Diversity
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.policy.requirements.lkc import LKC


def naming(requirement: Requirement) -> str:
    """What a requirement asks, with the values that it protects, for the owner's eyes.

    >>> from fractions import Fraction
    >>> naming(Confidence(("Job",), (("Ill", "HIV", Fraction(1, 2)),)))
    'confidence 0.5 for Ill (HIV) on {Job}'
    """
    return requirement.asks(by_name=True) if isinstance(requirement, Confidence | LKC) else requirement.asks()


Part: TypeAlias = KAnonymity | Template | Diversity | Closeness
"""A rule on the groups of one QID."""
Requirement: TypeAlias = KAnonymity | Confidence | Diversity | Closeness | LKC
"""A line of a policy: one or several rules."""
