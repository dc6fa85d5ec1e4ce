"""From a table to a release, as a user goes."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from maskwise.cli.app import main
from tests.studio.page.steps import (
    go,
    key,
    look_at_result,
    mistakes,
    open_path,
    search,
    set_role,
    wait_for_check,
    write_visits,
)

pytestmark = pytest.mark.slow
ACTIVE = "() => document.activeElement.dataset?.key ?? document.activeElement.textContent"


def prepare_visits(page: Any, path: Path) -> None:
    """The roles and the first sentence of the tutorial."""
    open_path(page, path)
    set_role(page, "readmitted", "class")
    go(page, "requirements")
    page.fill(key("0 k"), "25")
    wait_for_check(page)


def export(page: Any, folder: Path) -> str:
    """Export in the order of the table and give the command."""
    go(page, "export")
    page.fill(key("Folder on this machine"), str(folder))
    page.check(key("order"))
    page.click(key("export"))
    page.wait_for_selector("button:has-text('Copy the command'), #content [role=alert]")
    assert page.locator("#content [role=alert]").all_inner_texts() == []
    return page.inner_text("pre")


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_visits(tmp_path_factory.mktemp("visits"))


def test_tutorial_from_table_to_the_bytes_of_the_command_line(page: Any, visits: Path, tmp_path: Path) -> None:
    prepare_visits(page, visits)
    assert mistakes(page) == ""
    search(page)
    look_at_result(page)
    assert page.locator(".unmet").count() == 0
    assert page.locator(".met").count() == 1
    chosen = int(page.get_attribute(".curve", "aria-valuenow"))
    # Another state is chosen by a click on the curve, and by its table.
    page.locator('.dot[data-step="0"]').click(force=True)
    page.wait_for_selector("text=Measure the cost of step 0")
    page.click("text=The curve as a table")
    page.click(key(f"row {chosen - 1}"))
    page.wait_for_selector(f"text=Measure the cost of step {chosen - 1}")
    page.click(key("next records"))
    page.wait_for_selector("text=records 13 to 24 of 2,000")
    folder = tmp_path / "out"
    command = export(page, folder)
    private = {
        row.locator("th").inner_text(): row.locator(".badge").inner_text() for row in page.locator("tbody tr").all()
    }
    assert private[str(folder / "release.csv")] == private[str(folder / "report.html")] == "public"
    assert private[str(folder / "solution.json")] == private[str(folder / "policy.yaml")] == "private"
    assert {Path(path).name for path in private} == {path.name for path in folder.iterdir()}
    written = (folder / "release.csv").read_bytes()
    assert main(["audit", str(folder / "release.csv"), "-p", str(folder / "policy.yaml")]) == 0
    assert f"--max-steps {chosen - 1}" in command
    assert main(shlex.split(command)[1:]) == 0
    assert (folder / "release.csv").read_bytes() == written
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("text=Copy the command")
    page.wait_for_selector("text=Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == command
    page.context.clear_permissions()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
    page.click("text=Copy the command")
    page.wait_for_selector("text=The browser did not allow it")
    # Another name, and a file less.
    page.fill(key("Name of the release (.csv or .parquet)"), "again.csv")
    page.uncheck(key("trace"))
    export(page, tmp_path / "again")
    page.wait_for_selector("text=again.csv")
    assert {path.name for path in (tmp_path / "again").iterdir()} == (
        {path.name for path in folder.iterdir()} - {"release.csv", "trace.jsonl"} | {"again.csv"}
    )
    # A folder that cannot be made is refused in a sentence.
    page.fill(key("Folder on this machine"), str(visits / "below-a-file"))
    page.click(key("export"))
    page.wait_for_selector("#content [role=alert]")


def test_columns_of_one_name_are_numbered_and_the_command_does_the_same(
    page: Any, visits: Path, tmp_path: Path
) -> None:
    header, *records = visits.read_text(encoding="utf-8").splitlines()
    twice = tmp_path / "twice.csv"
    twice.write_text("\n".join([f"{header},age", *(f"{one},{i % 9}" for i, one in enumerate(records))]) + "\n")
    go(page, "open")
    page.fill(key("Path of a CSV or Parquet file"), str(twice))
    page.press(key("Path of a CSV or Parquet file"), "Enter")
    page.wait_for_selector("#table-notes:has-text('the same name in columns 2 and 7')")
    page.click(key("onward"))
    page.wait_for_selector("th:has-text('age.1')")
    search(page)
    look_at_result(page)
    command = export(page, tmp_path / "out")
    written = (tmp_path / "out" / "release.csv").read_bytes()
    assert b"age.1" in written.splitlines()[0]
    assert main(shlex.split(command)[1:]) == 0
    assert (tmp_path / "out" / "release.csv").read_bytes() == written


def tab_to(page: Any, wanted: str, most: int = 150) -> None:
    """Press Tab until a control has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if str(page.evaluate(ACTIVE)) == wanted:
            return
    pytest.fail(f"no {wanted} within {most} stops")


