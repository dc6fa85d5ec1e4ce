"""What an attack on a release came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.values.message import Audience


class AttackResult(StrEnum):
    """How an attack ended."""

    PASSED = "passed"
    """The release withstands it."""
    FAILED = "failed"
    """It tells more than the policy allows."""
    MEASURED = "measured"
    """No requirement bounds what it tells; the figure says how much that is."""
    NOT_RUN = "not run"
    """It does not concern this release, or could not be tried; the text says why."""
    UNDECIDED = "undecided"
    """What can be seen does not tell whether it succeeds; the text says why, and the figures how far it could go."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack, tried on a release."""

    name: str
    """What it is called: `minimality`, `composition`, `labels`, `homogeneity`, `skew`, `told`."""
    knows: str
    """What the attacker knows, in a sentence."""
    result: AttackResult
    """How it ended."""
    text: str
    """What it came to, in a sentence with its figure."""
    audience: Audience
    """Who may read it: recipients only where it follows from the release and the public policy."""
    figure: float | None = None
    """The figure that speaks for the result."""
    bound: float | None = None
    """What the figure must not exceed."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """More figures, as plain values."""

    def to_data(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        found = {"attack": self.name, "knows": self.knows, "result": str(self.result), "text": self.text}
        figures = {"figure": self.figure, "bound": self.bound}
        return found | {name: value for name, value in figures.items() if value is not None} | dict(self.details)
