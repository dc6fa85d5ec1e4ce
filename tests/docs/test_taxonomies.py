"""The page on taxonomies: every example of a format is read as the same tree, and its commands run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from maskwise.formats.taxonomies.registry import FORMATS, read_taxonomy, recognize
from maskwise.policy.taxonomy import Taxonomy
from tests.docs.test_documents import ROOT, blocks, on_path

PAGE = ROOT / "docs" / "taxonomies.md"
EXAMPLES = re.findall(r"^### [^`\n]*`([^`]+)`\n.*?^```text\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
TREE = Taxonomy.from_nested({"Any": {"School": ["9th", "10th"], "University": ["Bachelors", "Masters"]}})


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_every_example_is_the_same_tree(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_taxonomy(tmp_path / name) == TREE


def test_every_format_has_an_example() -> None:
    found = {
        recognize(text, tuple(one for one in FORMATS if Path(name).suffix in one.suffixes), name).name
        for name, text in EXAMPLES
    }
    assert found == {one.name for one in FORMATS}


def test_the_example_for_pandas_runs() -> None:
    (snippet,) = blocks(PAGE, "python")
    done: dict[str, object] = {}
    exec(snippet, done)  # noqa: S102 - our own page
    assert done["tree"] == TREE


@pytest.mark.slow
def test_the_commands_run_as_written(tmp_path: Path) -> None:
    (script,) = blocks(PAGE, "sh")
    script = script.replace("maskwise ", f"{sys.executable} -m maskwise ")
    done = subprocess.run(
        ["/bin/sh", "-ec", script], cwd=tmp_path, env=on_path(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert read_taxonomy(tmp_path / "hierarchy.csv") == TREE
    assert read_taxonomy(tmp_path / "places.yaml").leaves() == ("Salem", "Boston", "Reno")
