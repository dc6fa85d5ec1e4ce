"""The whole mechanism: from coded rows to what is released, and the account of epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.private.budget import SIZING, Account, usual_steps
from maskwise.private.counting import count_cells
from maskwise.private.growth import PrivateGrowth, grow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.private_release import PrivateRelease
    from maskwise.private.budget import EpsilonShares
    from maskwise.private.cells import CodedRows
    from maskwise.private.counting import NoisyCells
    from maskwise.private.domain import DeclaredDomain
    from maskwise.private.growth import Chosen
    from maskwise.private.mechanisms import Mechanisms
    from maskwise.solution.cut import Cut


@dataclass(frozen=True, slots=True)
class Released:
    """Everything that the mechanism releases: public, whatever the records were."""

    cells: NoisyCells
    """The noisy counts."""
    cuts: tuple[Cut, ...]
    """What each attribute shows."""
    chosen: tuple[Chosen, ...]
    """The refinements, in order."""
    spent: tuple[EpsilonShares, ...]
    """What epsilon was spent on, for one record."""
    n_steps: int
    """The most refinements that there could be."""


def release(
    rows: CodedRows, domains: Sequence[DeclaredDomain], n_classes: int, asked: PrivateRelease, mechanisms: Mechanisms
) -> Released:
    """Run the mechanism.

    Claim: it is epsilon-differentially private for adding or removing one
    person. A person has at most `per_person` rows here, and the account for one
    row is epsilon divided by that.

    Args:
        rows: The records; each person has at most `per_person`.
        domains: What is declared of each attribute.
        n_classes: How many classes are declared.
        asked: What is asked.
        mechanisms: Draws.
    """
    account = Account(asked.epsilon / asked.per_person)
    steps = asked.steps
    if steps is None:
        total = np.array([rows.counts.sum()], np.int64)
        size = mechanisms.add_noise(total, account.spend("number of records", account.total * SIZING))
        steps = usual_steps(account.total, int(size[0]))
    growth = PrivateGrowth(domains, rows, n_classes)
    chosen = grow(growth, steps, account, mechanisms)
    cells = count_cells(growth, account.spend("counts", account.left), mechanisms)
    cuts = tuple(shown.cut() for shown in growth.shown)
    return Released(cells, cuts, tuple(chosen), tuple(account.lines), steps)
