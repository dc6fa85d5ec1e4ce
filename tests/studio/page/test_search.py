"""Searches that are stopped, cancelled, refused or killed, and a second tab."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.conftest import NewTab, StudioProcess, end_studio, start_studio
from tests.studio.page.steps import (
    go,
    key,
    look_at_result,
    mistakes,
    open_adult,
    open_path,
    search,
    set_role,
    wait_for_check,
    write_visits,
)

pytestmark = pytest.mark.slow
GONE = 410
COMPILED_WITHIN = 400_000
"""So many milliseconds the first search may take where everything is compiled first, on a busy machine."""


def make_long(route: Any) -> None:
    """Let a search rest after every step: a small table is searched too quickly."""
    body = route.request.post_data_json
    body["options"] |= {"criterion": "infogain"}
    route.continue_(post_data=json.dumps(body))


def start_long_search(page: Any, folder: Path) -> None:
    """A search that rests after every step."""
    open_path(page, write_visits(folder))
    set_role(page, "readmitted", "class")
    page.route("**/api/search", make_long)
    go(page, "search")
    page.click(key("search"))


def test_stopped_after_some_steps_what_is_found_is_kept(page: Any) -> None:
    open_adult(page)
    go(page, "search")
    page.click("text=How to search")
    page.select_option(key("criterion"), "infogain")
    page.click(key("search"))
    page.wait_for_selector("text=/3 steps, /")
    page.click("text=Stop and keep what is found")
    page.wait_for_selector("text=Stopped: what was found is kept.")
    look_at_result(page)
    assert page.locator(".unmet").count() == 0


def test_the_first_search_after_an_install_says_that_loops_are_compiled_and_has_a_result(
    new_tab: NewTab, tmp_path: Path
) -> None:
    cache = tmp_path / "nothing-compiled"
    cache.mkdir()
    studio = start_studio(tmp_path, str(write_visits(tmp_path)), NUMBA_CACHE_DIR=str(cache))
    try:
        page = new_tab(studio)
        go(page, "search")
        page.click(key("search"))
        page.wait_for_selector("text=Loops are compiled", timeout=COMPILED_WITHIN)
        page.wait_for_selector("text=Look at the result", timeout=COMPILED_WITHIN)
        page.wait_for_selector(f'{key("step search")}[data-state="done"]')
        look_at_result(page)
        assert page.locator(".met").count() > 0
    finally:
        end_studio(studio)
    assert any(cache.rglob("*")), "it compiled nothing"


def test_events_of_a_kind_that_the_page_does_not_know_end_nothing(page: Any, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    told: list[str] = []

    def tell_news(route: Any) -> None:
        if told:
            route.fallback()
        else:
            told.append(route.request.url)
            route.fulfill(json={"events": [{"n": 0, "kind": "news", "stage": "search"}], "is_running": True})

    page.route("**/api/events", tell_news)
    go(page, "search")
    page.click(key("search"))
    page.wait_for_selector("text=Look at the result")
    look_at_result(page)
    assert told


def test_a_cancelled_search_leaves_nothing_and_another_can_begin(page: Any, tmp_path: Path) -> None:
    start_long_search(page, tmp_path)
    page.wait_for_selector(key("button Cancel"))
    page.click(key("button Cancel"))
    page.wait_for_selector("text=The search was cancelled")
    go(page, "result")
    page.wait_for_selector("text=There is no result yet")
    go(page, "search")
    page.click("text=How to search")
    page.select_option(key("method"), "bug")
    page.fill(key("max_steps"), "x1")
    assert page.input_value(key("max_steps")) == "1"
    page.fill(key("max_steps"), "")
    page.wait_for_selector("text=Search again")


def test_a_killed_worker_is_said_and_replaced(page: Any, studio: StudioProcess, tmp_path: Path) -> None:
    start_long_search(page, tmp_path)
    page.wait_for_selector(key("button Cancel"))
    for worker in studio.workers():
        os.kill(worker, signal.SIGKILL)
    page.wait_for_selector("#content [role=alert]")
    page.wait_for_selector(f'{key("step search")}[data-state="has mistakes"]')
    go(page, "open")
    open_path(page, write_visits(tmp_path))


def test_a_second_tab_is_told_of_the_search(page: Any, new_tab: NewTab, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    other = new_tab()
    go(other, "search")
    start_long_search(page, tmp_path)
    page.wait_for_selector(key("button Cancel"))
    other.click(key("search"))
    other.wait_for_selector("[role=alert]:has-text('A search is running')")
    # The document may be edited meanwhile; it is checked when the search is over.
    go(page, "requirements")
    page.fill(key("0 k"), "60")
    page.wait_for_selector("text=Draft saved")
    go(page, "search")
    page.click(key("button Cancel"))
    go(page, "requirements")
    wait_for_check(page)


def test_a_search_that_runs_is_shown_again_after_a_reload(page: Any, tmp_path: Path) -> None:
    start_long_search(page, tmp_path)
    page.wait_for_selector("text=/Searching/")
    page.reload()
    page.wait_for_selector(key("button Cancel"))
    assert page.locator("text=Another tab is searching").count() == 0
    page.click(key("button Cancel"))
    page.wait_for_selector("text=The search was cancelled")


def test_what_cannot_be_met_is_said_beside_its_sentence(page: Any, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    go(page, "requirements")
    page.fill(key("0 k"), "3000")
    page.wait_for_selector(".sentences > li.wrong")
    assert "3000" in mistakes(page) or "3,000" in mistakes(page)
    assert page.get_attribute(key("0 k"), "aria-invalid") == "true"
    page.wait_for_selector(f'{key("step requirements")}[data-state="has mistakes"]')
    go(page, "search")
    page.wait_for_selector("text=1 mistake in the policy.")
    page.click(key("search"))
    page.wait_for_selector("#content [role=alert]")
    go(page, "requirements")
    page.fill(key("0 k"), "x")
    page.wait_for_selector("text=whole number")
    page.fill(key("0 k"), "20")
    page.wait_for_selector(".sentences > li.wrong", state="detached")


def test_bottom_up_only_the_end_can_be_released(page: Any, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    go(page, "search")
    page.click("text=How to search")
    page.select_option(key("method"), "bug")
    page.click(key("search"))
    page.wait_for_selector("text=Look at the result")
    look_at_result(page)
    page.wait_for_selector("text=A search from below is safe at its end only")
    assert page.locator(".curve[role=slider]").count() == 0


def test_a_result_says_that_the_policy_has_changed_since(page: Any, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    go(page, "requirements")
    page.fill(key("0 k"), "25")
    wait_for_check(page)
    go(page, "search")
    page.click(key("search"))
    page.wait_for_selector("text=Look at the result")
    assert page.locator("text=Out of date").count() == 0
    go(page, "requirements")
    page.fill(key("0 k"), "30")
    page.wait_for_selector(f'{key("step result")}[data-state="out of date"]')
    look_at_result(page)
    page.wait_for_selector("text=the policy has changed since this search")
    assert page.locator(".curve >> text=asked: 25").count() == 1
    go(page, "export")
    page.wait_for_selector("text=Out of date")
    assert page.input_value(key("Folder on this machine")) == str(tmp_path / "visits-release")
    page.keyboard.press("Control+z")
    page.wait_for_selector("text=Out of date", state="detached")


def test_a_tab_whose_table_was_exchanged_in_another_tab_is_told_so(page: Any, new_tab: NewTab, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    page.wait_for_selector("text=Draft saved")
    other = new_tab()
    open_adult(other)
    go(page, "requirements")
    page.fill(key("0 k"), "60")
    go(page, "columns")
    page.wait_for_selector("[role=alert]:has-text('in another tab')")
    # What the other tab works on is as it was.
    assert other.evaluate("document.querySelector('header').textContent.includes('Adult')")
    page.reload()
    page.wait_for_selector("header:has-text('Adult')")


def test_what_takes_long_says_for_how_long(page: Any, tmp_path: Path) -> None:
    path = write_visits(tmp_path)
    page.clock.install()
    page.reload()
    page.wait_for_selector('main[aria-busy="false"]')
    go(page, "open")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/open", hold)
    page.fill(key("Path of a CSV or Parquet file"), str(path))
    page.press(key("Path of a CSV or Parquet file"), "Enter")
    page.wait_for_selector("text=Opening the table")
    assert page.inner_text(".elapsed") == ""
    page.clock.run_for(7000)
    assert page.inner_text(".elapsed") in {"6 s", "7 s", "8 s", "9 s"}
    held[0].continue_()
    page.wait_for_selector("table.columns")


def test_an_export_shows_how_far_it_is(page: Any, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    search(page)
    held: list[Any] = []

    def tell_one_stage(route: Any) -> None:
        held.append(route)
        if len(held) == 1:
            event = {"n": 0, "kind": "stage", "stage": "verify", "number": 1, "of": 1}
            route.fulfill(json={"events": [event], "is_running": True})
        elif len(held) > 2:
            route.fallback()

    page.route("**/api/events", tell_one_stage)
    go(page, "export")
    page.click(key("export"))
    page.wait_for_selector(".loading:has-text('The release is recounted')")
    assert page.is_disabled(key("export"))
    held[1].continue_()
    page.wait_for_selector("text=Copy the command")
    assert page.is_enabled(key("export"))


def test_nothing_is_sent_without_a_path_or_a_folder(page: Any) -> None:
    go(page, "open")
    page.fill(key("Path of a CSV or Parquet file"), "")
    page.click(key("Open the file"))
    assert page.evaluate("document.querySelector(':invalid') !== null")
    assert page.locator("[role=alert]").count() == 0


def test_what_was_asked_of_the_table_before_says_nothing_of_the_next(page: Any, tmp_path: Path) -> None:
    open_path(page, write_visits(tmp_path))
    page.wait_for_selector("text=Draft saved")
    held: list[Any] = []

    def hold(route: Any) -> None:
        if held:
            route.fallback()
        else:
            held.append(route)

    page.route("**/api/draft", hold)
    with page.expect_request("**/api/draft"):
        set_role(page, "readmitted", "class")
    open_adult(page)
    with page.expect_response(lambda answer: answer.status == GONE):
        held[0].continue_()
    page.wait_for_selector("text=Draft saved")
    assert page.locator("[role=alert]").count() == 0
