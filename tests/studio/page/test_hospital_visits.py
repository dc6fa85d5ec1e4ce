"""A table of a hospital as a German spreadsheet writes it, by somebody who has never seen the studio."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.steps import go, key, look_at_result, open_path, search, set_role, wait_for_check

pytestmark = pytest.mark.slow
CODES = ["I10", "E11.9", "J45.0", "F32.1", "B20", "K35.8", "S72.0", "C50.9"]


def write_hospital(folder: Path) -> Path:
    """Visits, separated by semicolons, with dates such as 17.07.1971."""
    lines = ["Geburtsdatum;Geschlecht;Aufnahme;Diagnose"]
    for i in range(600):
        born = dt.date(1940, 1, 1) + dt.timedelta(days=41 * i)
        seen = dt.datetime(2024, 1, 1) + dt.timedelta(minutes=397 * i)  # noqa: DTZ001 - as a spreadsheet has it
        lines.append(f"{born:%d.%m.%Y};{'mw'[i * 7 % 3 % 2]};{seen:%d.%m.%Y %H:%M};{CODES[i % 8]}")
    path = folder / "besuche.csv"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\r\n")
    return path


def test_german_dates_are_understood_and_a_wrong_form_is_no_green_tick(page: Any, tmp_path: Path) -> None:
    open_path(page, write_hospital(tmp_path))
    page.click(key("masking Aufnahme"))
    page.wait_for_selector(key("date form"))
    assert page.input_value(key("date form")) == "DD.MM.YYYY"
    assert page.is_checked(key("open end"))
    page.uncheck(key("open end"))
    page.check(key("open end"))
    page.select_option(key("way"), "calendar")
    page.wait_for_selector(".made [role=treeitem]:has-text('2024')")
    page.wait_for_selector(f"{key('step trees')}[data-state='done']")
    page.select_option(key("date form"), "")
    page.wait_for_selector(".remark.warning:has-text('DD.MM.YYYY')")
    page.wait_for_selector(f"{key('step trees')}[data-state='has warnings']")
    page.select_option(key("date form"), "DD.MM.YYYY")
    page.wait_for_selector(f"{key('step trees')}[data-state='done']")
    # Diagnoses and their like are named in words.
    assert "{" not in page.inner_text("#content")


def write_measures(folder: Path) -> Path:
    """Measures of patients with decimal commas, in the letters of Windows."""
    lines = ["Größe;Gewicht;Zellen;Fieber"]
    for i in range(600):
        cells = f"{i % 9 + 1},{i * 7 % 1000:03}"
        lines.append(
            f"{150 + i * 7 % 50},{i % 10};{40 + i * 13 % 80},{i % 4 * 25:02};{cells};{'ja' if i % 3 else 'nein'}"
        )
    lines[5] = ";" + lines[5].partition(";")[2]
    path = folder / "messwerte.csv"
    path.write_bytes("\r\n".join(lines).encode("cp1252") + b"\r\n")
    return path


def test_decimal_commas_are_understood_and_asked_for_where_nothing_decides(page: Any, tmp_path: Path) -> None:
    open_path(page, write_measures(tmp_path))
    # One record has no size, and k is larger.
    page.select_option(key("missing"), "error")
    page.wait_for_selector(".remark.mistake:has-text('missing cell')")
    page.select_option(key("missing"), "drop")
    page.click(key("masking Größe"))
    page.wait_for_selector(key("number form"))
    assert page.input_value(key("number form")) == "1234,5"
    page.wait_for_selector(f"{key('step trees')}[data-state='done']")
    page.select_option(key("number form"), "1 234.5")
    page.wait_for_selector(f"{key('step trees')}[data-state='has mistakes']")
    page.wait_for_selector(".remark.mistake:has-text('in another spelling')")
    page.select_option(key("number form"), "1234,5")
    page.click(key("tree of Zellen"))
    page.wait_for_selector(f"{key('number form')} option:has-text('please choose')", state="attached")
    page.select_option(key("number form"), "1,234.5")
    page.select_option(key("way"), "interval")
    page.wait_for_selector(f"{key('step trees')}[data-state='done']")
    page.select_option(key("number form"), "")
    # What is said is said in words that the page has.
    page.wait_for_selector(".remark.mistake:has-text('say in the policy which')")
    assert "`" not in page.inner_text("#content")
    assert "in the file" not in page.inner_text("#content")


def test_sentences_have_words_keep_their_columns_and_count_records(page: Any, tmp_path: Path) -> None:
    open_path(page, write_hospital(tmp_path))
    go(page, "requirements")
    wait_for_check(page)
    text = page.inner_text(".sentences")
    assert "{" not in text
    assert "records share each combination" in text
    page.select_option(key("1 by"), "level 2")
    page.select_option(key("1 by"), "level 1")
    before = [page.inner_text(f"{key(f'columns {i}')} summary") for i in range(3)]
    go(page, "columns")
    set_role(page, "Geschlecht", "class")
    set_role(page, "Geschlecht", "quasi-identifier")
    go(page, "requirements")
    assert [page.inner_text(f"{key(f'columns {i}')} summary") for i in range(3)] == before
    # Where no sentence is about all of them, a column more goes to the first.
    for i in range(3):
        page.click(f"{key(f'columns {i}')} summary")
        page.uncheck(key(f"{i} Aufnahme"))
    go(page, "columns")
    set_role(page, "Geschlecht", "released")
    set_role(page, "Geschlecht", "quasi-identifier")
    go(page, "requirements")
    found = [page.inner_text(f"{key(f'columns {i}')} summary") for i in range(3)]
    assert [one.rpartition(": ")[2] for one in found] == ["2 of 3", "1 of 3", "1 of 3"]
    assert page.is_checked(key("guard"))
    page.uncheck(key("guard"))
    page.check(key("guard"))
    # Without a sentence about a share there is nothing to guard.
    page.click(key("remove 2"))
    page.wait_for_selector(key("guard"), state="detached")


def test_every_step_says_what_belongs_to_it_in_usual_words(page: Any, tmp_path: Path) -> None:
    open_path(page, write_measures(tmp_path))
    page.select_option(key("missing"), "drop")
    assert "singles out 0 %" not in page.inner_text("#content")
    go(page, "open")
    page.wait_for_selector("#table-notes:has-text('Windows-1252')")
    page.wait_for_selector(f"{key('step open')}[data-state='has a note']")
    go(page, "trees")
    assert page.inner_text("h1") == "Masking"
    go(page, "requirements")
    wait_for_check(page)
    note = page.locator(".remark.note:has-text('left out')").bounding_box()
    assert page.locator(".sentences").bounding_box()["y"] < note["y"]
    assert "Windows-1252" not in page.inner_text("#content")


def test_a_result_is_told_without_code_words(page: Any, tmp_path: Path) -> None:
    open_path(page, write_hospital(tmp_path))
    set_role(page, "Geschlecht", "class")
    go(page, "requirements")
    assert "level 1" not in page.inner_text(".sentences")
    search(page)
    look_at_result(page)
    said = page.inner_text("#content")
    assert "below the top of its tree" in said
    assert "by level" not in said
    assert "conditional" not in said


def with_attack(route: Any) -> None:
    """A result whose release is open to those who know how the search works."""
    answer = route.fetch()
    result = answer.json()
    result["attacks"] = [{"attack": "minimality", "result": "failed"}]
    result["messages"].append({"level": "warning", "text": "The minimality attack succeeds."})
    route.fulfill(response=answer, body=json.dumps(result))


def test_an_attack_that_succeeds_stands_beside_the_verdict_and_is_guarded_against(page: Any, tmp_path: Path) -> None:
    open_path(page, write_hospital(tmp_path))
    go(page, "requirements")
    page.uncheck(key("guard"))
    search(page)
    page.route("**/api/result", with_attack)
    look_at_result(page)
    box = page.locator(key("warnings"))
    assert "The minimality attack succeeds." in box.inner_text()
    assert box.bounding_box()["y"] < page.locator("text=Trade-off").bounding_box()["y"]
    go(page, "export")
    assert "The minimality attack succeeds." in page.inner_text(key("warnings"))
    page.unroute("**/api/result")
    page.click("text=Guard against it, and search again")
    go(page, "requirements")
    assert page.is_checked(key("guard"))
    go(page, "search")
    page.wait_for_selector("text=Look at the result")


def test_a_mended_policy_is_no_failed_search_any_more(page: Any, tmp_path: Path) -> None:
    open_path(page, write_hospital(tmp_path))
    go(page, "requirements")
    page.fill(key("0 k"), "5000")
    go(page, "search")
    page.click(key("search"))
    page.wait_for_selector(f"{key('step search')}[data-state='has mistakes']")
    go(page, "requirements")
    page.fill(key("0 k"), "12")
    page.wait_for_selector(f"{key('step search')}[data-state='to do']")
    go(page, "search")
    page.wait_for_selector("text=The policy has changed since a search for it failed")


def with_weight(route: Any) -> None:
    """Columns one of which has an entry that the page has no fields for."""
    answer = route.fetch()
    found = answer.json()
    entry = {"taxonomy": {"Any": ["m", "w"]}, "weight": 2}
    found["suggested_policy"]["attributes"]["Geschlecht"] = entry
    route.fulfill(response=answer, body=json.dumps(found))


def test_an_entry_without_fields_is_told_in_words(page: Any, tmp_path: Path) -> None:
    page.route("**/api/columns", with_weight)
    open_path(page, write_hospital(tmp_path))
    page.click(key("masking Geschlecht"))
    page.wait_for_selector("text=As the policy says: ")
    assert "weight: 2" in page.inner_text("#content")
    page.unroute("**/api/columns")
