"""Tables with numbers as German and French exports write them, from the draft to later rows and the certificate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import InputError, MaskwiseWarning, PolicyError
from maskwise.formats import solution_file
from maskwise.formats.policy_file import read_policy, to_data

if TYPE_CHECKING:
    from pathlib import Path

N = 240
WEIGHTS = [45 + i * 37 % 600 / 10 for i in range(N)]
COSTS = [900 + i * 1377 % 20_000 / 4 for i in range(N)]
EXCESS = [i % 4 - 2.5 + 0.5 * (i % 2) for i in range(N)]


def german(number: float, decimals: int = 2) -> str:
    """A number as a German export writes it."""
    return f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def usual(number: float) -> str:
    """The shortest spelling with a decimal point."""
    return repr(number).removesuffix(".0")


def visits(*, is_german: bool = True) -> pa.Table:
    """Visits of a hospital; the base excess is written with one or two decimals, which says nothing."""
    spell = german if is_german else lambda number, decimals=2: usual(number)  # noqa: ARG005 - as the other
    return pa.table(
        {
            "Gewicht": [spell(one, 1) for one in WEIGHTS],
            "Kosten": [spell(one) for one in COSTS],
            "Abweichung": [spell(one, 1 + i % 3 // 2) for i, one in enumerate(EXCESS)],
            "Ausgang": ["gut" if one < 75 else "offen" for one in WEIGHTS],
        }
    )


FORMS = {"numbers": {"Gewicht": "1234,5", "Kosten": "1.234,5", "Abweichung": "1.234,5"}}


def policy(**more: Any) -> dict[str, Any]:
    """What is asked of them."""
    return {
        "class": "Ausgang",
        "attributes": {"Gewicht": {"interval": [40, 120]}, "Kosten": {"interval": [500, 6000]}},
        "requirements": [
            {"qid": ["Gewicht", "Kosten"], "k": 8},
            {"qid": ["Gewicht"], "sensitive": "Abweichung", "closeness": 0.3, "distance": "ordered"},
        ],
        **more,
    }


def labels(data: Any) -> list[tuple[Any, ...]]:
    return sorted(zip(*(data[name].to_pylist() for name in ("Gewicht", "Kosten", "Ausgang")), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("search", [{}, {"criterion": "score"}, {"method": "regions"}])
def test_german_numbers_are_masked_as_numbers_with_a_point_are(search: dict[str, Any]) -> None:
    expected = maskwise.anonymize(visits(is_german=False), policy(), **search)
    found = maskwise.anonymize(visits(), policy(**FORMS), **search)
    assert labels(found.data) == labels(expected.data)
    assert len({row[0] for row in labels(found.data)}) > 1
    # Distances are of decimals, however each is written.
    assert found.verdict.findings[1].figure == expected.verdict.findings[1].figure


@pytest.mark.slow
def test_what_is_not_masked_keeps_every_character() -> None:
    outcome = maskwise.anonymize(visits(), policy(**FORMS))
    assert sorted(outcome.data["Abweichung"].to_pylist()) == sorted(visits()["Abweichung"].to_pylist())
    assert all(label[0][0] in "[≥<" for label in labels(outcome.data))


def test_without_a_form_the_same_decimal_would_be_counted_twice() -> None:
    asked = policy(
        requirements=[
            {"qid": ["Gewicht"], "k": 2},
            {"qid": ["Gewicht"], "sensitive": "Abweichung", "diversity": {"distinct": 8}},
        ],
        drop=["Kosten"],
        attributes={"Gewicht": {"interval": [40, 120]}},
    )
    # There are four decimals, written in twice as many ways.
    assert len(set(EXCESS)) < 8 <= len(set(visits()["Abweichung"].to_pylist()))
    given = {"Gewicht": "1.234,5"}
    assert maskwise.anonymize(visits(), {**asked, "numbers": given}).verdict.is_met
    with pytest.raises(maskwise.errors.MaskwiseError, match="Abweichung"):
        maskwise.anonymize(visits(), {**asked, "numbers": {**given, "Abweichung": "1.234,5"}})


def test_a_protected_number_is_found_however_it_is_written() -> None:
    asked = policy(
        requirements=[{"qid": ["Gewicht"], "sensitive": {"Abweichung": [-2.5]}, "confidence": 0.9}],
        attributes={"Gewicht": {"interval": [40, 120]}},
        drop=["Kosten"],
    )
    outcome = maskwise.anonymize(visits(), {**asked, **FORMS}, max_steps=0)
    assert outcome.verdict.findings[0].figure == EXCESS.count(-2.5) / N
    assert len({text for text in visits()["Abweichung"].to_pylist() if text.startswith("-2,5")}) > 1


@pytest.mark.slow
def test_audit_and_certificate_count_decimals_too(tmp_path: Path) -> None:
    import pyarrow.csv as pc

    pc.write_csv(visits(), tmp_path / "visits.csv")
    asked = policy(**FORMS)
    certification = maskwise.Certification(tmp_path / "cert.json")
    target, how = tmp_path / "out.csv", {"escape_formulas": True}
    outcome = maskwise.anonymize(tmp_path / "visits.csv", asked, target, beside=certification, **how)
    found = maskwise.audit(tmp_path / "out.csv", asked, escape_formulas=True)
    assert [one.figure for one in found.findings] == [one.figure for one in outcome.verdict.findings]
    stated = json.loads((tmp_path / "cert.json").read_text(encoding="utf-8"))
    assert '"numbers":{"Abweichung":"1.234,5"}' in json.dumps(stated, separators=(",", ":"))
    assert maskwise.check_certificate(tmp_path / "cert.json", tmp_path / "out.csv").is_confirmed


@pytest.mark.slow
def test_later_rows_are_read_in_the_same_form() -> None:
    solution = maskwise.anonymize(visits(), policy(**FORMS)).solution
    again = solution_file.loads(solution_file.dumps(solution))
    assert json.loads(solution_file.dumps(solution))["number_forms"] == FORMS["numbers"]
    masked = maskwise.apply(visits().slice(0, 60), again)
    assert not masked.unknown
    expected = maskwise.anonymize(visits(is_german=False), policy()).solution
    assert labels(masked.data) == labels(maskwise.apply(visits(is_german=False).slice(0, 60), expected).data)
    mixed = visits().slice(0, 2).set_column(0, "Gewicht", pa.array(["70.5", "71,5"]))
    with pytest.raises(InputError, match="1 cell has a number in another spelling"):
        maskwise.apply(mixed, again)


def test_a_policy_with_forms_is_written_as_it_was_read() -> None:
    asked = read_policy(policy(**FORMS))
    assert read_policy(to_data(asked)) == asked
    assert asked.fingerprint() != read_policy(policy()).fingerprint()


def test_mistakes_of_forms_are_told_with_a_remedy() -> None:
    with pytest.raises(PolicyError, match=r"Known are `1234,5`"):
        read_policy(policy(numbers={"Kosten": "comma"}))
    with pytest.raises(PolicyError, match=r"`Nr` is the person"):
        read_policy(policy(numbers={"Nr": "1234,5"}, person="Nr"))
    with pytest.raises(PolicyError, match=r"`Kosten` is a column of dates"):
        read_policy(policy(numbers={"Kosten": "1234,5"}, dates={"Kosten": "DD.MM.YYYY"}))
    named = [{"qid": ["Gewicht"], "sensitive": {"Abweichung": ["-1,5", "2.5"]}, "confidence": 0.5}]
    with pytest.raises(PolicyError, match=r"`-1,5` of `Abweichung` is named as the column writes it\. Write `-1\.5`"):
        read_policy(policy(**FORMS, requirements=named))
    with pytest.raises(PolicyError, match=r"`Preis` is in the policy but not in the table"):
        maskwise.anonymize(visits(), policy(numbers={"Preis": "1234,5"}))
    with pytest.raises(InputError, match=r"`Kosten` is said to have numbers written 1 234,5, but \d+ cells have"):
        maskwise.anonymize(visits(), policy(numbers={**FORMS["numbers"], "Kosten": "1 234,5"}))


def test_numbers_that_cannot_be_read_are_refused_with_what_to_say() -> None:
    with pytest.raises(InputError, match=r"numbers written 1234,5: say so in the policy .*`numbers: \{Gewicht: \"1234"):
        maskwise.anonymize(visits(), policy())
    odd = visits().set_column(0, "Gewicht", pa.array(["k.A.", *visits()["Gewicht"].to_pylist()[1:]]))
    with pytest.raises(InputError, match=r"1 of its cells is no number.*are written 1234,5, and these are none"):
        maskwise.anonymize(odd, policy(**FORMS))


def test_a_column_whose_numbers_were_not_understood_and_are_all_hidden_is_warned_of() -> None:
    asked = policy(attributes={}, requirements=[{"qid": ["Kosten"], "k": 20}], drop=["Gewicht", "Abweichung"])
    with pytest.warns(MaskwiseWarning, match=r"`Kosten` shows nothing: .*not understood.*written 1\.234,5"):
        maskwise.anonymize(visits(), asked)


def test_a_draft_finds_the_forms_and_masks_by_them(tmp_path: Path) -> None:
    draft = maskwise.suggest(visits(), class_name="Ausgang", risk=0.2)
    assert draft.data["numbers"] == {"Gewicht": "1234,5", "Kosten": "1.234,5", "Abweichung": "1234,5"}
    assert draft.data["attributes"]["Kosten"] == {"interval": ["0", "6000"]}
    (tmp_path / "policy.yaml").write_text(draft.to_yaml(), encoding="utf-8")
    assert read_policy(tmp_path / "policy.yaml").reading.numbers == draft.policy.reading.numbers
    outcome = maskwise.anonymize(visits(), tmp_path / "policy.yaml")
    assert outcome.verdict.is_met
    assert len({*outcome.data["Gewicht"].to_pylist()}) > 1


def test_a_draft_looks_at_all_cells_for_a_comma() -> None:
    # Of a column with many values some are looked at; one cell of 8,000 decides.
    cells = [f"{i // 1000}.{i % 1000:03}" if i > 1000 else str(i) for i in range(1, 4001)] * 2
    table = pa.table({"Punkte": [*cells[:-1], "3.999,5"], "Ausgang": ["gut", "offen"] * 4000, "Sex": ["f", "m"] * 4000})
    draft = maskwise.suggest(table, class_name="Ausgang", risk=0.2)
    entry = next(one for one in draft.columns if one.name == "Punkte")
    assert entry.figures.number_forms == ["1.234,5"]
    without = maskwise.suggest(table.slice(0, 7999), class_name="Ausgang", risk=0.2)
    # Points alone are read as they are today.
    assert next(one for one in without.columns if one.name == "Punkte").figures.number_forms == []


def test_a_draft_asks_where_no_value_tells_decimals_from_thousands(tmp_path: Path) -> None:
    counts = [f"{1 + i % 9},{i * 7 % 1000:03}" for i in range(N)]
    table = pa.table({"Zellen": counts, "krank": ["ja", "nein"] * (N // 2)})
    draft = maskwise.suggest(table, class_name="krank", risk=0.2)
    assert "numbers" not in draft.data
    assert draft.undecided_numbers == {"Zellen": ("1234,5", "1,234.5")}
    text = draft.to_yaml()
    assert "whether a comma stands before decimals or thousands" in text
    answered = text.replace("#numbers:", "numbers:").replace('#  Zellen: "1,234.5"', '  Zellen: "1,234.5"')
    (tmp_path / "policy.yaml").write_text(answered, encoding="utf-8")
    assert dict(read_policy(tmp_path / "policy.yaml").reading.numbers)["Zellen"].text == "1,234.5"


@pytest.mark.slow
def test_evaluate_reads_the_same_numbers() -> None:
    errors = [
        maskwise.evaluate(table, asked, folds=2, classifiers=["c4.5"]).to_data()
        for table, asked in ((visits(), policy(**FORMS)), (visits(is_german=False), policy()))
    ]
    assert errors[0] == errors[1]


@pytest.mark.slow
def test_a_class_that_is_a_number_may_have_a_form() -> None:
    asked = {
        "class": {"Kosten": "number"},
        "attributes": {"Gewicht": {"interval": [40, 120]}},
        "requirements": [{"qid": ["Gewicht"], "k": 8}],
        "drop": ["Abweichung", "Ausgang"],
    }
    expected = maskwise.anonymize(visits(is_german=False), asked)
    found = maskwise.anonymize(visits(), {**asked, "numbers": {"Gewicht": "1234,5", "Kosten": "1.234,5"}})
    assert sorted(found.data["Gewicht"].to_pylist()) == sorted(expected.data["Gewicht"].to_pylist())
    assert len(set(found.data["Gewicht"].to_pylist())) > 1


def test_a_session_shows_rows_and_values_of_such_numbers() -> None:
    with maskwise.Session(visits()) as session:
        assert dict(session.values("Gewicht"))["45,0"] == 1
        assert dict(session.values("Gewicht", "1234,5"))["45"] == 1
        run = session.search(policy(**FORMS))
        assert run.rows(0, 1).rows[0].before[0] == "45,0"
        shown = run.rows(0, 1).rows[0].after
        assert shown is not None
        assert shown[0].startswith("[40")


def test_an_earlier_release_that_read_numbers_otherwise_is_refused() -> None:
    earlier = maskwise.anonymize(visits(is_german=False), policy()).solution
    with pytest.raises(InputError, match="do not read the numbers of `Gewicht`, `Kosten` alike"):
        maskwise.anonymize(visits(), policy(**FORMS), against=earlier)
