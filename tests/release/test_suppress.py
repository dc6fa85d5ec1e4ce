"""Suppressed records: what the owner hears of them, and what every consumer makes of a release that lacks some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv

import maskwise
from maskwise.cli.app import app
from maskwise.errors import InfeasibleError, InputError, PolicyError
from maskwise.formats import solution_file
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.policy.budget import Suppressed, SuppressionBudget
from maskwise.release.suppress import FLAG, mark_suppressed
from maskwise.report.report import report
from maskwise.solution.suppression import SuppressedCombinations
from maskwise.table.read import read
from maskwise.values.message import Audience
from tests.properties.tables import POLICY, RARE_POLICY, people_table, rare_people

ASKED = {"requirements": [{"qid": ["a"], "k": 2}]}


@pytest.mark.parametrize(
    "said", ["2%", " 2 % ", "0.02", 0.02, "2e-2", {"share": "2%"}, {"share": 0.02, "as": "removed"}]
)
def test_a_share_is_read_however_it_is_spelled(said: Any) -> None:
    policy = read_policy({**ASKED, "suppress": said})
    assert policy.suppress == SuppressionBudget(policy.suppress.share)  # type: ignore[union-attr]
    assert policy.suppress.most(1_000) == 20  # type: ignore[union-attr]
    assert read_policy(to_data(policy)) == policy


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("0%", "above 0 % and below 100 %"),
        ("100%", "above 0 % and below 100 %"),
        ("150 %", "above 0 % and below 100 %"),
        ("-1%", "above 0 % and below 100 %"),
        (2, "write 2% for 2 in a hundred"),
        ("a few", "is a number, such as 2% or 0.02; found `a few`"),
        ("nan", "is a number"),
        ([1], "is a number"),
        ({"as": "root"}, "needs a `share`"),
        ({"share": "2%", "as": "gone"}, "`as` is one of `removed`, `root`; found `gone`"),
        ({"share": "2%", "how": "root"}, "has the keys `share`, `as`; found `how`"),
    ],
)
def test_what_is_no_share_is_refused(said: Any, complaint: str) -> None:
    with pytest.raises(PolicyError, match=complaint.replace("?", r"\?")):
        read_policy({**ASKED, "suppress": said})


def test_a_mistake_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("requirements:\n  - {qid: [a], k: 2}\nsuppress: 0%\n")
    with pytest.raises(PolicyError, match=r"policy\.yaml, line 3: `suppress` is a share"):
        read_policy(path)


def test_the_key_does_not_clash_with_suppress_attributes() -> None:
    policy = read_policy({**ASKED, "attributes": {"a": "suppress"}, "suppress": {"share": "2%", "as": "root"}})
    assert policy.suppress is not None
    assert policy.suppress.shown_as is Suppressed.ROOT
    assert policy.attributes[0].name == "a"


def test_a_policy_without_the_key_keeps_its_hash() -> None:
    plain = read_policy(ASKED)
    shares = [read_policy({**ASKED, "suppress": share}) for share in ("2%", "3%", {"share": "2%", "as": "root"})]
    assert len({plain.fingerprint(), *(one.fingerprint() for one in shares)}) == 4
    assert "suppress" not in to_data(plain)


def test_combinations_are_found_by_their_labels_missing_ones_too() -> None:
    table = read(pa.table({"a": ["x", "x", None, "y", "1,0"], "b": ["1", None, None, "1", "0"]}))
    one = SuppressedCombinations(("a", "b"), (("x", None), (None, None), ("y", "2")))
    other = SuppressedCombinations(("b",), (("0",),))
    marked = mark_suppressed(table, [one, other])
    assert table.engine.fetch(marked.expr).column(FLAG).to_pylist() == [0, 1, 1, 0, 1]


def test_many_labels_are_joined_alike() -> None:
    names = [f"v{i}" for i in range(600)]
    table = read(pa.table({"a": [*names, None], "b": ["1"] * 601}))
    one = SuppressedCombinations(("a", "b"), tuple((name, "1") for name in names[::2]))
    flags = table.engine.fetch(mark_suppressed(table, [one]).expr).column(FLAG).to_pylist()
    assert flags == [1, 0] * 300 + [0]


def minority() -> pa.Table:
    """Few people of class `rare` who live where nobody else does."""
    rows = [("n" if i % 2 else "s", "common") for i in range(190)]
    rows += [(zone, "rare") for zone in "wwwwx"]
    return pa.table({"zone": [zone for zone, _ in rows], "cls": [cls for _, cls in rows]})


MINORITY: dict[str, Any] = {
    "class": "cls",
    "attributes": {"zone": {"taxonomy": {"any": {"north": ["n"], "south": ["s"], "occident": ["w", "x"]}}}},
    "requirements": [{"qid": ["zone"], "k": 10}],
    "suppress": "5%",
}


def test_the_owner_is_warned_of_a_minority_that_is_lost() -> None:
    with pytest.warns(maskwise.MaskwiseWarning, match=r"takes 100\.0 % of the records of a class of `cls`"):
        outcome = maskwise.anonymize(minority(), MINORITY)
    assert len(outcome.data) == 190
    assert outcome.suppressed is not None
    assert [(part.value, part.n_records, part.n_suppressed) for part in outcome.suppressed.parts] == [
        ("common", 190, 0),
        ("rare", 5, 5),
    ]
    owners = report(outcome, Audience.OWNER)
    assert owners.data["suppression"]["suppressed"] == 5
    assert "| cls | rare | 5 | 5 | 100.00 % (!) |" in owners.to_markdown()
    public = report(outcome)
    assert public.data["suppression"] == {"allowed": "5%", "unit": "records", "shown_as": "removed"}
    # `occident` is shown by nobody who is left.
    told = public.to_markdown() + public.to_html() + solution_file.dumps(outcome.solution, public=True)
    assert "occident" not in told
    assert "195" not in public.to_markdown() + solution_file.dumps(outcome.solution, public=True)


def test_protected_values_are_counted_too() -> None:
    table = minority().append_column("ill", pa.array(["flu"] * 190 + ["hiv"] * 5))
    template = {"qid": ["zone"], "sensitive": {"ill": ["hiv"]}, "confidence": 0.5}
    asked = {**MINORITY, "requirements": [*MINORITY["requirements"], template]}
    with pytest.warns(maskwise.MaskwiseWarning, match="of a value of `ill`") as warned:
        outcome = maskwise.anonymize(table, asked, criterion="score")
    assert outcome.suppressed is not None
    assert [(part.value, part.share) for part in outcome.suppressed.parts if part.column == "ill"] == [("hiv", 1.0)]
    assert not any("hiv" in str(one.message) for one in warned)


def test_shown_as_roots_nobody_is_missing() -> None:
    outcome = maskwise.anonymize(rare_people(), {**RARE_POLICY, "suppress": {"share": "20%", "as": "root"}})
    rows = outcome.data.to_pylist()
    assert outcome.suppressed is not None
    roots = [row for row in rows if (row["job"], row["zone"]) == ("*", "any")]
    assert len(rows) == 400
    assert len(roots) == outcome.suppressed.n_records == 60


def test_a_share_of_less_than_one_record_suppresses_none() -> None:
    table = people_table(3, 90)
    outcome = maskwise.anonymize(table, {**POLICY, "suppress": "1%"}, keep_order=True)
    assert outcome.data.to_pylist() == maskwise.anonymize(table, POLICY, keep_order=True).data.to_pylist()
    assert any("it allows none" in message.text for message in outcome.messages)


@pytest.mark.slow
def test_the_command_line_masks_and_applies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv.write_csv(rare_people(), tmp_path / "people.csv")
    (tmp_path / "policy.yaml").write_text(json.dumps({**RARE_POLICY, "suppress": "20%"}))
    files = {name: str(tmp_path / name) for name in ("people.csv", "policy.yaml", "out.csv", "s.json", "later.csv")}
    mask = ["mask", files["people.csv"], "--policy", files["policy.yaml"], "-o", files["out.csv"], "--keep-order"]
    assert app([*mask, "--solution", files["s.json"]], result_action="return_value") == 0
    assert "were suppressed: removed" in "".join(capsys.readouterr())
    apply = ["apply", files["people.csv"], "--solution", files["s.json"], "-o", files["later.csv"], "--keep-order"]
    assert app(apply, result_action="return_value") == 0
    assert "suppressed, as the solution suppresses their labels" in "".join(capsys.readouterr())
    assert Path(files["later.csv"]).read_bytes() == Path(files["out.csv"]).read_bytes()


def test_a_solution_with_strange_combinations_is_refused() -> None:
    outcome = maskwise.anonymize(rare_people(), {**RARE_POLICY, "suppress": "20%"})
    said = json.loads(solution_file.dumps(outcome.solution))
    said["suppression"]["combinations"][0]["labels"][0].append("x")
    with pytest.raises(InputError, match="suppressed combinations are not of its attributes"):
        solution_file.loads(json.dumps(said))


@pytest.mark.slow
def test_a_masker_shows_suppressed_rows_as_roots() -> None:
    from maskwise.sklearn import Masker

    table = rare_people()
    masker = Masker({**RARE_POLICY, "suppress": "20%"}).fit(table)
    shown = masker.transform(table.drop_columns(["cls"]))
    assert len(shown) == 400
    assert masker.solution_.suppression is not None
    assert masker.solution_.suppression.shown_as is Suppressed.ROOT
    assert masker.verdict_ is not None
    assert masker.verdict_.is_met
    assert maskwise.audit(shown, {"requirements": RARE_POLICY["requirements"]}).is_met
    again = Masker.from_json(masker.to_json()).transform(table.drop_columns(["cls"]))
    assert again.to_pylist() == shown.to_pylist()


@pytest.mark.slow
@pytest.mark.parametrize("shown_as", ["removed", "root"])
@pytest.mark.parametrize("protocol", ["held-out", "combined"])
def test_an_evaluation_tests_everybody(shown_as: str, protocol: str) -> None:
    policy = {**RARE_POLICY, "suppress": {"share": "20%", "as": shown_as}}
    evaluation = maskwise.evaluate(rare_people(), policy, classifiers=["c4.5"], protocol=protocol)
    assert evaluation.n_tested == 133
    assert all(record.error is not None for record in evaluation.records)


@pytest.mark.slow
def test_what_does_not_go_together_is_refused() -> None:
    table, policy = rare_people(), {**RARE_POLICY, "suppress": "20%"}
    with pytest.raises(InputError, match="Reasons"):
        maskwise.anonymize(table, policy, why=True)
    first = maskwise.anonymize(table, RARE_POLICY)
    with pytest.raises(InputError, match="--against"):
        maskwise.anonymize(table, policy, against=first.solution)
    outcome = maskwise.anonymize(table, policy)
    with pytest.raises(InputError, match="suppresses records"):
        maskwise.attack(outcome.data, policy, solution=outcome.solution, original=table)
    template = {"qid": ["zone"], "sensitive": {"job": ["a"]}, "confidence": 0.9}
    with pytest.raises(PolicyError, match="minimality: guard"):
        read_policy({**policy, "requirements": [template], "minimality": "guard"})
    moving = table.append_column("who", pa.array([f"P{i % 150}" for i in range(400)]))
    with pytest.raises(InputError, match="different values on the quasi-identifiers"):
        maskwise.anonymize(moving, {**policy, "person": "who"})
    ordered = {"qid": ["zone"], "sensitive": "age2", "closeness": 0.4}
    numbered = table.append_column("age2", table["age"])
    with pytest.raises(InputError, match="order of values"):
        maskwise.anonymize(numbered, {**policy, "requirements": [{**ordered, "distance": "ordered"}]})


@pytest.mark.slow
def test_levels_may_be_paid_for_and_are_refused_beyond_the_budget() -> None:
    table = minority()
    asked = {**MINORITY, "attributes": {"zone": {**MINORITY["attributes"]["zone"], "at_least": 1}}}
    for how in ({}, {"method": "bug"}, {"criterion": "conditional"}):
        with pytest.raises(InfeasibleError, match="at_least 1"):
            maskwise.anonymize(table, {**asked, "suppress": "1%"}, **how)  # type: ignore[arg-type]
        with pytest.warns(maskwise.MaskwiseWarning):
            outcome = maskwise.anonymize(table, asked, **how)  # type: ignore[arg-type]
        assert outcome.suppressed is not None
        assert outcome.suppressed.n_records == 5


def test_more_places_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.search.suppression.found._MOST_PLACES", 20)
    names = ["a", "b", "c"]
    table = pa.table({name: [f"v{i % n}" for i in range(48)] for n, name in enumerate(names, start=2)})
    policy = {"requirements": [{"lkc": {"attributes": names, "L": 2}, "k": 2}], "suppress": "10%"}
    complaint = r"12 different rows has a place in each of 3 quasi-identifiers.*Delete `suppress`"
    with pytest.raises(InputError, match=complaint):
        maskwise.anonymize(table, policy)
