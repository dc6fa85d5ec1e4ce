"""Tables with dates as German and American spreadsheets write them, from the draft to later rows."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.cli.apply import describe_outside
from maskwise.errors import InputError, MaskwiseWarning, PolicyError
from maskwise.formats import solution_file
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.report.report import report as make_report
from maskwise.values.message import Audience

N = 240
DAYS = [dt.date(1950, 1, 1) + dt.timedelta(days=97 * i) for i in range(N)]
SEEN = [dt.datetime(2024, 1, 1) + dt.timedelta(hours=17 * i % 4000) for i in range(N)]  # noqa: DTZ001 - as a spreadsheet has them


def visits(day: str = "%d.%m.%Y", moment: str = "%d.%m.%Y %H:%M") -> pa.Table:
    """Visits of a hospital, with dates in some form."""
    return pa.table(
        {
            "Geburtsdatum": [one.strftime(day) for one in DAYS],
            "Aufnahme": [one.strftime(moment) for one in SEEN],
            "Ausgang": ["gut" if one.year < 1980 else "offen" for one in DAYS],
        }
    )


def policy(**more: Any) -> dict[str, Any]:
    """What is asked of them."""
    return {
        "class": "Ausgang",
        "attributes": {
            "Geburtsdatum": {"interval": ["1940-01-01", "2020-01-01"]},
            "Aufnahme": {"calendar": ["day", "month", "year"]},
        },
        "requirements": [{"qid": ["Geburtsdatum", "Aufnahme"], "k": 4}],
        **more,
    }


FORMS = {"dates": {"Geburtsdatum": "DD.MM.YYYY", "Aufnahme": "DD.MM.YYYY"}}


def rows(data: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in data.to_pylist())


@pytest.mark.slow
@pytest.mark.parametrize("search", [{}, {"criterion": "conditional"}, {"method": "regions"}])
def test_german_dates_are_masked_as_iso_dates_are(search: dict[str, Any]) -> None:
    expected = maskwise.anonymize(visits("%Y-%m-%d", "%Y-%m-%dT%H:%M"), policy(), **search)
    found = maskwise.anonymize(visits(), policy(**FORMS), **search)
    assert rows(found.data) == rows(expected.data)
    assert len({row[0] for row in rows(found.data)}) > 1


@pytest.mark.slow
def test_later_rows_are_read_in_the_same_form() -> None:
    solution = maskwise.anonymize(visits(), policy(**FORMS)).solution
    again = solution_file.loads(solution_file.dumps(solution))
    assert json.loads(solution_file.dumps(solution))["dates"] == FORMS["dates"]
    masked = maskwise.apply(visits().slice(0, 60), again)
    assert not masked.unknown
    assert rows(masked.data) == rows(maskwise.apply(visits("%Y-%m-%d", "%Y-%m-%d %H:%M").slice(0, 60), again).data)


def test_a_policy_with_forms_is_written_as_it_was_read() -> None:
    asked = read_policy(policy(**FORMS))
    assert read_policy(to_data(asked)) == asked
    assert asked.fingerprint() != read_policy(policy()).fingerprint()


def test_mistakes_of_forms_are_told_with_a_remedy() -> None:
    with pytest.raises(PolicyError, match=r"Known are `DD.MM.YYYY`"):
        read_policy(policy(dates={"Aufnahme": "TT.MM.JJJJ"}))
    with pytest.raises(PolicyError, match=r"`Ausgang` is the class"):
        read_policy(policy(dates={"Ausgang": "DD.MM.YYYY"}))
    with pytest.raises(PolicyError, match=r"`Entlassung` is in the policy but not in the table"):
        maskwise.anonymize(visits(), policy(dates={"Entlassung": "DD.MM.YYYY"}))


def test_dates_that_cannot_be_read_are_refused_with_what_to_write() -> None:
    with pytest.raises(
        InputError, match=r"say so in the policy \(in the file: `dates: \{Geburtsdatum: DD.MM.YYYY\}`\)"
    ):
        maskwise.anonymize(visits(), policy())
    with pytest.raises(InputError, match=r"the rule `calendar` does not cover.*`dates: \{Aufnahme: DD.MM.YYYY\}`"):
        maskwise.anonymize(visits(), policy(dates={"Geburtsdatum": "DD.MM.YYYY"}))


def test_a_rule_that_reads_hardly_any_value_is_warned_of() -> None:
    asked = policy(dates={"Geburtsdatum": "DD.MM.YYYY"})
    asked["attributes"]["Aufnahme"]["other"] = "under other values"
    with pytest.warns(MaskwiseWarning, match=r"`Aufnahme` shows nothing: .* 240 of 240 records.*DD.MM.YYYY"):
        maskwise.anonymize(visits(), asked)
    assert not maskwise.anonymize(visits(), asked | FORMS).warnings


def test_a_column_whose_dates_were_not_understood_and_are_all_hidden_is_warned_of() -> None:
    asked = policy(attributes={}, requirements=[{"qid": ["Geburtsdatum"], "k": 4}], drop=["Aufnahme"])
    with pytest.warns(MaskwiseWarning, match=r"`Geburtsdatum` shows nothing: .*not understood.*DD.MM.YYYY"):
        outcome = maskwise.anonymize(visits(), asked)
    (hidden,) = [message for message in outcome.messages if "shows nothing" in message.text]
    assert hidden.for_recipient is None
    assert "shows nothing" in make_report(outcome, Audience.OWNER).to_markdown()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("day", "form"),
    [("%d.%m.%Y", "DD.MM.YYYY"), ("%d/%m/%Y", "DD/MM/YYYY"), ("%m/%d/%Y", "MM/DD/YYYY"), ("%Y/%m/%d", "YYYY/MM/DD")],
)
def test_a_draft_finds_the_form_and_masks_by_it(day: str, form: str) -> None:
    table = visits(day, f"{day} %H:%M")
    draft = maskwise.suggest(table, class_name="Ausgang", risk=0.2)
    assert draft.data["dates"] == {"Geburtsdatum": form, "Aufnahme": form}
    assert f"  Geburtsdatum: {form}\n" in draft.to_yaml()
    assert draft.data["attributes"]["Geburtsdatum"] == {"interval": ["1940-01-01", "2020-01-01"]}
    outcome = maskwise.anonymize(table, draft.policy)
    assert len({row[0] for row in rows(outcome.data)}) > 1


@pytest.mark.slow
def test_a_draft_leaves_the_last_interval_open_for_later_dates_but_not_for_births() -> None:
    draft = maskwise.suggest(visits(), class_name="Ausgang", risk=0.2)
    entry = draft.data["attributes"]["Aufnahme"]
    assert entry["clamp"] == [None, entry["interval"][1]]
    assert "clamp" not in draft.data["attributes"]["Geburtsdatum"]
    asked = {**draft.data, "requirements": [{"qid": ["Aufnahme"], "k": 5}], "class": None, "drop": ["Geburtsdatum"]}
    solution = maskwise.anonymize(visits(), asked).solution
    later = pa.table({"Aufnahme": ["24.12.2031 08:00"], "Ausgang": ["gut"]})
    applied = maskwise.apply(later, solution)
    assert not applied.outside
    assert applied.data["Aufnahme"].to_pylist()[0].startswith("\u2265 2024-")


def test_advice_for_later_rows_outside_names_what_helps() -> None:
    solution = maskwise.anonymize(visits(), policy(**FORMS)).solution
    later = pa.table({"Geburtsdatum": ["24.12.2031"], "Aufnahme": ["01.01.2024 08:00"], "Ausgang": ["gut"]})
    (said,) = describe_outside(maskwise.apply(later, solution))
    assert "clamp: [~, HIGHEST]" in said
    assert "--outside drop" in said


def test_a_draft_asks_where_no_value_tells_day_from_month(tmp_path: Any) -> None:
    days = [dt.date(1950 + i % 60, i % 12 + 1, i * 7 % 12 + 1) for i in range(N)]
    table = pa.table({"born": [f"{one:%d/%m/%Y}" for one in days], "ill": ["yes", "no"] * (N // 2)})
    draft = maskwise.suggest(table, class_name="ill", risk=0.2)
    assert "dates" not in draft.data
    assert draft.undecided_dates == {"born": ("DD/MM/YYYY", "MM/DD/YYYY")}
    text = draft.to_yaml()
    assert "whether day or month comes first" in text
    with pytest.warns(MaskwiseWarning, match=r"`born` shows nothing: .*DD/MM/YYYY.*MM/DD/YYYY"):
        maskwise.anonymize(table, draft.policy)
    # What it asks for is all that is needed.
    answered = text.replace("#dates:", "dates:").replace("#  born: MM/DD/YYYY", "  born: MM/DD/YYYY")
    (tmp_path / "policy.yaml").write_text(answered, encoding="utf-8")
    outcome = maskwise.anonymize(table, tmp_path / "policy.yaml", criterion="score")
    assert len({row[0] for row in rows(outcome.data)}) > 1


def test_intervals_between_midnights_are_of_days_and_go_on_without_end() -> None:
    visits = pa.table({"seen": [f"{i % 28 + 1:02}.{i % 3 + 4:02}.2023 13:{i % 60:02}" for i in range(12)]})
    asked: dict[str, Any] = {
        "dates": {"seen": "DD.MM.YYYY"},
        "attributes": {"seen": {"interval": ["2023-04-01", "2023-07-01"], "clamp": [None, "2023-07-01"]}},
        "requirements": [{"qid": ["seen"], "k": 12}],
    }
    outcome = maskwise.anonymize(visits, asked)
    assert {row[0] for row in rows(outcome.data)} == {"≥ 2023-04-01"}
    later = maskwise.apply(
        pa.table({"seen": ["03.02.2025 08:15", "31.12.2022 08:15"]}), outcome.solution, keep_order=True
    )
    assert [row[0] for row in rows(later.data)] == ["≥ 2023-04-01", "≥ 2023-04-01 or outside"]
    assert later.outside == {"seen": 1}


def test_dates_of_several_forms_are_no_dates_of_one() -> None:
    mixed = [f"{one:%d/%m/%Y}" if i % 2 else f"{one:%m/%d/%Y}" for i, one in enumerate(DAYS)]
    draft = maskwise.suggest(pa.table({"born": mixed, "ill": ["yes", "no"] * (N // 2)}), class_name="ill", risk=0.2)
    assert "dates" not in draft.data
    assert draft.undecided_dates == {}


def test_a_session_shows_rows_and_values_of_such_dates() -> None:
    with maskwise.Session(visits()) as session:
        assert dict(session.values("Geburtsdatum"))["01.01.1950"] == 1
        assert dict(session.values("Geburtsdatum", "DD.MM.YYYY"))["1950-01-01"] == 1
        run = session.search(policy(**FORMS))
        assert run.rows(0, 1).rows[0].before[0] == "01.01.1950"
        shown = run.rows(0, 1).rows[0].after
        assert shown is not None
        assert shown[0].startswith("[1940-01-01")
        # Another form is looked at without loading the table again.
        assert [one.level for one in session.check(policy())][:1] == [None]


def test_an_earlier_release_that_read_dates_otherwise_is_refused() -> None:
    earlier = maskwise.anonymize(visits("%Y-%m-%d", "%Y-%m-%d %H:%M"), policy()).solution
    with pytest.raises(InputError, match="do not read the dates of `Aufnahme`, `Geburtsdatum` alike"):
        maskwise.anonymize(visits(), policy(**FORMS), against=earlier)
