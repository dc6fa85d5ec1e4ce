"""axe-core finds nothing on any step, light and dark, wide and narrow."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.conftest import NewTab
from tests.studio.page.steps import go, key, look_at_result, open_path, search, wait_for_check, write_visits

pytestmark = pytest.mark.slow
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Any, axe: str) -> list[str]:
    """What axe-core finds on the page as it is."""
    page.evaluate(axe)
    found = page.evaluate("(values) => axe.run(document, { runOnly: { type: 'tag', values }, preload: false })", RULES)
    return [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 800)])
def test_nothing_stands_in_the_way_on_any_step(new_tab: NewTab, tmp_path: Path, scheme: str, width: int) -> None:
    axe = files(pytest.importorskip("axe_playwright_python")).joinpath("axe.min.js").read_text(encoding="utf-8")
    page = new_tab(color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    go(page, "open")
    assert violations(page, axe) == []
    open_path(page, write_visits(tmp_path))
    page.wait_for_selector("text=Draft saved")
    assert violations(page, axe) == []
    page.click(key("masking ward"))
    page.select_option(key("way"), "tree")
    page.wait_for_selector("[role=tree]")
    page.focus("[role=tree]")
    page.keyboard.press("End")
    page.keyboard.press("Delete")
    assert violations(page, axe) == []
    page.keyboard.press("Control+z")
    go(page, "requirements")
    page.fill(key("0 k"), "9999")
    page.wait_for_selector(".sentences > li.wrong")
    assert violations(page, axe) == []
    page.fill(key("0 k"), "30")
    wait_for_check(page)
    search(page)
    page.click("text=How to search")
    page.click("text=The curve as a table")
    assert violations(page, axe) == []
    look_at_result(page)
    page.click("text=The curve as a table")
    assert violations(page, axe) == []
    go(page, "export")
    page.fill(key("Folder on this machine"), str(tmp_path / "out"))
    page.click(key("export"))
    page.wait_for_selector("text=Copy the command")
    assert violations(page, axe) == []
    # Nothing is wider than the window: only boxes that scroll by themselves are.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
