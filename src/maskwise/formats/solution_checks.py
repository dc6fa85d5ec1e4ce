"""Refuse a solution file that contradicts itself: it was edited, or damaged.

Nothing signs a solution, so an edit that fits together is not noticed; its
owner keeps the file private.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Kind
from maskwise.values.number_forms import Numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maskwise.solution.solution import Solution

_LARGEST = (1 << 63) - 1
"""Engines hold no larger whole number."""


def are_ascending(breaks: Sequence[int | float]) -> bool:
    """Whether the ends of intervals are numbers that an engine can hold, in order.

    >>> are_ascending([0, 37, 99]), are_ascending([3, 1]), are_ascending([0, 10**400]), are_ascending([0])
    (True, False, False, False)
    """
    is_held = all(abs(end) <= _LARGEST if isinstance(end, int) else abs(end) < float("inf") for end in breaks)
    return is_held and len(breaks) > 1 and all(a <= b for a, b in pairwise(breaks))


def refuse_contradictions(solution: Solution, shown: Sequence[Sequence[str]], dropped: Sequence[int]) -> None:
    """Refuse a solution whose parts do not fit together.

    Args:
        solution: What the file says.
        shown: What it says that each attribute shows.
        dropped: The requirements that it says are implied by others.

    Raises:
        PolicyError: One of them does not follow from the others.
    """
    found = [*_of_columns(solution), *_of_labels(solution, shown), *_of_requirements(solution, dropped)]
    if found:
        raise PolicyError([f"it contradicts itself: {found[0]}"])


def _of_columns(solution: Solution) -> Iterator[str]:
    masked = [cut.attribute for cut in (*solution.cuts, *solution.fixed)]
    if len(set(masked)) < len(masked):
        yield "an attribute is masked twice."
    if not solution.cuts:
        yield "it masks no attribute."
    if len({*solution.columns}) < len(solution.columns) or "" in solution.columns:
        yield "a column of the release has no name of its own."
    released = set(solution.columns)
    if lost := [cut.attribute for cut in solution.fixed if cut.attribute not in released]:
        yield f"`{lost[0]}` is masked and not released."
    if lost := [cut.attribute for cut in solution.cuts if cut.attribute not in released]:
        yield f"`{lost[0]}` is masked and not released."
    if both := released & {*solution.drop}:
        yield f"`{min(both)}` is dropped and released."
    person = solution.person
    if person is not None and (person.column in masked or (person.column in released) != person.is_released):
        yield f"`{person.column}` says whom records are about."


def _of_labels(solution: Solution, shown: Sequence[Sequence[str]]) -> Iterator[str]:
    for cut, said in zip(solution.cuts, shown, strict=True):
        if cut.kind is Kind.INTERVAL:
            whole = cut.label_between(cut.breaks[0], cut.breaks[-1], is_last=True)
            if tuple(said) != cut.labels or (cut.root != whole and not any(cut.coded)):
                yield f"the intervals of `{cut.attribute}` are not those between its breaks."
        if len(set(cut.shown)) < len(cut.shown):
            yield f"`{cut.attribute}` shows a value twice."
    labels = {cut.attribute: {*cut.labels, cut.root} for cut in solution.cuts}
    if solution.means and solution.numbers is not Numbers.MEAN:
        yield "it has means, and shows none."
    for name, of_label in solution.means:
        if not {label for label, _ in of_label} <= labels.get(name, set()):
            yield f"the means of `{name}` are not of its labels."


def _of_requirements(solution: Solution, dropped: Sequence[int]) -> Iterator[str]:
    if solution.n_rows < 1:
        yield "it was found on no records."
    reached = solution.reached
    for i, found in enumerate(reached):
        if found.implied_by is not None and (found.implied_by == i or not 0 <= found.implied_by < len(reached)):
            yield f"requirement {i + 1} follows from one that is not there."
        k = found.requirement.k
        if k is not None and not k <= found.figure <= solution.n_rows:
            yield f"the smallest group of requirement {i + 1} is not what it asks for."
    if list(dropped) != [i for i, found in enumerate(reached) if found.implied_by is not None]:
        yield "it drops other requirements than those that follow from others."
