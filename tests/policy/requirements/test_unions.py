"""Unions of sensitive values and groups of them: what a policy may say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from maskwise import Attribute, Policy, PolicyError, Taxonomy, read_policy
from maskwise.formats.policy_file import to_data
from maskwise.policy.attributes import Kind
from maskwise.policy.requirements.any_of import AnyOf
from maskwise.policy.requirements.confidence import Confidence, Template

TREE = {"ANY": {"HIV": {"B20": ["B20.0", "B20.1"], "Z21": None}, "J": ["J10", "J11"]}}


def asked(sensitive: Any, **more: Any) -> Policy:
    return read_policy({"requirements": [{"qid": ["Age"], "sensitive": sensitive, **more}]})


def protected(policy: Policy) -> list[tuple[Any, float]]:
    requirement = policy.requirements[0]
    assert isinstance(requirement, Confidence)
    return [
        (value.elements if isinstance(value, AnyOf) else value, float(bound))
        for _, value, bound in requirement.sensitive
    ]


@pytest.mark.parametrize(
    ("sensitive", "confidence", "expected"),
    [
        ({"any": ["B20.*", "Z21"]}, 0.05, [(("B20.*", "Z21"), 0.05)]),
        ({"any": {"values": ["B*", None], "confidence": 0.05}, "Flu": 0.2}, None, [(("B*", None), 0.05), ("Flu", 0.2)]),
        ({"Flu": 0.2, "any": ["A", "B"]}, 0.05, [("Flu", 0.2), (("A", "B"), 0.05)]),
        ({"any": [["A", "B"], ["C"]]}, 0.05, [(("A", "B"), 0.05), (("C",), 0.05)]),
        ({"any": [{"values": ["A"], "confidence": 0.1}, ["C"]]}, 0.05, [(("A",), 0.1), (("C",), 0.05)]),
        ({"any": 0.3}, None, [("any", 0.3)]),
        (["any", "B20.*"], 0.3, [("any", 0.3), ("B20.*", 0.3)]),
    ],
)  # fmt: skip
def test_the_forms_of_a_union(sensitive: Any, confidence: float | None, expected: list[Any]) -> None:
    more = {} if confidence is None else {"confidence": confidence}
    policy = asked({"Ill": sensitive}, **more)
    assert protected(policy) == expected
    assert protected(read_policy(to_data(policy))) == expected


@pytest.mark.parametrize(
    ("sensitive", "more", "text"),
    [
        ({"Ill": {"any": []}}, {"confidence": 0.1}, "A union of sensitive values is empty."),
        ({"Ill": {"any": ["A", "B", "A"]}}, {"confidence": 0.1}, "A value stands twice in a union"),
        ({"Ill": {"any": ["1", "1.0"]}}, {"confidence": 0.1}, "A value stands twice in a union"),
        ({"Ill": {"any": ["A", "*"]}}, {"confidence": 0.1}, "`*` alone would be every value"),
        ({"Ill": {"any": ["'*"]}}, {"confidence": 0.1}, "`*` alone would be every value"),
        ({"Ill": {"any": None}}, {"confidence": 0.1}, "`any` is a list of values"),
        ({"Ill": {"any": {"values": ["A"]}}}, {}, "`any` is a list of values"),
        ({"Ill": {"any": [["A", ["B"]]]}}, {"confidence": 0.1}, "`any` is a list of values"),
        ({"Ill": {"any": ["A"]}}, {}, "`confidence` is missing"),
        ({"Ill": {"any": {"values": ["A"], "confidence": 0.1}}}, {"confidence": 0.1}, "`confidence` is not used"),
        ({"Ill": {"any": ["A"]}}, {"confidence": 0}, "A confidence is above 0 and at most 1; found 0."),
        ({"Ill": {"any": {"values": ["A"], "confidence": "1.5"}}}, {}, "at most 1; found 1.5."),
        ({"Ill": {"any": {"values": ["A"], "confidence": "lots"}}}, {}, "a confidence is a number above 0"),
        ({"Ill": {"any": [["A", "B"], ["A", "B"]]}}, {"confidence": 0.1}, "stands twice in the template"),
        ("Ill", {"diversity": {"distinct": 2}, "by": "prefix 0"}, "`by: prefix 0` would make one group of all values"),
        ("Ill", {"diversity": {"distinct": 2}, "by": "level 0"}, "`by: level 0` would make one group of all values"),
        ("Ill", {"diversity": {"distinct": 2}, "by": "letter"}, "`by` is `prefix 1`"),
        ("Ill", {"diversity": {"distinct": 2}, "by": "level 1"}, "grouped by the levels of its taxonomy, but has none"),
        ("Ill", {"closeness": 0.2, "by": "level 1"}, "grouped by the levels of its taxonomy, but has none"),
        ("Ill", {"closeness": 0.2, "distance": "ordered", "by": "prefix 1"}, "`by` goes with the equal distance"),
        ({"Ill": ["A"]}, {"confidence": 0.2, "by": "prefix 1"}, "`by` does not go with `sensitive`"),
    ],
)
def test_a_union_or_a_grouping_that_means_nothing_is_refused(sensitive: Any, more: dict[str, Any], text: str) -> None:
    with pytest.raises(PolicyError) as caught:
        asked(sensitive, **more)
    assert text in str(caught.value)


def test_any_on_a_column_without_values_is_refused() -> None:
    with pytest.raises(PolicyError, match="`sensitive` is a mapping from a column to its values"):
        asked("Ill", confidence=0.1)
    with pytest.raises(PolicyError, match="the values of a sensitive column are a list"):
        asked({"Ill": None}, confidence=0.1)


def with_tree(requirements: list[Any], entry: Any, **more: Any) -> Policy:
    return read_policy({"attributes": {"Ill": entry}, "requirements": requirements, **more})


def test_levels_need_the_tree_of_their_column_and_it_is_not_idle_then() -> None:
    diverse = {"qid": ["Age"], "sensitive": "Ill", "diversity": {"distinct": 2}, "by": "level 1"}
    policy = with_tree([diverse], {"taxonomy": TREE})
    assert policy.idle == ()
    assert read_policy(to_data(policy)) == policy
    assert with_tree([{"qid": ["Age"], "k": 2}], {"taxonomy": TREE}).idle == ("Ill",)
    assert with_tree([{"qid": ["Age"], "k": 2}], {"taxonomy": TREE, "release": 1}).idle == ()


def test_a_depth_of_release_is_part_of_what_the_policy_says() -> None:
    k = [{"qid": ["Age"], "k": 2}]
    shown = with_tree(k, {"taxonomy": TREE, "release": 1})
    assert (shown.attributes[0].release, read_policy(to_data(shown))) == (1, shown)
    assert shown.fingerprint() != with_tree(k, {"taxonomy": TREE}).fingerprint()


@pytest.mark.parametrize(
    ("requirements", "entry", "more", "text"),
    [
        ([{"qid": ["Ill"], "k": 2}], {"taxonomy": TREE, "release": 1}, {}, "`Ill` is in a quasi-identifier"),
        ([{"qid": ["Age"], "k": 2}], {"taxonomy": TREE, "release": 1}, {"class": "Ill"}, "`Ill` is the class"),
        ([{"qid": ["Age"], "k": 2}], {"taxonomy": TREE, "release": 1}, {"drop": ["Ill"]}, "`Ill` is dropped"),
        ([{"qid": ["Age"], "k": 2}], {"taxonomy": TREE, "release": -1}, {}, "release is at least 0"),
        ([{"qid": ["Age"], "k": 2}], {"taxonomy": TREE, "release": "leaf"}, {}, "`release` is a whole number"),
        (
            [{"qid": ["Age"], "k": 2}],
            {"interval": [1, 2], "release": 1},
            {},
            "release is for an attribute with taxonomy",
        ),
        (
            [{"qid": ["Age"], "sensitive": {"Ill": {"any": ["B20*"]}}, "confidence": 0.1}, {"qid": ["Ill"], "k": 2}],
            {"taxonomy": TREE},
            {},
            "`Ill` is masked by another requirement, so values that begin alike cannot be counted",
        ),
    ],
)
def test_an_entry_that_contradicts_the_rest_is_refused(
    requirements: list[Any], entry: Any, more: dict[str, Any], text: str
) -> None:
    with pytest.raises(PolicyError) as caught:
        with_tree(requirements, entry, **more)
    assert text in str(caught.value)


def test_an_attribute_made_in_python_is_checked_too() -> None:
    with pytest.raises(PolicyError, match="`release` is a depth"):
        Attribute("Ill", Kind.SUPPRESS, release=1)
    with pytest.raises(PolicyError, match="`release` is a depth"):
        Attribute("Ill", Kind.TAXONOMY, Taxonomy.from_nested(TREE), release=-1)


def test_a_dropped_column_may_be_protected() -> None:
    policy = with_tree([{"qid": ["Age"], "sensitive": {"Ill": ["A"]}, "confidence": 0.5}], "suppress", drop=["Ill"])
    assert policy.drop == ("Ill",)


def test_a_union_implies_what_it_holds() -> None:
    """Only where it is certain in every table: a single value need not be all that an element stands for."""
    bounds = [Fraction(1, 10), Fraction(2, 10)]
    qids = [("a",), ("a", "b")]
    values: list[Any] = ["A", "A*", AnyOf(("A",)), AnyOf(("A", "B*")), AnyOf(("B*", "A", "C")), AnyOf(("A*",))]
    templates = [Template(*each) for each in product(qids, ["Ill"], values, bounds)]

    def elements(value: Any) -> set[Any]:
        return set(value.elements) if isinstance(value, AnyOf) else {value}

    for one, other in product(templates, templates):
        expected = (
            set(other.qid) <= set(one.qid)
            and one.bound <= other.bound
            and (
                one.value == other.value
                or (isinstance(one.value, AnyOf) and elements(other.value) <= elements(one.value))
            )
        )
        assert one.implies(other) == expected


def test_a_template_that_a_union_implies_is_dropped_from_the_search() -> None:
    union = {"qid": ["a", "b"], "sensitive": {"Ill": {"any": ["A", "B", "C*"]}}, "confidence": 0.1}
    smaller = {"qid": ["b"], "sensitive": {"Ill": {"any": ["C*", "A"]}}, "confidence": 0.2}
    single = {"qid": ["a"], "sensitive": {"Ill": ["B"]}, "confidence": 0.1}
    other = {"qid": ["a"], "sensitive": {"Ill": ["D"]}, "confidence": 0.1}
    assert read_policy({"requirements": [union, smaller, single, other]}).implied_by() == {1: 0, 2: 0}
