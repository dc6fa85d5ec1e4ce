"""Privacy templates: the paper's example, exact bounds, and odd sensitive values."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.cli.app import main
from maskwise.policy.requirements.confidence import Template

TEMPLATE: dict[str, Any] = {
    "class": "Rating",
    "attributes": {"Job": "suppress", "Country": "suppress"},
    "requirements": [{"qid": ["Job", "Country"], "sensitive": {"Bankruptcy": ["Discharged"]}, "confidence": "0.75"}],
}


def clients() -> list[dict[str, str]]:
    """Five traders in the UK, four of them discharged, among others who are rarely so."""
    rows = [("Trader", "UK", "Discharged", "Bad")] * 4 + [("Trader", "UK", "None", "Bad")]
    rows += (
        [("Clerk", "Canada", "None", "Bad")] * 2
        + [("Clerk", "UK", "None", "Bad")]
        + [("Trader", "Canada", "Discharged", "Bad")]
    )
    rows += [("Cook", "Japan", "None", "Good")] * 4 + [("Cook", "Japan", "Discharged", "Good")]
    return [dict(zip(["Job", "Country", "Bankruptcy", "Rating"], row, strict=True)) for row in rows]


def shares(rows: list[dict[str, Any]], qid: list[str], column: str, value: Any) -> dict[tuple[Any, ...], Fraction]:
    groups: dict[tuple[Any, ...], list[bool]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in qid), []).append(row[column] == value)
    return {key: Fraction(sum(hits), len(hits)) for key, hits in groups.items()}


def test_traders_in_the_uk_give_themselves_away_before_and_not_after() -> None:
    table = pa.Table.from_pylist(clients())
    before = maskwise.audit(table, TEMPLATE)
    assert not before.is_met
    (tight,) = before.findings[0].tightest
    assert (tight.figure, tight.n_records) == (1.0, 1)
    only = [row for row in clients() if (row["Job"], row["Country"]) == ("Trader", "UK")]
    assert maskwise.audit(pa.Table.from_pylist(only), TEMPLATE).findings[0].figure == 0.8
    outcome = maskwise.anonymize(table, TEMPLATE, as_published=True)
    found = shares(outcome.data.to_pylist(), ["Job", "Country"], "Bankruptcy", "Discharged")
    assert max(found.values()) <= Fraction(3, 4)
    assert outcome.verdict.findings[0].figure == float(max(found.values()))
    assert outcome.data["Bankruptcy"].to_pylist() == table["Bankruptcy"].to_pylist()


def test_hiding_trader_clerk_uk_and_canada_halves_the_confidence() -> None:
    """Example 2 of the paper: what the four hidden values leave is one group with a share of one half."""
    rows = [row for row in clients() if row["Job"] != "Cook"][:10]
    rows += [{"Job": "Clerk", "Country": "Canada", "Bankruptcy": "None", "Rating": "Bad"}]
    hidden = [{**row, "Job": "*", "Country": "*"} for row in rows]
    assert maskwise.audit(pa.Table.from_pylist(hidden), TEMPLATE).findings[0].figure == 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bound", "holds"),
    [
        ("0.8", True),
        ("4/5", True),
        ("0.80000000001", True),
        ("0.79999999999", False),
        ("0.1", False),
        (np.nextafter(0.8, 0), False),
        (np.nextafter(0.8, 1), True),
    ],
)
def test_a_bound_is_compared_as_it_is_written(bound: str | float, holds: bool) -> None:
    """4 of 5 is exactly 0.8, which no binary number is."""
    rows = [{"q": "a", "s": "x" if i < 4 else "y"} for i in range(5)]
    policy = {"requirements": [{"qid": ["q"], "sensitive": {"s": "x"}, "confidence": bound}]}
    assert maskwise.audit(pa.Table.from_pylist(rows), policy).is_met is holds
    if holds:
        assert maskwise.anonymize(pa.Table.from_pylist(rows), policy, as_published=True).verdict.is_met
    else:
        with pytest.raises(maskwise.InfeasibleError, match=r"share of 0\.8000 in the whole table"):
            maskwise.anonymize(pa.Table.from_pylist(rows), policy, as_published=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "bound", "figure"), [("never", "0.1", 0.0), ("always", "1", 1.0), (None, "0.5", 0.5)]
)
def test_values_that_never_or_always_occur_or_are_missing(value: str | None, bound: str, figure: float) -> None:
    column = {"never": ["x"] * 8, "always": ["always"] * 8, None: ["x", None] * 4}[value]
    table = pa.table({"q": list("aabbccdd"), "s": pa.array(column, pa.string())})
    policy = {"requirements": [{"qid": ["q"], "sensitive": {"s": [value]}, "confidence": bound}]}
    outcome = maskwise.anonymize(table, policy, as_published=True)
    assert outcome.verdict.findings[0].figure == figure
    assert set(outcome.data["q"].to_pylist()) == {"a", "b", "c", "d"}


def test_each_value_has_its_own_bound_and_a_redundant_template_is_dropped() -> None:
    rows = [{"a": i % 4, "b": i % 2, "s": ("hiv", "flu", "cold")[i % 3], "c": i % 5 > 2} for i in range(60)]
    policy = {
        "class": "c",
        "attributes": {"a": "suppress", "b": "suppress"},
        "requirements": [
            {"qid": ["b"], "sensitive": {"s": {"hiv": 0.9}}},
            {"qid": ["a", "b"], "sensitive": {"s": {"hiv": 0.4, "flu": 0.7}}},
        ],
    }
    outcome = maskwise.anonymize(pa.Table.from_pylist(rows), policy, as_published=True)
    assert [reached.implied_by for reached in outcome.solution.reached] == [1, None]
    released = outcome.data.to_pylist()
    assert max(shares(released, ["a", "b"], "s", "hiv").values()) <= Fraction("0.4")
    assert max(shares(released, ["a", "b"], "s", "flu").values()) <= Fraction("0.7")
    hiv = Template(("a", "b"), "s", "hiv", Fraction("0.4"))
    assert hiv.implies(Template(("b",), "s", "hiv", Fraction("0.9")))
    assert not hiv.implies(Template(("b",), "s", "flu", Fraction("0.9")))


@pytest.mark.slow
def test_the_command_line_masks_audits_and_refuses_without_naming_a_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = clients()
    text = "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]) + "\n"
    (tmp_path / "in.csv").write_text(text)
    policy = """class: Rating
