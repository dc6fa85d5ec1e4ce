"""axe-core finds nothing on any step, light and dark, wide and narrow."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.conftest import NewTab
from tests.studio.page.steps import go, key, look_at_result, open_path, search, wait_for_check, write_visits

pytestmark = pytest.mark.slow
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LOOKS = ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"]
"""The rules whose answer may depend on colours and widths."""
OTHERS = [("dark", 1280), ("light", 800), ("dark", 800), ("light", 480), ("dark", 480)]


class Looker:
    """Looks at the page as it is: all rules once, and those of colours and widths in every other form."""

    def __init__(self, page: Any, axe: str) -> None:
        self.page, self.axe = page, axe

    def look(self, step: str) -> None:
        self.page.evaluate(self.axe)
        assert self._violations({"type": "tag", "values": TAGS}) == [], step
        for scheme, width in OTHERS:
            self.page.emulate_media(color_scheme=scheme)
            self.page.set_viewport_size({"width": width, "height": 900})
            assert self._violations({"type": "rule", "values": LOOKS}) == [], (step, scheme, width)
            # Nothing is wider than the window: only boxes that scroll by themselves are.
            assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (step, width)
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": 1280, "height": 900})

    def _violations(self, only: dict[str, Any]) -> list[str]:
        found = self.page.evaluate("(runOnly) => axe.run(document, { runOnly, preload: false })", only)
        return [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]


def test_nothing_stands_in_the_way_on_any_step(new_tab: NewTab, tmp_path: Path) -> None:
    axe = files(pytest.importorskip("axe_playwright_python")).joinpath("axe.min.js").read_text(encoding="utf-8")
    page = new_tab(color_scheme="light", reduced_motion="reduce")
    looker = Looker(page, axe)
    go(page, "open")
    looker.look("open")
    open_path(page, write_visits(tmp_path))
    page.wait_for_selector("text=Draft saved")
    looker.look("columns")
    page.click(key("masking ward"))
    page.select_option(key("way"), "prefix")
    page.wait_for_selector(".made [role=treeitem]")
    looker.look("what a rule makes")
    page.select_option(key("way"), "from_column")
    page.wait_for_selector("text=Columns that say what a value belongs to")
    looker.look("columns that say what a value belongs to")
    page.select_option(key("way"), "suppress")
    page.select_option(key("way"), "tree")
    page.wait_for_selector(".tree-editor [role=tree]")
    page.focus(".tree-editor [role=tree]")
    page.keyboard.press("End")
    page.keyboard.press("Delete")
    looker.look("trees")
    page.keyboard.press("Control+z")
    go(page, "requirements")
    page.fill(key("0 k"), "9999")
    page.wait_for_selector(".sentences > li.wrong")
    looker.look("requirements")
    page.fill(key("0 k"), "30")
    wait_for_check(page)
    search(page)
    page.click("text=How to search")
    page.click("text=The curve as a table")
    looker.look("search")
    go(page, "requirements")
    page.fill(key("0 k"), "31")
    wait_for_check(page)
    look_at_result(page)
    page.click("text=The curve as a table")
    looker.look("result")
    go(page, "export")
    page.fill(key("Folder on this machine"), str(tmp_path / "out"))
    page.click(key("export"))
    page.wait_for_selector("text=Copy the command")
    looker.look("export")