def test_adult_from_start_to_export_by_keyboard_alone(page: Any, tmp_path: Path) -> None:  # noqa: PLR0915 - one way
    press = page.keyboard.press
    tab_to(page, "step open")
    press("Enter")
    tab_to(page, "button Try it on Adult")
    press("Enter")
    page.wait_for_selector("table.columns")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    tab_to(page, "role hours-per-week")
    page.keyboard.type("rel")
    page.wait_for_selector("text=8 quasi-identifiers")
    press("Control+z")
    page.wait_for_selector("text=9 quasi-identifiers")
    press("Control+Shift+z")
    page.wait_for_selector("text=8 quasi-identifiers")
    press("Control+z")
    tab_to(page, "masking education")
    press("Enter")
    page.wait_for_selector(".tree-editor [role=tree]")
    tab_to(page, "onward")
    press("Enter")
    page.wait_for_selector("h1:text('Requirements')")
    tab_to(page, "0 k")
    press("Control+a")
    page.keyboard.type("80")
    page.wait_for_selector("text=Draft saved")
    tab_to(page, "onward")
    press("Enter")
    page.wait_for_selector("h1:text('Search')")
    tab_to(page, "search")
    press("Enter")
    page.wait_for_selector("text=Look at the result")
    tab_to(page, "button Look at the result")
    press("Enter")
    page.wait_for_selector(".curve[role=slider]")
    tab_to(page, "curve")
    last = int(page.get_attribute(".curve", "aria-valuenow"))
    press("ArrowLeft")
    assert int(page.get_attribute(".curve", "aria-valuenow")) == last - 1
    press("Home")
    assert page.get_attribute(".curve", "aria-valuenow") == "0"
    press("a")
    press("End")
    page.wait_for_selector('.result[aria-busy="false"]')
    assert page.evaluate(ACTIVE) == "curve"
    tab_to(page, "onward")
    press("Enter")
    page.wait_for_selector("h1:text('Export')")
    tab_to(page, "Folder on this machine")
    page.keyboard.type(str(tmp_path / "adult"))
    press("Enter")
    page.wait_for_selector("button:has-text('Copy the command'), #content [role=alert]")
    assert page.locator("#content [role=alert]").all_inner_texts() == []
    policy = (tmp_path / "adult" / "policy.yaml").read_text(encoding="utf-8")
    assert "k: 80" in policy
    assert main(["audit", str(tmp_path / "adult" / "release.csv"), "-p", str(tmp_path / "adult" / "policy.yaml")]) == 0


def test_cost_for_a_classifier_is_measured_on_request(page: Any, visits: Path) -> None:
    prepare_visits(page, visits)
    search(page)
    look_at_result(page)
    page.click(key("measure"))
    page.wait_for_selector("text=Stop measuring")
    page.wait_for_selector("table:has-text('the raw table')")
    assert "the masked table" in page.inner_text("table:has-text('the raw table')")
    page.focus(".curve")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("text=These are the figures of step")
    page.click(key("measure"))
    page.click("text=Stop measuring")
    page.wait_for_selector(key("measure"))


def test_without_a_class_the_cost_cannot_be_measured(page: Any, visits: Path) -> None:
    open_path(page, visits)
    set_role(page, "readmitted", "quasi-identifier")
    go(page, "requirements")
    page.fill(key("0 k"), "400")
    search(page)
    look_at_result(page)
    page.click(key("measure"))
    page.wait_for_selector("[role=alert]:has-text('no class')")


def test_draft_comes_back_and_can_be_given_up(page: Any, visits: Path) -> None:
    prepare_visits(page, visits)
    go(page, "columns")
    set_role(page, "readmitted", "quasi-identifier")
    go(page, "requirements")
    wait_for_check(page)
    page.wait_for_selector("text=Draft saved")
    page.reload()
    page.wait_for_selector("text=Requirements")
    page.wait_for_selector(f"{key('0 k')}")
    assert page.input_value(key("0 k")) == "25"
    go(page, "columns")
    page.click("text=Start again from the proposals")
    assert page.input_value(key("role readmitted")) == "class"
    page.click(key("button Undo"))
    assert page.input_value(key("role readmitted")) == "quasi-identifier"
    page.click(key("button Redo"))
    assert page.input_value(key("role readmitted")) == "class"


def test_a_file_is_chosen_or_dropped(page: Any, visits: Path) -> None:
    go(page, "open")
    page.set_input_files(key("file"), str(visits))
    page.wait_for_selector("table.columns")
    assert "visits.csv" in page.inner_text("header")
    go(page, "open")
    # A file from the desktop cannot be dragged by a test, but the events can be sent as the browser does.
    page.evaluate(
        """() => {
          const files = new DataTransfer();
          files.items.add(new File(["a,b\\n" + "1,x\\n2,y\\n".repeat(20)], "dropped.csv"));
          const place = document.querySelector(".drop");
          const send = (kind, dataTransfer) =>
            place.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
          send("dragover", files); send("dragleave", files); send("drop", new DataTransfer()); send("drop", files);
        }"""
    )
    page.wait_for_selector("header:has-text('dropped.csv')")
    page.wait_for_selector("table.columns")


def test_a_table_that_cannot_be_opened_is_refused_in_a_sentence(page: Any) -> None:
    go(page, "open")
    page.fill(key("Path of a CSV or Parquet file"), "/there/is/no.csv")
    page.click(key("Open the file"))
    page.wait_for_selector("[role=alert]:has-text('no.csv')")
    page.fill(key("Address, such as postgres://user@host/database"), "nothing://here")
    page.fill(key("Table"), "people")
    page.click(key("Open the table"))
    page.wait_for_selector("[role=alert]:has-text('nothing')")
