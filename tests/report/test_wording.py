"""Sentences that say what was asked and reached."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import maskwise
from maskwise import KAnonymity
from maskwise.policy.requirements.closeness import Closeness
from maskwise.policy.requirements.lkc import LKC
from maskwise.policy.requirements.unit import Unit
from maskwise.report.content import Paragraph
from maskwise.report.report import report
from maskwise.report.results import results_data
from maskwise.report.wording import band, chance, listed, requirement_sentence
from maskwise.values.message import Audience
from tests.report.runs import full_run, people, real_run, risk

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            KAnonymity(("a",), 2),
            "Nobody can be told apart from at least 1 other by a; the smallest group has 9 persons.",
        ),
        (KAnonymity(("a",), 1), "Groups by a may have a single person; the smallest group has 9 persons."),
        (
            LKC(("a", "b", "c"), 2, 5, (("Ill", "hiv", HALF),)),
            (
                "Nobody can be told apart from at least 4 others by any 2 of a, b and c; the smallest group has 9 "
                "persons. Among persons alike by any 2 of a, b and c, no protected value of Ill is shared by more than "
                "50 %."
            ),
        ),
        (
            Closeness(("a", "b"), "Ill", HALF),
            "Among persons alike by a and b: 0.5-closeness of Ill (equal distance); the worst group reaches 0.4000.",
        ),
    ],
)
def test_requirements_as_sentences(asked: KAnonymity | LKC | Closeness, said: str) -> None:
    assert requirement_sentence(asked, Unit.PERSON, 9, "0.4000") == said


def test_what_recipients_must_not_learn_is_left_out() -> None:
    said = requirement_sentence(KAnonymity(("a",), 5), Unit.PERSON, None, None)
    assert said == "Nobody can be told apart from at least 4 others by a."


def test_a_protected_value_is_in_no_sentence() -> None:
    asked = LKC(("a",), 1, None, (("Ill", "hiv", HALF),))
    assert "hiv" not in requirement_sentence(asked, Unit.RECORD, 3, "0.4")


def test_words_of_the_scale_end_at_the_thresholds() -> None:
    assert [band(1 / k) for k in (21, 20, 12, 11, 5, 4, 3, 2, 1)] == [
        "very low", "very low", "low", "moderate", "moderate", "high", "very high", "very high", "very high",
    ]  # fmt: skip
    assert [chance(1 / k) for k in (1, 2, 9, 87, 1160.09)] == ["certain", "1 in 2", "1 in 9", "1 in 87", "1 in 1,160"]


def test_recipients_read_the_risk_that_they_can_count() -> None:
    outcome = replace(full_run(), owner_risk=replace(risk(), one_more=()))
    found = results_data(outcome, is_public=True)["risk"]
    assert (found["populations"], found["estimates"]) == ([], [])
    assert len(found["one_more"]) == 2
    owners = results_data(outcome, is_public=False)["risk"]
    assert owners["populations"]
    assert not owners["one_more"]


def test_the_first_sentence_on_risk_is_about_what_the_policy_takes_others_to_know() -> None:
    found = risk()
    ill = replace(found.qids[0], columns=("Ill",), highest=1.0)
    (section,) = [
        one for one in report(replace(full_run(), risk=replace(found, qids=(*found.qids, ill)))).sections()
        if one.key == "risk"
    ]  # fmt: skip
    first = section.blocks[0]
    assert isinstance(first, Paragraph)
    assert first.text.startswith("Somebody who knows Age, Edu and Job of a person")
    assert "1 in 8 at most (12.5 %, moderate) and 1 in 13 on average" in first.text


def test_the_summary_counts_the_columns_that_hide_something() -> None:
    outcome, raw = real_run(), people()
    released = outcome.data.to_pydict()
    coarser = [name for name in released if not set(map(str, released[name])) <= set(map(str, raw[name].to_pylist()))]
    said = report(outcome).data["summary"][0]
    assert said.startswith(f"This release has 400 records in {len(released)} columns; {len(coarser)} of them show")


def test_the_first_section_says_which_columns_show_nothing() -> None:
    few = people(60)
    outcome = maskwise.anonymize(few, {"requirements": [{"qid": ["Age", "Edu", "Job"], "k": 25}], "drop": ["Name"]})
    released = outcome.data.to_pydict()
    alike = [name for name in ("Age", "Edu", "Job") if len(set(released[name])) == 1]
    assert 0 < len(alike) < len(few.column_names) - 1
    for audience in Audience:
        first = report(outcome, audience).sections()[0].blocks[0]
        assert isinstance(first, Paragraph)
        assert f"In {listed(alike)} every record has the same label" in first.text
    everything = maskwise.anonymize(few, {"requirements": [{"qid": ["Edu"], "k": 1}], "drop": ["Name"]})
    assert len(report(everything).data["summary"]) == 2


def test_a_report_on_a_risk_without_qids_has_a_section() -> None:
    outcome = full_run()
    assert "is not for readers" in report(replace(outcome, risk=replace(risk(), qids=()))).to_markdown()
    nobody = replace(risk().everything, n_records=0)
    empty = replace(risk(), qids=(), everything=nobody)
    assert "nobody can be found in it" in report(replace(outcome, risk=empty)).to_markdown()
