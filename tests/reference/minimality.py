"""The minimality attack in plain Python: every assignment of the sensitive values is looked at."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any


def posterior(groups: list[list[str]], with_value: list[int], bound: Fraction) -> Fraction | None:
    """How sure an attacker can be of anybody at most, given that a refinement was refused by a template.

    Args:
        groups: For each group that would be parted, the child of each of its records.
        with_value: How many records of each group have the sensitive value.
        bound: The largest share allowed.

    Returns:
        None if no assignment breaks the template.
    """
    choices = [list(itertools.combinations(range(len(group)), n)) for group, n in zip(groups, with_value, strict=True)]
    n_refused = 0
    n_with: dict[tuple[int, str], int] = {}
    for chosen in itertools.product(*choices):
        counts = [
            {child: sum(group[i] == child for i in own) for child in set(group)}
            for group, own in zip(groups, chosen, strict=True)
        ]
        if all(n <= bound * groups[g].count(child) for g, own in enumerate(counts) for child, n in own.items()):
            continue
        n_refused += 1
        for g, own in enumerate(counts):
            for child, n in own.items():
                n_with[g, child] = n_with.get((g, child), 0) + n
    if not n_refused:
        return None
    return max(Fraction(n, n_refused * groups[g].count(child)) for (g, child), n in n_with.items())


def stopped(
    rows: list[dict[str, Any]], released: list[str], attribute: str, children: dict[str, str], ask: dict[str, Any]
) -> Fraction | None:
    """The posterior of refining the root of one attribute, or None if a template did not stop that.

    Args:
        rows: The records, unmasked, with `value` true where a record has the sensitive value.
        released: What each record shows on the other attributes, as one text.
        attribute: The attribute that shows its root.
        children: For each raw value of it the child of the root that it is below.
        ask: `k` and `bound`.
    """
    groups: dict[str, list[int]] = {}
    for i, shown in enumerate(released):
        groups.setdefault(shown, []).append(i)
    is_broken = False
    parted, with_value = [], []
    for members in groups.values():
        own = [children[rows[i][attribute]] for i in members]
        for child in set(own):
            inside = [i for i, at in zip(members, own, strict=True) if at == child]
            if len(inside) < ask["k"]:
                return None
            is_broken |= sum(rows[i]["value"] for i in inside) > ask["bound"] * len(inside)
        if len(set(own)) > 1:
            parted.append(own)
            with_value.append(sum(rows[i]["value"] for i in members))
    return posterior(parted, with_value, ask["bound"]) if is_broken else None
