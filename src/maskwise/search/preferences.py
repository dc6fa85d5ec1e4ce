"""What the owner prefers among cuts that are safe: how much an attribute counts, and what it shows at least.

Every search starts from the same preferences. A level can make requirements
unreachable; `check_levels` says so before a search begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InfeasibleError
from maskwise.policy.requirements.wording import figure_text
from maskwise.search import rule_kernels
from maskwise.search.bounds import as_rules, figures_of
from maskwise.search.cut_groups import count_groups
from maskwise.values.row_numbers import number_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.policy.policy import Policy
    from maskwise.search.bounds import Bound
    from maskwise.search.value_trees import AnyTree

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Preferences:
    """What is preferred, for each masked attribute in policy order."""

    weights: Floats  # (n_attributes,)
    """How much its information counts."""
    levels: tuple[int, ...]
    """How far below the root of its tree a search starts, or ends if it goes up."""


def preferences_of(policy: Policy) -> Preferences:
    """What a policy prefers."""
    entries = {attribute.name: attribute for attribute in policy.attributes}
    asked = [entries.get(name) for name in policy.masked]
    weights = [1.0 if entry is None else entry.weight for entry in asked]
    return Preferences(np.array(weights), tuple(0 if entry is None else entry.at_least for entry in asked))


def no_preferences(n_attributes: int) -> Preferences:
    """Every attribute counts alike and may show its root."""
    return Preferences(np.ones(n_attributes), (0,) * n_attributes)


def depths(tree: AnyTree) -> Ints:
    """How far each value stands below the root of its tree."""
    found = np.zeros(len(tree.parent), np.int64)
    for node in range(1, len(found)):
        found[node] = found[tree.parent[node]] + 1
    return found


def above_level(tree: AnyTree, level: int) -> list[int]:
    """The values of a tree that stand above a level and have children, parents first."""
    return np.flatnonzero((depths(tree) < level) & (tree.n_children > 0)).tolist() if level else []


def check_levels(policy: Policy, trees: Sequence[AnyTree], tables: Sequence[Compact], bounds: Sequence[Bound]) -> None:
    """Refuse levels at which a requirement cannot be met.

    Args:
        policy: What is asked.
        trees: The value trees, attributes in policy order.
        tables: One compressed table per distinct QID.
        bounds: The rules of all requirements, in policy order.

    Claim: refining never makes the worst group better, so of all cuts that show
    the levels the one that shows nothing below them has the best figures.
    """
    levels = preferences_of(policy).levels
    if not any(levels):
        return
    worst, broken = [], set()
    groups = [_group(table, trees, levels) for table in tables]
    for bound in bounds:
        counts = groups[bound.table]
        rules = as_rules([bound], tables[bound.table].whole())
        weighed = [rule_kernels.weigh_group(rules, 0, group) for group in counts]
        worst.append(max(float(badness) for badness, _ in weighed))
        if any(is_broken for _, is_broken in weighed):
            broken.add(bound.requirement)
    figures = figures_of(bounds, worst)
    complaints = []
    for i in sorted(broken):
        requirement = policy.requirements[i]
        at = {name: level for name, level in zip(policy.masked, levels, strict=True) if level}
        own = [name for name in requirement.qid if name in at and name not in policy.known]
        asked = ", ".join(f"`{name}` at_least {at[name]}" for name in own)
        reached = figure_text(figures[i])
        complaints.append(
            policy.at(("requirements", i))
            + f"{requirement.asks()} cannot be met with {asked}: at these levels it reaches {reached} at best. Lower "
            "a level, or ask for less."
            if own
            else broken_before(policy, i, figures[i])
        )
    if complaints:
        raise InfeasibleError("\n".join(complaints))


def _group(table: Compact, trees: Sequence[AnyTree], levels: Sequence[int]) -> Ints:
    """The counters of each group of a QID if every attribute shows its level."""
    shown_on = []
    for p, a in enumerate(table.attributes):
        place = np.zeros(trees[a].n_codes, np.int64)
        if levels[a]:
            depth = depths(trees[a])
            shown = (depth == levels[a]) | ((depth < levels[a]) & (trees[a].n_children == 0))
            for node in np.flatnonzero(shown).tolist():
                place[trees[a].codes[node, 0] : trees[a].codes[node, 1]] = node
        shown_on.append(place[table.codes[:, p]])
    return count_groups(number_rows(shown_on, len(table.codes)), table.counts, table.persons)


def broken_before(policy: Policy, requirement: int, figure: float) -> str:
    """Say that earlier releases break a requirement by themselves.

    Args:
        policy: What is asked.
        requirement: The requirement's position in the policy.
        figure: What it reaches together with them at best.
    """
    return (
        f"{policy.at(('requirements', requirement))}{policy.requirements[requirement].asks()}, cannot be met: what was "
        f"released before reaches {figure_text(figure)} by itself, and no masking takes that back. Ask for less."
    )
