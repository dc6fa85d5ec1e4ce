"""A studio without a table, and its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.conftest import NewTab, StudioProcess, end_studio, start_studio
from tests.studio.page.steps import go, key

pytestmark = pytest.mark.slow


@pytest.fixture
def empty_studio(tmp_path: Path) -> Iterator[StudioProcess]:
    started = start_studio(tmp_path)
    yield started
    if started.process.poll() is None:
        end_studio(started)


def test_every_step_says_what_it_waits_for_until_the_studio_is_closed(
    new_tab: NewTab, empty_studio: StudioProcess
) -> None:
    page: Any = new_tab(at=empty_studio)
    assert "token" not in page.url
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link past the rail
    assert page.evaluate("document.activeElement.tagName") == "H1"
    for step in ("trees", "requirements", "search", "result", "export"):
        go(page, step)
        assert page.locator(".empty").count() == 1, step
    assert page.is_disabled(key("button Undo"))
    page.keyboard.press("Control+z")
    page.click(key("button Close the studio"))
    page.wait_for_selector("h1:text('The studio is closed')")
    assert empty_studio.process.wait(10) == 0
    again = page.context.new_page()
    with pytest.raises(Exception, match="ERR_CONNECTION_REFUSED"):
        again.goto(empty_studio.origin)


def test_a_page_without_the_token_is_told_so(new_tab: NewTab, studio: StudioProcess) -> None:
    stranger = StudioProcess(studio.process, f"{studio.origin}/#token={'x' * 43}")
    page = new_tab(at=stranger)
    page.wait_for_selector("[role=alert]:has-text('does not belong to the studio')")
    page.wait_for_selector(f'{key("step open")}[data-state="has mistakes"]')


def test_a_studio_that_is_gone_is_said(new_tab: NewTab, empty_studio: StudioProcess) -> None:
    page = new_tab(at=empty_studio)
    end_studio(empty_studio)
    page.click("text=Try it on Adult")
    page.wait_for_selector("[role=alert]:has-text('does not answer')")
