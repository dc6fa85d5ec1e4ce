"""The tree editor: by keys, by dragging, by import; and its model against sets and lists."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.studio.page.steps import go, key, labels, open_path, set_role, tray

pytestmark = pytest.mark.slow
FRUIT = ["apple", "pear", "cherry", "plum", "lemon", "orange"]
ARX = "apple;pome;Any\npear;pome;Any\ncherry;stone;Any\nplum;stone;Any\nlemon;citrus;Any\nlime;citrus;Any\n"


@pytest.fixture
def fruit(page: Any, tmp_path: Path) -> Any:
    """A tab with the tree editor of a column of fruit, in which every value stands below the top."""
    rows = [f"{value},{i % 40}" for i, value in enumerate(FRUIT * 20)]
    path = tmp_path / f"{tmp_path.name}.csv"
    path.write_text("fruit,age\n" + "\n".join(rows) + "\n", encoding="utf-8")
    open_path(page, path)
    set_role(page, "fruit", "quasi-identifier")
    page.click(key("masking fruit"))
    page.select_option(key("way"), "tree")
    page.wait_for_selector(".tree-editor [role=tree]")
    return page


def test_by_keys_values_are_grouped_named_moved_and_dissolved(fruit: Any) -> None:
    page, press = fruit, fruit.keyboard.press
    assert sorted(labels(page)) == sorted(["Any", *("  " + value for value in FRUIT)])
    page.focus(".tree-editor [role=tree]")
    press("End")
    press("Home")
    page.keyboard.type("ch")
    press(" ")
    page.keyboard.type("pl")
    press("F2")
    press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "tree"
    press(" ")
    press("Control+g")
    page.keyboard.type("stone fruit")
    press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "tree"
    shown = labels(page)
    at = shown.index("  stone fruit")
    assert sorted(shown[at + 1 : at + 3]) == ["    cherry", "    plum"]
    assert page.locator("[role=treeitem]:has-text('stone fruit') .number").inner_text() == "40"
    # Out of the group, into it again, up and down.
    press("ArrowRight")
    press("Alt+ArrowLeft")
    assert len([line for line in labels(page) if line.startswith("    ")]) == 1
    press("Alt+ArrowRight")
    assert len([line for line in labels(page) if line.startswith("    ")]) == 2
    press("Alt+ArrowUp")
    press("Alt+ArrowDown")
    press("Alt+ArrowDown")
    page.wait_for_selector("text=It cannot go any further.")
    press("ArrowLeft")
    press("ArrowLeft")
    assert len([line for line in labels(page) if line.startswith("    ")]) == 0
    press("ArrowRight")
    press("Shift+ArrowDown")
    press("Escape")
    press("ArrowLeft")
    press("Delete")
    assert "  stone fruit" not in labels(page)
    press("Control+z")
    assert "  stone fruit" in labels(page)
    press("Control+a")
    press("Escape")


def test_values_keep_their_names_and_the_top_its_place(fruit: Any) -> None:
    page, press = fruit, fruit.keyboard.press
    page.focus(".tree-editor [role=tree]")
    press("Delete")
    page.wait_for_selector("text=The top of the tree cannot be removed.")
    press("Control+g")
    page.wait_for_selector("text=Choose values below the top to group them.")
    press("Alt+ArrowRight")
    page.wait_for_selector("text=There is no group directly above it.")
    press("Alt+ArrowLeft")
    page.wait_for_selector("text=It is directly below the top already.")
    press("F2")
    page.keyboard.type("apple")
    press("Enter")
    page.wait_for_selector("text=There is a value apple already.")
    page.fill(key("group name"), "  ")
    page.click(key("button Rename"))
    page.wait_for_selector("text=A group needs a name.")
    page.focus(".tree-editor [role=tree]")
    page.keyboard.type("pear")
    assert page.evaluate("document.querySelector('[data-key=\"group name\"]').readOnly") is True
    page.click(key("button Up"))
    page.click(key("button Down"))
    page.click(key("button Out"))
    page.click(key("button In"))
    page.click(key("button Ungroup"))
    page.wait_for_selector("text=pear removed.")
    assert tray(page) == ["pear"]


def shown(page: Any) -> list[str]:
    """The lines of the tree that is looked at, without their indents, with their records."""
    page.wait_for_selector(".made [role=treeitem]")
    return [" ".join(row.inner_text().split()[-2:]) for row in page.locator(".made [role=treeitem]").all()]


def test_what_a_rule_or_the_table_makes_of_a_column_is_shown_before_anything_is_searched(fruit: Any) -> None:
    page = fruit
    page.select_option(key("way"), "prefix")
    page.wait_for_selector(".made >> text=ap***")
    assert "* 120" in shown(page)
    page.fill(key("levels"), "1")
    page.wait_for_selector(".made >> text=ap***", state="detached")
    page.wait_for_selector(".made >> text=a****")
    page.focus(".made [role=tree]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")  # it is to be looked at only
    page.fill(key("levels"), "x")
    page.wait_for_selector(".made [role=alert]")
    page.select_option(key("way"), "grow")
    page.wait_for_selector(".made >> text={apple, ")
    assert shown(page)[0] == "* 120"
    page.select_option(key("grow"), "similarity")
    page.select_option(key("way"), "from_column")
    page.wait_for_selector("text=Columns that say what a value belongs to")
    assert page.locator(".made").count() == 0
    page.check(key("source age"))
    page.wait_for_selector(".made [role=alert], .made [role=treeitem]")
    page.uncheck(key("source age"))
    page.select_option(key("way"), "grow")
    page.wait_for_selector(".made [role=treeitem]")
    page.click(key("button Make it a tree to edit"))
    page.wait_for_selector(".tree-editor [role=treeitem]")
    page.wait_for_selector("text=No place yet: none")


def test_a_column_of_the_same_name_in_another_table_has_its_own_values(fruit: Any, tmp_path: Path) -> None:
    page = fruit
    path = tmp_path / f"{tmp_path.name}-other.csv"
    path.write_text(
        "fruit,age\n" + "\n".join(f"{'ab'[i % 2]}corn,{i % 40}" for i in range(120)) + "\n", encoding="utf-8"
    )
    go(page, "open")
    page.fill(key("Path of a CSV or Parquet file"), str(path))
    page.press(key("Path of a CSV or Parquet file"), "Enter")
    page.wait_for_selector("header:has-text('-other.csv')")
    page.wait_for_selector("table.columns")
    set_role(page, "fruit", "quasi-identifier")
    page.click(key("masking fruit"))
    page.select_option(key("way"), "tree")
    page.wait_for_selector(".tree-editor [role=tree] >> text=acorn")
    assert page.locator(".tree-editor >> text=apple").count() == 0


def test_by_dragging_values_go_to_groups_and_to_the_tray(fruit: Any) -> None:
    page = fruit

    def row(label: str) -> Any:
        return page.locator("[role=treeitem]", has=page.locator("bdi", has_text=re.compile(f"^{label}$")))

    row("lemon").click()
    row("orange").click(modifiers=["Control"])
    page.click(key("button Group"))
    page.fill(key("group name"), "citrus")
    page.press(key("group name"), "Enter")
    # Over a row, which is marked, and away again.
    row("plum").hover()
    page.mouse.down()
    row("citrus").hover()
    row("citrus").hover(position={"x": 30, "y": 10})
    page.mouse.move(5, 5)
    page.mouse.up()
    assert page.locator(".over").count() == 0
    row("plum").drag_to(row("citrus"))
    page.wait_for_selector("text=Moved under citrus.")
    assert labels(page)[labels(page).index("  citrus") + 3] == "    plum"
    row("citrus").drag_to(row("plum"))
    page.wait_for_selector("text=citrus cannot go below itself.")
    row("plum").drag_to(page.locator(".tray-box h3"))
    page.wait_for_selector("text=No place yet: 1 value")
    assert tray(page) == ["plum"]
    page.locator("[role=option]").drag_to(row("citrus"))
    page.wait_for_selector("text=No place yet: none")
    # Onto the empty part below the rows: to the top.
    box = page.locator("[role=tree]").bounding_box()
    row("plum").drag_to(page.locator("[role=tree]"), target_position={"x": 100, "y": box["height"] - 20})
    assert labels(page)[-1] == "  plum"
    row("citrus").locator(".twist").click()
    assert "    lemon" not in labels(page)
    row("apple").click()
    row("cherry").click(modifiers=["Shift"])


def test_what_is_in_the_tray_is_found_and_placed_by_keys(fruit: Any) -> None:
    page, press = fruit, fruit.keyboard.press
    page.focus(".tree-editor [role=tree]")
    press("ArrowDown")
    press("Shift+End")
    press("Delete")
    page.wait_for_selector("text=No place yet: 6 values")
    page.fill(key("Find a value"), "p")
    assert sorted(tray(page)) == ["apple", "pear", "plum"]
    page.focus("[role=listbox]")
    page.keyboard.type("pea")
    press("Enter")
    assert labels(page) == ["Any", "  pear"]
    page.click("text=Put all listed there")
    assert sorted(labels(page)[1:]) == ["  apple", "  pear", "  plum"]
    page.fill(key("Find a value"), "")
    press("Tab")
    press(" ")
    page.click(".tray-box button:has-text('Put under')")
    page.wait_for_selector("text=No place yet: 2 values")


def test_an_import_shows_what_it_covers_before_it_replaces(fruit: Any, tmp_path: Path) -> None:
    page = fruit
    file = tmp_path / "fruit.csv"
    file.write_text(ARX, encoding="utf-8")
    page.click("text=Import a tree from a file")
    page.set_input_files(key("import"), str(file))
    page.wait_for_selector(".preview")
    text = page.inner_text(".preview")
    assert "ARX" in text
    figures = {
        row.locator("th").inner_text(): row.locator("td").inner_text()
        for row in page.locator(".preview tbody tr").all()
    }
    assert figures["Labels in the tree"] == "10"
    assert figures["Records that have a place"] == "100"
    assert figures["Values of fruit without a place"] == "1"
    assert figures["Values of the tree that no record has"] == "1"
    assert "orange" in text
    page.click("text=Keep the present one")
    assert "  pome" not in labels(page)
    page.set_input_files(key("import"), str(file))
    page.click("text=Replace the tree")
    page.wait_for_selector("text=No place yet: 1 value")
    assert "  pome" in labels(page)
    assert tray(page) == ["orange"]
    page.wait_for_selector("text=no records")
    # What is missing is said, and the step is marked.
    page.wait_for_selector(f'{key("step trees")}[data-state="has mistakes"]')
    file.write_text("apple;x;*\napple;y;*\n", encoding="utf-8")
    page.set_input_files(key("import"), str(file))
    page.wait_for_selector("#content [role=alert]")


def test_columns_are_masked_by_ranges_rules_or_not_at_all(fruit: Any) -> None:
    page = fruit
    page.select_option(key("way"), "prefix")
    page.fill(key("levels"), "2, 1")
    page.wait_for_selector("text=first characters")
    page.click("text=Make it a tree to edit")
    page.wait_for_selector(".tree-editor [role=tree]")
    assert any("pe" in label for label in labels(page))
    page.select_option(key("way"), "suppress")
    page.select_option(key("way"), "default")
    page.wait_for_selector("text=as its type asks")
    page.click(key("tree of age"))
    page.wait_for_selector(key("Lowest"))
    page.fill(key("Lowest"), "0")
    page.fill(key("Highest"), "-5")
    page.wait_for_selector(".remark.mistake:has-text('upside down')")
    page.fill(key("Highest"), "50")
    page.wait_for_selector(".remark.mistake", state="detached")
    go(page, "columns")
    set_role(page, "age", "released")
    set_role(page, "fruit", "released")
    go(page, "trees")
    page.wait_for_selector("text=No column is a quasi-identifier")


def test_sixty_five_thousand_values_are_walked_and_edited_without_a_wait(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("code,age\n" + "\n".join(f"c{i:05d},{i % 50}" for i in range(65_000)) + "\n", encoding="utf-8")
    open_path(page, path)
    set_role(page, "code", "quasi-identifier")
    page.click(key("masking code"))
    page.select_option(key("way"), "tree")
    page.wait_for_selector(".tree-editor [role=tree]")
    page.focus(".tree-editor [role=tree]")
    assert page.locator("[role=treeitem]").count() < 60
    took = page.evaluate(
        """async () => {
          const tree = document.querySelector("[role=tree]");
          const began = performance.now();
          for (const [key, ctrlKey] of [["End"], ["Home"], ["ArrowDown"], [" "], ["ArrowDown"], ["g", true]]) {
            tree.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true }));
          }
          return performance.now() - began;
        }"""
    )
    page.wait_for_selector("[role=treeitem]:has-text('New group')")
    assert took < 2500


def test_the_model_agrees_with_lists_of_parents(page: Any) -> None:
    """Random edits by the page's model and by a plain mapping from child to parent lead to the same tree."""
    rng = random.Random(3)  # noqa: S311 - test data
    parent = dict.fromkeys("abcdefgh", "Any")
    edits: list[list[Any]] = []
    for i in range(60):
        kind = rng.choice(["group", "move", "ungroup", "rename"])
        inner = sorted(set(parent.values()) - {"Any"})
        if kind == "group":
            label = rng.choice(sorted(parent))
            edits.append(["group", [label], f"g{i}"])
            parent |= {f"g{i}": parent[label], label: f"g{i}"}
        elif not inner:
            continue
        elif kind == "move":
            label, to = rng.choice(sorted(parent)), rng.choice(inner)
            up = [to]
            while up[-1] != "Any":
                up.append(parent[up[-1]])
            if label in up:
                continue
            edits.append(["move", [label], to])
            parent[label] = to
        elif kind == "ungroup":
            label = rng.choice(inner)
            edits.append(["ungroup", label])
            above = parent.pop(label)
            parent = {child: above if up == label else up for child, up in parent.items()}
        else:
            label = rng.choice(inner)
            edits.append(["rename", label, f"n{i}"])
            parent = {f"n{i}" if c == label else c: f"n{i}" if up == label else up for c, up in parent.items()}
    found = page.evaluate(
        """async (edits) => {
          const model = await import("/page/tree_model.js");
          let tree = model.node("Any", [..."abcdefgh"].map((label) => model.node(label)));
          for (const [kind, label, to] of edits) {
            tree = kind === "rename" ? model.rename(tree, label, to, new Map()) : model[kind](tree, label, to);
          }
          const again = model.fromNested(model.toNested(tree));
          return [...model.places(again)].map(([label, at]) => [label, at.parent?.label ?? null]);
        }""",
        edits,
    )
    # A group from which everything was moved stays as a value without records.
    assert {child: up for child, up in found if up is not None} == parent


def test_a_tree_comes_back_with_the_draft(fruit: Any) -> None:
    before = labels(fruit)
    fruit.wait_for_selector("text=Draft saved")
    fruit.reload()
    go(fruit, "columns")
    fruit.wait_for_selector("text=Start again from the proposals")
    fruit.click(key("masking fruit"))
    fruit.wait_for_selector(".tree-editor [role=tree]")
    assert labels(fruit) == before
