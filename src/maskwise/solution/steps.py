"""The steps of a search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One refinement that was performed."""

    step: int
    """Its number, from 1."""
    attribute: str
    """The refined attribute."""
    before: str | None
    """The shown value that was refined."""
    after: tuple[str | None, ...]
    """What is shown instead; None is the missing value."""
    info_gain: float
    """The information gained."""
    loss: float
    """The privacy lost, averaged over the requirements on the attribute."""
    score: float
    """Information gained per unit of privacy lost."""
    requirements: tuple[float, ...]
    """For each requirement of the policy the figure after the step: the anonymity, or the largest confidence."""
    regions: tuple[int, ...] = ()
    """The regions that were split, where regions have cuts of their own."""


@dataclass(frozen=True, slots=True)
class Generalization:
    """One step of a bottom-up search."""

    step: int
    """Its number, from 1."""
    attribute: str
    """The generalized attribute."""
    before: tuple[str | None, ...]
    """The values that were replaced; None is the missing value."""
    after: str | None
    """What is shown instead."""
    info_loss: float
    """The information lost."""
    anonymity_gain: float
    """The privacy gained, averaged over the requirements on the attribute."""
    ip: float | None
    """Information lost per unit of privacy gained; None where nothing was gained."""
    requirements: tuple[float, ...]
    """For each requirement of the policy the figure after the step."""
