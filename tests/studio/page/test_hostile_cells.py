"""Tables whose names and cells try to become part of the page, or to be too much for it."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.steps import go, key, look_at_result, open_path, search, set_role, wait_for_check

pytestmark = pytest.mark.slow
MARKUP = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
TURNED = "\u202egnol\u2066abc"
NAMES = ["<b>name</b>", "__proto__", "10", 'say "x"]', "hostile"]


def test_cells_stay_text(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "hostile.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, *(f"more{i}" for i in range(28))])
        cells = [MARKUP, TURNED, "x" * 5000, "constructor"]
        more = ["same"] * 28
        writer.writerows([[cells[i % 4], i % 3, i % 5, f"v{i % 7}", cells[(i + 1) % 4], *more] for i in range(200)])
    open_path(page, path)
    for name in NAMES:
        page.evaluate("(name) => document.querySelector(`[data-key=${CSS.escape('role ' + name)}]`).focus()", name)
        page.keyboard.press("Home")
        page.keyboard.press("ArrowDown")
    page.wait_for_selector("text=5 quasi-identifiers")
    page.evaluate(
        "(name) => document.querySelector(`[data-key=${CSS.escape('masking ' + name)}]`).click()", "<b>name</b>"
    )
    page.select_option(key("way"), "tree")
    page.wait_for_selector(f"[role=treeitem] >> text={TURNED}")
    go(page, "requirements")
    page.fill(key("0 k"), "5")
    search(page)
    look_at_result(page)
    assert page.evaluate("window.hit") is None
    assert page.locator("#content img, #content script, #content b").count() == 0
    bare = page.evaluate(
        """(turned) => {
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const found = [];
          while (walk.nextNode()) {
            if (walk.currentNode.data.includes(turned)) found.push(walk.currentNode.parentElement.tagName);
          }
          return found;
        }""",
        TURNED,
    )
    assert set(bare) == {"BDI"}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "5,000 characters" in page.inner_text("table.records")
    page.click(key("next columns of the table"))
    page.wait_for_selector("text=columns of the table 31 to 33 of 33")


def answer_for_wide_table(route: Any) -> None:
    """Answers of a server that has a table of 2,000 columns, so that only the page is timed."""
    name = route.request.url.rpartition("/")[2]
    source = {"name": "wide.csv", "kind": "file", "n_records": 60, "n_columns": 2000, "notes": []}
    suggestion = {"role": "released", "kind": "released", "reason": "nobody knows it", "entry": "interval"}
    column = {"type": "whole number", "n_distinct": 5, "n_missing": 0, "frequent": [["1", 9]], "hidden": False}
    columns = [{"name": f"c{i:04d}", **column, "suggestion": suggestion} for i in range(2000)]
    answers = {
        "open": {"source": source, "draft": None, "policy": None},
        "columns": {"columns": columns, "suggested_policy": None, "suggested_k": 12, "remark": None},
        "check": {"remarks": []},
        "draft": {},
    }
    route.fulfill(json=answers[name])


def test_two_thousand_columns_are_paged_filtered_and_set_together(page: Any, tmp_path: Path) -> None:
    page.route(re.compile("/api/(open|columns|check|draft)$"), answer_for_wide_table)
    open_path(page, tmp_path / "wide.csv")
    assert page.locator("table.columns tbody tr").count() == 50
    page.click(key("next columns"))
    page.wait_for_selector("text=columns 51 to 100 of 2,000")
    page.click(key("previous columns"))
    page.select_option(key("bulk role"), "identifier")
    page.click(key("bulk set"))
    page.wait_for_selector("text=2,000 identifiers")
    page.select_option(key("bulk role"), "quasi-identifier")
    page.fill(key("Filter by name"), "c00")
    page.wait_for_selector("text=Set it for 100 listed columns")
    page.click(key("bulk set"))
    page.wait_for_selector("text=100 quasi-identifiers")
    page.fill(key("Filter by name"), "c1999")
    page.select_option(key("role c1999"), "person")
    page.select_option(key("role c1999"), "released")
    go(page, "requirements")
    page.click("text=Columns of sentence 1")
    assert page.locator(".ticks input").count() == 40
    page.fill(key("0 filter"), "c009")
    assert page.locator(".ticks input").count() == 10
    page.uncheck(key("0 c0099"))
    page.wait_for_selector("text=Columns of sentence 1: 99 of 100")
    page.wait_for_selector("text=In no sentence, so released as it is")
    page.check(key("0 c0099"))
    page.wait_for_selector("text=Columns of sentence 1: 100 of 100")
    page.click(key("remove 0"))
    page.wait_for_selector("text=Nothing is asked yet")
    page.click(key("button Add it"))
    page.wait_for_selector(key("0 k"))
    # Everything is a quasi-identifier: an edit and its undo are drawn at once.
    go(page, "columns")
    page.fill(key("Filter by name"), "")
    page.click(key("bulk set"))
    page.wait_for_selector("text=2,000 quasi-identifiers")
    took = page.evaluate(
        """() => {
          const began = performance.now();
          const select = document.querySelector('[data-key="role c0001"]');
          select.value = "released";
          select.dispatchEvent(new Event("change"));
          document.querySelector('[data-key="button Undo"]').click();
          return performance.now() - began;
        }"""
    )
    assert took < 1500
    go(page, "trees")
    assert page.locator(".picker button").count() == 200


def test_sensitive_columns_are_hidden_and_protected_in_sentences(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "ill.csv"
    ills = ["flu", "cold", "HIV", "cough"]
    rows = [f"{20 + i % 40},{'FM'[i % 2]},{ills[i % 4]},{i % 9}" for i in range(400)]
    path.write_text("age,sex,illness,visits\n" + "\n".join(rows) + "\n", encoding="utf-8")
    open_path(page, path)
    set_role(page, "illness", "sensitive")
    set_role(page, "visits", "released")
    page.wait_for_selector("tr:has-text('illness') >> text=hidden")
    go(page, "requirements")
    while page.locator(".sentences > li").count() > 1:
        page.click(key("remove 1"))
    page.fill(key("0 k"), "5")
    for kind in ("confidence", "distinct", "closeness", "lkc"):
        page.select_option(key("kind"), kind)
        page.click(key("button Add it"))
    page.fill(key("1 confidence"), "0.6")
    page.fill(key("1 values"), "HIV\n")
    page.locator(key("1 values")).press("End")
    page.locator(key("1 values")).press_sequentially("flu")
    page.select_option(key("1 sensitive"), "illness")
    page.fill(key("2 distinct"), "2")
    page.select_option(key("2 sensitive"), "illness")
    page.fill(key("3 closeness"), "0.9")
    page.fill(key("4 L"), "1")
    page.fill(key("4 k"), "6")
    page.click("text=Columns of sentence 5")
    page.uncheck(key("4 sex"))
    page.check(key("4 sex"))
    page.wait_for_selector("text=Checking", state="detached")
    search(page)
    look_at_result(page)
    assert page.locator(".unmet").count() == 0
    assert page.locator(".met").count() == 5
    page.check(key("radio 1"))
    page.wait_for_selector(".curve >> text=largest share")
    go(page, "columns")
    set_role(page, "illness", "identifier")
    go(page, "requirements")
    assert page.locator(".sentences > li").count() == 2
    page.select_option(key("kind"), "distinct")
    page.click(key("button Add it"))
    page.wait_for_selector("text=(no column is sensitive yet)")


def test_what_is_proposed_for_diagnoses_can_be_searched_as_it_is(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    codes = ["I21.4", "C50.9", "E11.9", "J18.0", "K35.8", "B20"]
    rows = [f"{20 + i * 7 % 60},{'FM'[i % 2]},{codes[i % 6]},{1 + i % 12}" for i in range(600)]
    path.write_text("age,sex,diagnosis,length of stay\n" + "\n".join(rows) + "\n", encoding="utf-8")
    open_path(page, path)
    assert page.input_value(key("role diagnosis")) == "sensitive"
    go(page, "requirements")
    wait_for_check(page)
    assert page.input_value(key("1 by")) == "level 1"
    assert page.locator(".sentences > li.wrong").count() == 0
    search(page)
    look_at_result(page)
    assert page.locator(".unmet").count() == 0
