"""A policy where parameters are shown: as it is if it is short, else only counted."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import Any

from maskwise.errors import plural
from maskwise.formats.policy_file import to_data
from maskwise.policy.policy import Policy

_LONG = 400
"""From so many characters on a policy is only counted."""


@dataclass(frozen=True, slots=True)
class PolicyInBrief:
    """Stands for a long policy where parameters are shown."""

    n_attributes: int
    n_requirements: int

    def __repr__(self) -> str:
        """How much it says."""
        return f"<policy: {plural(self.n_attributes, 'entry')}, {plural(self.n_requirements, 'requirement')}>"


def brief(policy: Any) -> Any:
    """A policy as parameters show it: as it is, if it is short."""
    if not isinstance(policy, Policy | Mapping) or len(repr(policy)) <= _LONG:
        return policy
    said = to_data(policy) if isinstance(policy, Policy) else policy
    parts = (said.get("attributes"), said.get("requirements"))
    return PolicyInBrief(*(len(part) if isinstance(part, Sized) else 0 for part in parts))
