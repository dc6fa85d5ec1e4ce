"""What a report says of regions: that labels overlap, how many there are, and which are shown most.

The number of splits and regions is the owner's; recipients read what they could count in the release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.solution.reasons import MISSING

if TYPE_CHECKING:
    from maskwise.outcome import Outcome
    from maskwise.release.label_counts import LabelCounts, RegionCounts

MOST_LABELS = 5
"""So many labels are named with their records."""


def regions_data(outcome: Outcome, *, is_public: bool) -> dict[str, Any]:
    """How many regions there are, as plain values; nothing where one cut holds for the whole table.

    Args:
        outcome: The run.
        is_public: Whether recipients read it: then only what can be counted in the release.
    """
    solution = outcome.solution
    if outcome.regions is None or solution.regions is None:
        return {}
    own = {} if is_public else {"splits": len(solution.regions.splits), "regions": solution.n_regions}
    found = outcome.regions
    return {"regions": {**own, "combinations": found.n_combinations, "sentence": about_regions(found)}}


def about_regions(found: RegionCounts) -> str:
    """What readers must know of labels that overlap."""
    n = plural(found.n_combinations, "combination")
    return (
        f"Regions of the table have labels of their own: {n} of labels. Labels of one attribute may overlap, "
        "or one may lie inside another; each is true of the records that show it."
    )


def label_sentence(found: LabelCounts) -> str:
    """The labels of an attribute in a sentence: how many, which most records show, and how many show nothing.

    >>> from maskwise.release.label_counts import LabelCounts
    >>> label_sentence(LabelCounts("Age", (("[0, 40)", 70), ("[0, 99]", 20), (None, 5)), 20))
    '3 labels: [0, 40) in 70 records, [0, 99] in 20, (missing) in 5. 20 records show the root.'
    """
    first = [
        f"{MISSING if label is None else label} in {plural(n, 'record') if i == 0 else f'{n:,}'}"
        for i, (label, n) in enumerate(found.records[:MOST_LABELS])
    ]
    more = len(found.records) - len(first)
    rest = f" and {more:,} more" if more else ""
    shows = "shows" if found.n_root == 1 else "show"
    root = f"{plural(found.n_root, 'record')} {shows} the root." if found.n_root else "No record shows the root."
    return f"{plural(len(found.records), 'label')}: {', '.join(first)}{rest}. {root}"


def label_data(found: LabelCounts) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "labels": [{"label": label, "records": n} for label, n in found.records],
        "at_root": found.n_root,
        "sentence": label_sentence(found),
    }


def describe_regional_ending(data: dict[str, Any]) -> str:
    """Say how a search for regions ended, and claim no more than it tried.

    >>> regions = {"splits": 1, "regions": 2}
    >>> describe_regional_ending({"ending": "step limit", "regions": regions, "class": None})
    'The search was stopped early (step limit) after 1 split, 2 regions. The table is safe, but more could be shown.'
    """
    found = data["regions"]
    n = f"{plural(found['splits'], 'split')}, {plural(found['regions'], 'region')}"
    if data["ending"] in {"maximal", "exhausted"}:
        gains = "tells more" if data["class"] is None else f"tells more of {data['class']}"
        return f"{n}; none of the further splits that the search tries is safe and {gains}."
    return f"The search was stopped early ({data['ending']}) after {n}. The table is safe, but more could be shown."
