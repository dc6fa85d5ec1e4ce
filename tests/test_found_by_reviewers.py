"""Defects of one feature beside another, each as it was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file
from maskwise.report.report import report
from maskwise.values.message import Audience


def test_no_boundary_lies_at_or_below_the_end_of_bottom_coding() -> None:
    table = pa.table({"a": [5] * 4 + [19, 25, 30, 40], "c": list("xxxxyyyy")})
    policy = {
        "class": "c",
        "attributes": {"a": {"interval": [0, 100], "clamp": [18, None]}},
        "requirements": [{"qid": ["a"], "k": 2}],
    }
    assert min(maskwise.anonymize(table, policy).solution.cuts[0].breaks[1:]) > 18


def test_a_later_moment_of_the_last_day_is_not_dropped() -> None:
    days = pd.DataFrame({"d": pd.to_datetime(["2020-01-01"] * 3 + ["2020-06-01"] * 3), "c": list("aaabbb")})
    solution = maskwise.anonymize(days, {"class": "c", "requirements": [{"qid": ["d"], "k": 2}]}).solution
    moments = ["2020-06-01T12:00:00", "2020-06-01T00:00:00", "2021-01-01T00:00:00", "2019-12-31T23:00:00"]
    later = pd.DataFrame({"d": pd.to_datetime(moments), "c": list("abcd")})
    applied = maskwise.apply(later, solution, outside="drop", keep_order=True)
    assert (applied.outside, applied.n_outside_dropped) == ({"d": 2}, 2)
    assert applied.data["c"].tolist() == ["a", "b"]


def test_a_large_number_does_not_turn_off_the_checks() -> None:
    cells = np.random.default_rng(0).integers(0, 9, 100)
    table = pd.DataFrame({"a": cells, "copy": cells, "y": np.where(np.arange(100) == 0, 1e19, 1.0)})
    (warning,) = maskwise.anonymize(table, {"requirements": [{"qid": ["a"], "k": 20}]}).warnings
    assert "`copy` is released and repeats `a`" in warning


def test_a_masker_counts_persons_and_reads_trees() -> None:
    visits = pd.DataFrame({"p": [1] * 6 + [2] * 6, "a": [1] * 12, "ill": ["a1", "a2"] * 3 + ["b1"] * 6})
    tree = {"any": {"A": ["a1", "a2"], "B": ["b1"]}}
    policy = {
        "person": "p",
        "attributes": {"ill": {"taxonomy": tree}},
        "requirements": [
            {"qid": ["a"], "k": 2},
            {"qid": ["a"], "sensitive": {"ill": {"any": ["A"]}}, "confidence": 1},
            {"qid": ["a"], "sensitive": "ill", "diversity": {"distinct": 2}, "by": "level 1"},
        ],
    }
    masker = maskwise.Masker(policy, encode="label").fit(visits)
    assert [finding.figure for finding in masker.verdict_.findings] == [2, 0.5, 2]
    assert masker.summary().count("p, p") == 0


def test_the_public_solution_has_no_count_of_persons_that_recipients_cannot_make() -> None:
    policy = {"person": "p", "requirements": [{"qid": ["s"], "k": 2}]}
    texts = [
        solution_file.dumps(
            maskwise.anonymize(pa.table({"p": list(persons), "s": list("FFFFMMMM")}), policy).solution, public=True
        )
        for persons in ("aabbccdd", "abcdefgh")
    ]
    assert texts[0] == texts[1]


def test_recipients_do_not_read_the_name_of_the_policys_file(tmp_path: Path) -> None:
    path = tmp_path / "hiv_clinic_policy.yaml"
    path.write_text("attributes: {x: {suppress: }}\nrequirements:\n  - {qid: [a], k: 1}\n")
    outcome = maskwise.anonymize(pa.table({"a": [1, 1, 2], "x": list("uvw")}), path)
    assert any("hiv_clinic" in note for note in outcome.notes)
    assert "hiv_clinic" not in report(outcome).to_markdown()
    assert "in no quasi-identifier" in report(outcome).to_markdown()


def test_leaks_and_identifiers_are_counted_by_persons() -> None:
    """A name that repeats from visit to visit names everybody, and ten records of a person are no ten people."""
    rng = np.random.default_rng(1)
    n_visits = rng.integers(3, 7, 300)
    of = np.repeat(np.arange(300), n_visits)
    ages, zips = rng.integers(20, 90, 300)[of], rng.integers(0, 40, 300)[of]
    table = pd.DataFrame({"id": of, "name": [f"Pat {i}" for i in of], "age": ages, "zip": [f"z{z}" for z in zips]})
    policy = {
        "person": "id",
        "attributes": {"age": {"interval": [0, 120]}},
        "requirements": [{"qid": ["age"], "k": 10}],
    }
    warnings = maskwise.anonymize(table, policy).warnings
    assert [text for text in warnings if "`name`" in text and "who is who" in text]
    assert not [text for text in warnings if "`zip`" in text]


def test_a_column_without_any_cell_does_not_stop_the_owners_report() -> None:
    table = pa.table({"sex": list("FFFMMM"), "note": pa.array([None] * 6, pa.string())})
    outcome = maskwise.anonymize(table, {"requirements": [{"qid": ["note", "sex"], "k": 2}]})
    assert "note" in report(outcome, Audience.OWNER).to_html()


def test_a_value_that_nearly_all_have_is_counted_where_a_group_is_alike() -> None:
    table = pa.table({"Job": ["a"] * 20 + ["b"] * 20, "Ill": ["Flu"] * 39 + ["HIV"]})
    template = {"qid": ["Job"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5}
    outcome = maskwise.anonymize(table, {"requirements": [{"qid": ["Job"], "k": 10}, template]})
    (found,) = [one for one in outcome.attacks if one.name == "homogeneity"]
    assert "50.00 % of the records are in groups in which everybody has one value" in found.text
    assert "100.00 % in groups in which 95 % have" in found.text
    assert "In 50.00 % it is the value that 95 % of all records have." in found.text
    assert found.result == "passed"


@pytest.mark.slow
def test_attacks_on_a_solution_with_earlier_releases_are_not_tried_without_these() -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"a": rng.integers(0, 60, 300), "s": rng.choice(["HIV", "flu"], 300, p=[0.2, 0.8])})
    policy = {"requirements": [{"qid": ["a"], "sensitive": {"s": ["HIV"]}, "confidence": 0.5}]}
    first = maskwise.anonymize(table, policy, max_steps=2)
    second = maskwise.anonymize(table, policy, against=first.solution)
    with pytest.raises(maskwise.InputError, match="together with earlier releases"):
        maskwise.attack(second.data, policy, solution=second.solution, original=table)


@pytest.mark.slow
def test_a_name_makes_no_picture_and_no_line_of_a_text_report() -> None:
    hostile = ["<img src=x>", "![i](http://e/x.png)", "two\n- **held**: lines"]
    table = pa.table({"Job": hostile * 4})
    for audience in Audience:
        text = report(maskwise.anonymize(table, {"requirements": [{"qid": ["Job"], "k": 2}]}), audience).to_markdown()
        assert "<img" not in text
        assert "](http" not in text
        assert "\n- **held**: lines" not in text


def test_persons_with_several_records_are_not_said_to_be_as_safe_as_records() -> None:
    table = pa.table({"who": [i // 4 for i in range(40)], "age": [20 + 10 * (i // 20) for i in range(40)]})
    outcome = maskwise.anonymize(table, {"person": "who", "requirements": [{"qid": ["age"], "k": 5}]})
    assert "Risk" not in report(outcome).to_markdown()
    assert "1 in 5" in report(outcome, Audience.OWNER).to_markdown()
