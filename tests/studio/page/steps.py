"""What a user does on the page, for the tests to call."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorial.md"


def write_visits(folder: Path) -> Path:
    """The table of the tutorial, made by the tutorial's own lines."""
    code = re.search(r"python3 - <<'END'\n(.*?)END\n", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    subprocess.run([sys.executable, "-c", code.group(1)], cwd=folder, check=True)
    return folder / "visits.csv"


def key(name: str) -> str:
    """A selector of a control by its key."""
    return f'[data-key="{name}"]'


def go(page: Any, step: str) -> None:
    """Go to a step by the rail."""
    page.click(key(f"step {step}"))
    page.wait_for_selector(f'{key(f"step {step}")}[aria-current="step"]')


def open_path(page: Any, path: Path) -> None:
    """Open a file by its path."""
    go(page, "open")
    page.fill(key("Path of a CSV or Parquet file"), str(path))
    page.press(key("Path of a CSV or Parquet file"), "Enter")
    # Where something is to be known of the table, the page stays and says it.
    page.wait_for_selector("table.columns, #table-notes")
    go(page, "columns")
    page.wait_for_selector("table.columns")


def open_adult(page: Any) -> None:
    """Open the example."""
    go(page, "open")
    page.click("text=Try it on Adult")
    page.wait_for_selector("header:has-text('Adult')")
    page.wait_for_selector("table.columns")


def set_role(page: Any, column: str, role: str) -> None:
    page.select_option(key(f"role {column}"), role)


def wait_for_check(page: Any) -> None:
    """Wait on the step Requirements until maskwise has said what it has to say."""
    page.wait_for_selector("text=Checking", state="detached")


def search(page: Any) -> None:
    """Search and wait for the end."""
    go(page, "search")
    page.click(key("search"))
    page.wait_for_selector("text=Look at the result")


def look_at_result(page: Any) -> None:
    """Go to the result and wait until all of it is there."""
    go(page, "result")
    page.wait_for_selector("text=Trade-off")
    page.wait_for_selector("#content .loading", state="detached")
    page.wait_for_selector('.result[aria-busy="false"]')


def mistakes(page: Any) -> str:
    """All mistakes that are shown."""
    return " ".join(page.locator(".remark.mistake").all_inner_texts())


def labels(page: Any) -> list[str]:
    """The labels of the tree that are in sight, indented by their level."""
    rows = page.locator("[role=treeitem]").all()
    return ["  " * (int(row.get_attribute("aria-level")) - 1) + row.locator(".label").inner_text() for row in rows]


def tray(page: Any) -> list[str]:
    """The values without a place that are in sight."""
    return [row.inner_text() for row in page.locator("[role=option] .label").all()]
