"""A tree beside a column: coverage, leaves that nobody has, slips."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from maskwise.policy.taxonomy import Taxonomy
from maskwise.policy.taxonomy_check import check_taxonomy, records_below, single_children

TREE = Taxonomy.from_nested({"Any": {"School": ["9th", "10th"], "University": {"Masters": None}, "01": None}})


@given(st.dictionaries(st.sampled_from([*TREE.labels, "9TH", " 10th", "1", "other"]), st.integers(1, 50)))
def test_every_record_is_covered_or_listed(n_records: dict[str, int]) -> None:
    check = check_taxonomy(TREE, n_records)
    covered = sum(n for value, n in n_records.items() if value in {"9th", "10th", "Masters", "01"})
    assert check.n_records - check.n_uncovered == covered
    assert check.is_covered == (covered == check.n_records)
    assert set(check.unused) == {"9th", "10th", "Masters", "01"} - set(n_records)
    assert set(check.inner) == set(n_records) & {"Any", "School", "University"}
    spelled = {"9TH": "9th", " 10th": "10th", "1": "01"}
    assert check.respelled == {value: leaf for value, leaf in spelled.items() if value in n_records}


def test_records_are_added_up_to_the_root() -> None:
    by_label = dict(zip(TREE.labels, records_below(TREE, {"9th": 3, "10th": 4, "01": 5, "other": 9}), strict=True))
    assert by_label == {"Any": 12, "School": 7, "9th": 3, "10th": 4, "University": 0, "Masters": 0, "01": 5}


def test_slips_of_the_tree_itself() -> None:
    assert single_children(TREE) == (("University", "Masters"),)
    alike = check_taxonomy(Taxonomy.from_nested({"Any": ["a b", "A  B", "1", "001", "10"]}), {}).alike
    assert alike == (("a b", "A  B"), ("1", "001"))


def test_rare_values_of_a_column_that_has_little_to_do_with_the_tree_are_not_shown() -> None:
    names = {f"Name {i}": 1 for i in range(30)} | {"common": 40, "9th": 10}
    assert check_taxonomy(TREE, names).showable == ("common",)
    assert check_taxonomy(TREE, {"9th": 100, "8th": 1}).showable == ("8th",)
