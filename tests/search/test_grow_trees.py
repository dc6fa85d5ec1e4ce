"""Value trees: they hold every record once, show what can be reached, and split where brute force would."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.grow_trees import grow_forest
from maskwise.search.value_trees import ValueTree, flatten, gains
from maskwise.table.read import read

TREE = {"any": {"A": ["a1", "a2"], "B": {"b": ["b1", "b2"], "c": None}}}
CELLS = st.lists(
    st.tuples(st.integers(0, 9) | st.none(), st.sampled_from("xy"), st.sampled_from(["a1", "a2", "b1", "b2", "c"])),
    min_size=4,
    max_size=40,
)


def entropy(labels: list[str]) -> float:
    return -sum(n / len(labels) * math.log2(n / len(labels)) for n in Counter(labels).values())


def grown(
    rows: list[tuple[Any, str, str]], k: int, *, has_class: bool = True, raw: bool = False
) -> dict[str, ValueTree]:
    table = pa.table(
        {
            "number": pa.array([row[0] for row in rows], pa.int64()),
            "class": [row[1] for row in rows],
            "tree": [row[2] for row in rows],
            "star": [row[2] for row in rows],
        }
    )
    asked: dict[str, Any] = {
        "attributes": {"number": {"interval": [0, 9]}, "tree": {"taxonomy": TREE}, "star": "suppress"},
        "requirements": [{"qid": ["number", "tree", "star"], "k": k}],
    }
    policy = read_policy(asked | ({"class": "class"} if has_class else {}))
    profiled, _ = profile(read(table), policy)
    return {tree.name: tree for tree in grow_forest(profiled, policy.floors(), raw=raw)}


@pytest.mark.slow
@given(rows=CELLS.filter(lambda rows: any(row[0] is not None for row in rows)), k=st.integers(1, 4))
def test_children_share_the_records_of_their_parent_and_none_is_too_small(rows: list[Any], k: int) -> None:
    for tree in grown(rows, k).values():
        assert tree.nodes[0].counts.sum() == len(rows)
        for node in range(len(tree.nodes)):
            children = range(int(tree.first_child[node]), int(tree.first_child[node] + tree.n_children[node]))
            if not children:
                continue
            sizes = [int(tree.nodes[child].counts.sum()) for child in children]
            if tree.kind != "suppress":
                assert sum(sizes) == tree.nodes[node].counts.sum()
            assert all(size >= k for size in sizes if size)
            assert all(tree.parent[child] == node for child in children)


@pytest.mark.slow
@given(rows=CELLS.filter(lambda rows: any(row[0] is not None for row in rows)))
def test_an_interval_is_split_where_the_class_is_told_best(rows: list[Any]) -> None:
    tree = grown(rows, 1)["number"]
    numbers = [(number, label) for number, label, _ in rows if number is not None]
    if len({label for _, label, _ in rows}) < 2 or len({number for number, _ in numbers}) < 2 or len(tree.nodes) == 1:
        return
    told = {}
    for border in sorted({number for number, _ in numbers})[1:]:
        left = [label for number, label in numbers if number < border]
        right = [label for number, label in numbers if number >= border]
        told[border] = (len(left) * entropy(left) + len(right) * entropy(right)) / len(numbers)
    best = min(border for border, mixed in told.items() if mixed < min(told.values()) + 1e-12)
    assert tree.nodes[int(tree.first_child[0])].label == f"[0, {best})"


@pytest.mark.parametrize(("raw", "labels"), [(False, {"*", "a1"}), (True, {"*", "a1", "b1", "b2"})])
def test_a_value_too_rare_to_be_shown_is_left_out_unless_a_search_starts_from_it(raw: bool, labels: set[str]) -> None:
    rows = [(1, "xy"[i % 2], "a1") for i in range(5)] + [(2, "x", "b1"), (3, "y", "b2")]
    tree = grown(rows, 3, raw=raw)["star"]
    assert {node.label for node in tree.nodes} == labels


def test_without_a_class_the_middle_of_the_records_is_found() -> None:
    rows = [(number, "x", "c") for number in (0, 1, 8, 9) for _ in range(3)]
    tree = grown(rows, 2, has_class=False)["number"]
    spread = {border: sum(min(border, 9) if n < border else 9 - border for n, _, _ in rows) for border in (1, 8, 9)}
    best = min(spread, key=lambda border: (spread[border], border))
    assert tree.nodes[int(tree.first_child[0])].label == f"[0, {best})"


def test_all_trees_in_one_numbering_keep_their_nodes() -> None:
    rows = [(i % 10, "xy"[i % 2], ["a1", "a2", "b1", "b2", "c"][i % 5]) for i in range(60)]
    trees = list(grown(rows, 2).values())
    flat = flatten(trees)
    assert flat.first.tolist() == np.cumsum([0, *(len(tree.nodes) for tree in trees)]).tolist()
    for i, tree in enumerate(trees):
        mine = slice(int(flat.first[i]), int(flat.first[i + 1]))
        assert (flat.n_children[mine] == tree.n_children).all()
        assert (flat.attribute[mine] == i).all()


def test_gains_are_the_entropy_that_refining_takes_away() -> None:
    rows = [(0, "x", "a1")] * 6 + [(0, "y", "a2")] * 6 + [(0, "x", "c")] * 2 + [(0, "y", "c")] * 2
    tree = grown(rows, 1)["tree"]
    at = next(i for i, node in enumerate(tree.nodes) if node.label == "A")
    assert gains(tree, has_class=True)[at] == pytest.approx(1.0)
    root = entropy([row[1] for row in rows]) - 12 / 16 * 1.0 - 4 / 16 * 1.0
    assert gains(tree, has_class=True)[0] == pytest.approx(root)
