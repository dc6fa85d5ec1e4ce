"""Grown trees: what is split, what is kept together, and what labels name."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.policy.rules.grow import GrowBy
from maskwise.profile.growing.by_classes import split_by_classes
from maskwise.profile.growing.by_frequency import split_by_frequency
from maskwise.profile.growing.by_similarity import join_by_similarity, text_distances
from maskwise.profile.growing.grow import grow_tree
from maskwise.profile.growing.units import OTHERS, take_units

two_classes = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7)


def remaining_bits(rows: list) -> float:
    """Records times entropy, by the definition."""
    total = [sum(column) for column in zip(*rows, strict=True)]
    n = sum(total)
    return -sum(c * math.log2(c / n) for c in total if c)


def bits_of_split(counts: list, part: set) -> float:
    inside = [counts[i] for i in range(len(counts)) if i in part]
    outside = [counts[i] for i in range(len(counts)) if i not in part]
    return remaining_bits(inside) + remaining_bits(outside)


@settings(deadline=None)
@given(two_classes)
def test_of_two_classes_no_split_into_two_parts_tells_more(counts: list) -> None:
    left, right = split_by_classes(np.arange(len(counts)), np.array(counts, np.int64))
    assert sorted([*left, *right]) == list(range(len(counts)))
    assert len(left)
    assert len(right)
    everything = range(len(counts))
    best = min(
        bits_of_split(counts, set(part))
        for n in range(1, len(counts))
        for part in itertools.combinations(everything, n)
    )
    assert bits_of_split(counts, set(left.tolist())) == pytest.approx(best, abs=1e-6)


def test_of_several_classes_units_with_like_shares_go_together() -> None:
    counts = np.array([[90, 5, 5], [10, 80, 10], [88, 6, 6], [8, 12, 80], [9, 82, 9], [92, 4, 4]])
    left, right = split_by_classes(np.arange(6), counts)
    assert {frozenset(left.tolist()), frozenset(right.tolist())} == {frozenset({0, 2, 5}), frozenset({1, 3, 4})}


def test_where_the_class_tells_nothing_halves_are_alike_in_records() -> None:
    counts = np.array([[10, 10], [40, 40], [20, 20], [5, 5]])
    left, right = split_by_classes(np.arange(4), counts)
    assert {frozenset(left.tolist()), frozenset(right.tolist())} == {frozenset({0, 2, 3}), frozenset({1})}


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=2, max_size=9))
def test_halves_by_frequency_are_the_most_even_ones_that_keep_rare_values_together(n: list) -> None:
    left, right = split_by_frequency(np.arange(len(n)), np.array(n, np.int64)[:, None])
    assert max(n[i] for i in left) <= min(n[i] for i in right)
    ordered = sorted(n)
    best = min(abs(sum(ordered[:at]) - sum(ordered[at:])) for at in range(1, len(n)))
    assert abs(sum(n[i] for i in left) - sum(n[i] for i in right)) == best


def plain_distance(one: str, other: str) -> float:
    a, b = one.casefold(), other.casefold()
    pairs = [{(x, y) for x, y in zip("\0" + t, t + "\0", strict=True)} for t in (a, b)]
    dice = 1 - 2 * len(pairs[0] & pairs[1]) / (len(pairs[0]) + len(pairs[1]))
    begin = 0
    while begin < min(len(a), len(b)) and a[begin] == b[begin]:
        begin += 1
    return (dice + 1 - begin / max(len(a), len(b), 1)) / 2


words = st.lists(st.text("abC1", max_size=6), min_size=2, max_size=12, unique_by=str.casefold)


@settings(deadline=None)
@given(words)
def test_distances_of_texts_are_those_of_the_definition(texts: list) -> None:
    found = text_distances(texts)
    for i, j in itertools.combinations(range(len(texts)), 2):
        assert found[i, j] == found[j, i] == pytest.approx(plain_distance(texts[i], texts[j]))


def test_joined_groups_are_those_of_a_search_through_all_pairs() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        texts = sorted({"".join(rng.choice(list("abcdefgh"), size=rng.integers(3, 12))) for _ in range(14)})
        distances = text_distances(texts)
        off_diagonal = distances[np.triu_indices(len(texts), 1)]
        groups = {i: (i,) for i in range(len(texts))}
        open_groups = set(groups)
        for one, other in join_by_similarity(texts):

            def mean(a: int, b: int) -> float:
                return float(np.mean([[distances[x, y] for y in groups[b]] for x in groups[a]]))  # noqa: B023

            least = min(mean(a, b) for a, b in itertools.combinations(sorted(open_groups), 2))
            assert mean(one, other) == pytest.approx(least)
            open_groups -= {one, other}
            groups[len(groups)] = (*groups[one], *groups[other])
            open_groups.add(len(groups) - 1)
        assert len(off_diagonal)
        assert sorted(groups[len(groups) - 1]) == list(range(len(texts)))


def test_codes_and_words_that_begin_alike_stand_together() -> None:
    texts = ["clerk, junior", "clerk, senior", "nurse", "nurse (ward)", "pilot"]
    units = take_units(texts, np.full((5, 1), 30), np.full(5, 30), 10)
    tree = grow_tree(units, GrowBy.SIMILARITY)
    assert "{clerk, junior, clerk, senior}" in tree.labels
    assert "{nurse, nurse (ward)}" in tree.labels


def check_tree(texts: list, counts: np.ndarray, floor: int, by: GrowBy) -> None:
    people = counts.sum(axis=1)
    units = take_units(texts, counts, people, floor)
    tree = grow_tree(units, by)
    assert sorted(tree.leaves()) == sorted(texts)
    rare = [text for text, n in zip(texts, people, strict=True) if n < max(floor, 10)]
    inner = set(tree.labels) - set(texts) - {tree.root}
    for label in inner:
        assert not any(text in label for text in rare)
    records = dict(zip(texts, people.tolist(), strict=True))
    below = {label: [one for one in tree.at_or_below(label) if one in records] for label in inner}
    for label in inner:
        n = sum(records[leaf] for leaf in below[label])
        assert n >= min(floor, people.sum())
        children = tree.children(label)
        assert len(children) == 2 or set(children) == set(units.rest)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40), st.integers(0, 3)), min_size=1, max_size=15),
    st.integers(0, 60),
    st.sampled_from(list(GrowBy)),
)
def test_every_value_is_a_leaf_and_no_label_names_a_rare_one(counts: list, floor: int, by: GrowBy) -> None:
    texts = [f"<{i:02}>" for i in range(len(counts))]
    check_tree(texts, np.array(counts, np.int64), floor, by)


def test_values_of_few_people_are_kept_together_with_the_rarest_others_until_they_are_enough() -> None:
    texts = ["a", "b", "c", "d"]
    people = np.array([100, 3, 20, 15])
    units = take_units(texts, people[:, None], people, 15)
    assert (units.texts, units.rest, units.named_rest) == (("a", "c"), ("b", "d"), ("d",))
    tree = grow_tree(units, GrowBy.FREQUENCY)
    assert tree.to_nested() == {"*": {"a": {}, "{c, d, ...}": {"c": {}, "{d, ...}": {"b": {}, "d": {}}}}}


def test_only_rare_values_are_one_group_under_the_root() -> None:
    units = take_units(["a", "b"], np.array([[1], [2]]), np.array([1, 2]), 5)
    for by in GrowBy:
        assert grow_tree(units, by).to_nested() == {"*": {"a": {}, "b": {}}}


def test_rare_values_beside_others_are_named_by_nobody() -> None:
    people = np.array([50, 4, 60, 4])
    units = take_units(["x", "pope", "y", "king"], people[:, None], people, 8)
    assert units.label([2]) == OTHERS
    assert "{x, y}" in grow_tree(units, GrowBy.SIMILARITY).labels


def test_the_order_of_siblings_does_not_tell_which_has_more_of_a_class() -> None:
    counts = np.array([[5, 45], [40, 10], [6, 44], [41, 9]])
    turned = counts[:, ::-1]
    texts = ["a", "b", "c", "d"]
    trees = [grow_tree(take_units(texts, one, one.sum(axis=1), 5), GrowBy.CLASSES) for one in (counts, turned)]
    assert trees[0] == trees[1]


def test_a_value_that_looks_like_a_label_stays_a_value() -> None:
    people = np.array([30, 30, 90])
    tree = grow_tree(take_units(["a", "b", "{a, b}"], people[:, None], people, 5), GrowBy.FREQUENCY)
    assert tree.to_nested() == {"*": {"{a, b} (2)": {"a": {}, "b": {}}, "{a, b}": {}}}


def test_long_groups_list_some_and_count_the_others() -> None:
    texts = [f"v{i}" for i in range(8)]
    people = np.full(8, 20)
    units = take_units(texts, people[:, None], people, 5)
    assert units.label(list(range(7))) == "{v0, v1, v2, v3, v4 and 2 more}"
