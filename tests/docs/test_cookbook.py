"""Every recipe of the cookbook runs as written, prints what stands below it, and keeps what its policy asks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from maskwise.formats.policy_file import from_data
from maskwise.formats.yaml_lines import parse
from tests.docs.test_documents import ROOT, on_path

PAGE = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
INTRODUCTION, *SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
RECIPES = {section.splitlines()[0]: section for section in SECTIONS}
K = {
    "Hospital": ("released.csv", [("born", "sex", "zip"), ("sex", "admitted")], 10),
    "Census": ("released.csv", [("age", "sex"), ("age", "county"), ("marital", "education"), ("rooms", "county")], 20),
    "Bank": ("released.csv", [("age", "postcode", "job", "salary")], 15),
    "Court": ("released.csv", [("age", "sex", "filed", "charge", "priors")], 20),
    "School": ("released.csv", [("born", "sex", "village")], 5),
    "Logs": ("monday-released.csv", [("ip", "email", "time")], 20),
}
"""What each releases, and the smallest group it may have; of persons there are no more than of records."""


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def test_every_recipe_is_checked() -> None:
    assert set(RECIPES) == set(K)


@pytest.mark.parametrize("name", RECIPES)
def test_every_policy_is_one(name: str, tmp_path: Path) -> None:
    (script,) = fenced(RECIPES[name], "sh")
    (policy,) = re.findall(r"cat > policy.yaml <<'END'\n(.*?)^END", script, flags=re.MULTILINE | re.DOTALL)
    assert from_data(parse(policy, "policy.yaml"), tmp_path).requirements


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_runs_and_prints_what_stands_below_it(name: str, tmp_path: Path) -> None:
    (script,), (printed,) = fenced(RECIPES[name], "sh"), fenced(RECIPES[name], "text")
    commands = "\n".join([*fenced(INTRODUCTION, "sh"), script])
    done = subprocess.run(
        ["/bin/sh", "-ec", commands], cwd=tmp_path, env=on_path(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed
    file, qids, k = K[name]
    released = pd.read_csv(tmp_path / file, dtype=str)
    for qid in qids:
        assert released.groupby(list(qid), dropna=False).size().min() >= k
