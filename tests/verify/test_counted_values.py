"""Which values are counted together: the recount and the profile find it apart from each other, and alike."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.policy.requirements.any_of import AnyOf
from maskwise.policy.requirements.base import Counted
from maskwise.policy.requirements.grouping import GroupedBy, Grouping
from maskwise.policy.taxonomy import Taxonomy
from maskwise.profile.sensitive import take_sensitive
from maskwise.table.read import read
from maskwise.verify.counted_values import Cells

TREE: dict[str, Any] = {
    "all": {"B": {"B20": ["B20.0", "B20.1"], "B*": None}, "numbers": {"1": ["10", "1.5"]}, "Z": None}
}
ABOVE = {
    "B": "all", "B20": "B", "B20.0": "B20", "B20.1": "B20", "B*": "B", "numbers": "all", "1": "numbers", "10": "1",
    "1.5": "1", "Z": "all",
}  # fmt: skip
TEXTS = ["B", "B20", "B20.0", "B20.1", "B*", "B2*", "b20", "1", "1.0", "10", "1e1", "1.5", "Z", "Z9", "'=x"]
ELEMENTS = [*TEXTS, "all", "numbers", "B2", "B20.*", "1*", "Z*", "x*", None]


def number(text: str) -> str:
    """One name for all spellings of a number."""
    try:
        return str(float(text))
    except ValueError:
        return text


def path(value: str) -> list[str]:
    """From the root of the tree to a value."""
    labels = {number(label): label for label in ["all", *ABOVE]}
    if number(value) not in labels:
        return []
    found = [labels[number(value)]]
    while found[0] != "all":
        found.insert(0, ABOVE[found[0]])
    return found


def stands_for(element: str | None, texts: list[str | None], *, with_tree: bool) -> set[str]:
    known = [text for text in texts if text is not None]
    if element is None:
        return set()
    if with_tree and path(element):
        names = {number(text) for text in known if path(element)[-1] in path(text)}
    elif any(number(text) == number(element) for text in known) or not element.endswith("*"):
        names = {number(element)}
    else:
        names = {number(text) for text in known if text.startswith(element[:-1])}
    return {text for text in known if number(text) in names}


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.sampled_from([*TEXTS, None]), min_size=1),
    elements=st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=4, unique_by=lambda e: e and number(e)),
    with_tree=st.booleans(),
)
def test_a_union_stands_for_the_same_values_in_the_search_and_in_the_recount(
    texts: list[str | None], elements: list[str | None], with_tree: bool
) -> None:
    expected = {text for element in elements for text in stands_for(element, texts, with_tree=with_tree)}
    counted = Counted("Ill", (AnyOf(tuple(elements)),))
    sensitive, cells = both(texts, with_tree=with_tree)
    (found,) = sensitive.sets_of(counted)
    assert set(sensitive.keys_of(*found).to_pylist()) - {None} == expected
    (recounted,) = cells.counted(counted)
    assert set(cells.are(recounted)) == expected
    is_missing = None in elements
    assert (None in found, None in recounted) == (is_missing, is_missing)
    hits = [text for text in texts if text in expected or (text is None and is_missing)]
    assert sensitive.n_records(*found) == len(hits)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.sampled_from([*TEXTS, None]), min_size=1),
    kind=st.sampled_from(GroupedBy),
    n=st.integers(1, 4),
)
def test_groups_are_the_same_in_the_search_and_in_the_recount(texts: list[str | None], kind: GroupedBy, n: int) -> None:
    groups: dict[str, set[str]] = {}
    known = [text for text in texts if text is not None]
    for text in known:
        above = path(text)
        group = text[:n] if kind is GroupedBy.PREFIX else above[min(n, len(above) - 1)] if above else "all"
        groups.setdefault(group, set()).add(text)
    expected = {frozenset(group) for group in groups.values()} | ({frozenset({None})} if None in texts else set())
    sensitive, cells = both(texts, with_tree=True)
    counted = Counted("Ill", by=Grouping(kind, n))
    assert {frozenset(group) for group in sensitive.sets_of(counted)} == expected
    assert {frozenset(group) for group in cells.counted(counted)} == expected


def both(texts: list[str | None], *, with_tree: bool) -> tuple[Any, Cells]:
    tree = Taxonomy.from_nested(TREE) if with_tree else None
    sensitive = take_sensitive(read(pa.table({"Ill": pa.array(texts, pa.string())})), "Ill", tree)
    known = list(dict.fromkeys(text for text in texts if text is not None))
    return sensitive, Cells(known, known, None in texts, tree)