attributes: {Job: suppress, Country: suppress}
requirements:
  - {qid: [Job, Country], sensitive: {Bankruptcy: [Discharged]}, confidence: 0.75}
  - {qid: [Job], k: 2}
"""
    (tmp_path / "p.yaml").write_text(policy)
    out, solution = tmp_path / "out.csv", tmp_path / "s.json"
    arguments = [
        "mask",
        str(tmp_path / "in.csv"),
        "-p",
        str(tmp_path / "p.yaml"),
        "-o",
        str(out),
        "--as-published",
        "--solution",
        str(solution),
    ]
    assert main(arguments) == 0
    assert main(["audit", str(out), "-p", str(tmp_path / "p.yaml")]) == 0
    assert main(["audit", str(tmp_path / "in.csv"), "-p", str(tmp_path / "p.yaml")]) == 1
    shown = capsys.readouterr().out
    assert "a protected value of Bankruptcy reaches 1.0000 of 0.75 in a group of one" in shown
    assert not [line for line in shown.splitlines() if "Discharged" in line and "group of one" in line]
    later = ["apply", str(tmp_path / "in.csv"), "-s", str(solution), "-o", str(tmp_path / "again.csv"), "--keep-order"]
    assert main(later) == 0
    assert (tmp_path / "again.csv").read_bytes() == out.read_bytes()
    (tmp_path / "p.yaml").write_text(policy.replace("0.75", "0.2"))
    out.unlink()
    assert main([*arguments[:-2]]) == 3
    assert "line 4: Confidence 0.2 cannot be met on {Job, Country}" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("requirement", "says"),
    [
        ("{qid: [a], sensitive: {a: [x]}, confidence: 0.5}", "`a` is in its own quasi-identifier. Take it out."),
        ("{qid: [a], sensitive: {s: [x]}}", "`confidence` is missing"),
        ("{qid: [a], sensitive: {s: [x]}, confidence: 0}", "above 0 and at most 1; found 0"),
        ("{qid: [a], sensitive: {s: [x]}, confidence: 1.2}", "above 0 and at most 1; found 1.2"),
        ("{qid: [a], sensitive: {s: [x]}, confidence: half}", "a confidence is a number"),
        ("{qid: [a], k: 2, sensitive: {s: [x]}, confidence: 0.5}", "are two requirements"),
        ("{qid: [a], k: 2, confidence: 0.5}", "goes with `sensitive`"),
        ("{qid: [a], sensitive: {s: [x, x]}, confidence: 0.5}", "stands twice"),
        ("{qid: [a], sensitive: {}, confidence: 0.5}", "protects no value"),
    ],
)
def test_mistakes_in_a_template_are_told_with_their_line(tmp_path: Path, requirement: str, says: str) -> None:
    (tmp_path / "p.yaml").write_text(f"requirements:\n  - {requirement}\n")
    with pytest.raises(maskwise.PolicyError) as caught:
        maskwise.read_policy(tmp_path / "p.yaml")
    assert "line 2" in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.slow
def test_a_sensitive_column_that_is_dropped_is_protected_as_one_that_is_released() -> None:
    table = pa.Table.from_pylist(clients())
    released, dropped = (
        maskwise.anonymize(table, {**TEMPLATE, "drop": drop}, keep_order=True) for drop in ([], ["Bankruptcy"])
    )
    assert dropped.data.equals(released.data.drop_columns("Bankruptcy"))
    assert dropped.verdict.findings == released.verdict.findings


FORMS: dict[str, list[Any]] = {
    "text": ["HIV", "no", "no", "HIV"],
    "float": [1.0, 0.0, 0.0, 1.0],
    "int": [1, 0, 0, 1],
    "bool": [True, False, False, True],
    "formula": ["=HIV", "no", "no", "=HIV"],
}
SPELLED = {"text": "HIV", "float": "1", "int": "1.0", "bool": "true", "formula": "=HIV"}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("suffix", [None, ".csv", ".parquet"])
@pytest.mark.parametrize("escape", [False, True])
def test_a_protected_value_is_found_whatever_its_type_and_the_output(
    tmp_path: Path, form: str, suffix: str | None, escape: bool
) -> None:
    """Groups a and b are told apart only if that gives nobody away: a has 1 of 2, b too, so both stay below 0.6."""
    table = pa.table({"q": ["a", "a", "b", "b"] * 5, "s": FORMS[form] * 5, "c": ["x", "y", "x", "x"] * 5})
    policy = {
        "class": "c",
        "attributes": {"q": "suppress"},
        "requirements": [{"qid": ["q"], "sensitive": {"s": [SPELLED[form]]}, "confidence": 0.6}],
    }
    output = None if suffix is None else tmp_path / f"out{suffix}"
    outcome = maskwise.anonymize(table, policy, output, escape_formulas=escape, as_published=True)
    assert outcome.verdict.findings[0].figure == 0.5
    assert not [note for note in outcome.notes if "no record" in note]


def test_a_protected_value_that_never_occurs_is_noted() -> None:
    table = pa.Table.from_pylist(clients())
    policy = {
        **TEMPLATE,
        "requirements": [{"qid": ["Job"], "sensitive": {"Bankruptcy": ["discharged"]}, "confidence": 0.9}],
    }
    assert any("occurs in no record" in note for note in maskwise.anonymize(table, policy, as_published=True).notes)


def test_a_sensitive_column_that_a_policy_cannot_spell_is_refused() -> None:
    import datetime as dt

    table = pa.table({"q": ["a", "b"], "s": pa.array([dt.datetime(2020, 1, 1)] * 2, pa.timestamp("ns"))})  # noqa: DTZ001
    policy = {"requirements": [{"qid": ["q"], "sensitive": {"s": ["2020-01-01T00:00:00"]}, "confidence": 1}]}
    for run in (maskwise.anonymize, maskwise.audit):
        with pytest.raises(maskwise.InputError, match="cannot name exactly"):
            run(table, policy)


@pytest.mark.parametrize("values", [["~"], [None], {"~": "0.5"}, {None: "0.5"}])
def test_the_missing_value_can_be_protected_in_every_form(values: Any) -> None:
    bound = {} if isinstance(values, dict) else {"confidence": "0.5"}
    policy = maskwise.read_policy({"requirements": [{"qid": ["q"], "sensitive": {"s": values}, **bound}]})
    from maskwise.formats.policy_file import to_data

    for read in (policy, maskwise.read_policy(to_data(policy))):
        assert read.requirements[0].sensitive == (("s", None, Fraction(1, 2)),)
    table = pa.table({"q": ["a", "a", "a"], "s": pa.array([None, None, "x"])})
    assert not maskwise.audit(table, policy).is_met


def test_rows_whose_template_cannot_be_recounted_are_told_and_not_enforced() -> None:
    solution = maskwise.anonymize(pa.Table.from_pylist(clients()), TEMPLATE, as_published=True).solution
    later = pa.Table.from_pylist(clients()).drop_columns(["Bankruptcy"])
    applied = maskwise.apply(later, solution)
    assert [requirement.asks() for requirement in applied.unchecked] == [
        "confidence 0.75 for Bankruptcy on {Job, Country}"
    ]
    with pytest.raises(maskwise.NotMetError, match="cannot be recounted"):
        maskwise.apply(later, solution, enforce=True)


def test_the_public_solution_names_no_protected_value() -> None:
    from maskwise.formats import solution_file

    solution = maskwise.anonymize(pa.Table.from_pylist(clients()), TEMPLATE, as_published=True).solution
    assert "Discharged" in solution_file.dumps(solution)
    assert "Discharged" not in solution_file.dumps(solution, public=True)


@pytest.mark.parametrize("bound", ["1e400", "1e400000000", "0x1", "1/0", "-0.5", "0.0000000000001", "nan"])
def test_bounds_that_are_none_are_refused_at_once(bound: str) -> None:
    with pytest.raises(maskwise.PolicyError, match="confidence"):
        maskwise.read_policy({"requirements": [{"qid": ["q"], "sensitive": {"s": ["x"]}, "confidence": bound}]})


def test_a_sensitive_target_keeps_its_spelling_in_a_transformer() -> None:
    import pandas as pd

    frame = pd.DataFrame({"q": ["a", "a", "b", "b"] * 5})
    policy = {
        "class": "c",
        "attributes": {"q": "suppress"},
        "requirements": [{"qid": ["q"], "sensitive": {"c": ["true"]}, "confidence": 0.5}],
    }
    masker = maskwise.Masker(policy, encode="label").fit(frame, [True, False, False, False] * 5)
    assert masker.solution_.reached[0].figure == 0.5
