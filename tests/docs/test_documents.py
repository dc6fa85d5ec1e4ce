"""What the documents tell people to do works as written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

import maskwise
from maskwise.datasets import load_adult
from maskwise.formats.policy_file import from_data
from maskwise.formats.yaml_lines import parse
from maskwise.policy.rules.registry import RULE_KEYS, read_rule

ROOT = Path(__file__).parents[2]


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), flags=re.MULTILINE | re.DOTALL)


def on_path() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.slow
def test_the_tutorial_runs_from_start_to_end(tmp_path: Path) -> None:
    tutorial = ROOT / "docs" / "tutorial.md"
    script = "\n".join(blocks(tutorial, "sh"))
    done = subprocess.run(
        ["/bin/sh", "-ec", script], cwd=tmp_path, env=on_path(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    released = pd.read_csv(tmp_path / "released.csv", dtype=str)
    assert "name" not in released
    assert released.groupby(["age", "zip"]).size().min() >= 25
    assert released.groupby(["age", "ward", "stay"]).size().min() >= 40
    assert len(pd.read_csv(tmp_path / "next-month-released.csv")) == 200
    (snippet,) = blocks(tutorial, "python")
    shown = subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines()[-1].startswith("True")


@pytest.mark.slow
def test_the_readmes_python_runs(tmp_path: Path) -> None:
    readme = ROOT / "README.md"
    (policy,) = blocks(readme, "yaml")
    (tmp_path / "policy.yaml").write_text(policy)
    (tmp_path / "education.yaml").write_text("Any: {School: [9th, 10th], University: [Bachelors, Masters]}\n")
    people = pd.DataFrame(
        {
            "patient_id": [f"m{i}" for i in range(400)],
            "name": [f"p{i}" for i in range(400)],
            "ssn": range(400),
            "age": [20 + i % 60 for i in range(400)],
            "education": [("9th", "10th", "Bachelors", "Masters")[i % 4] for i in range(400)],
            "relationship": [("Wife", "Husband")[i % 2] for i in range(400)],
            "postcode": [f"{2000 + 37 * (i % 9):05}" for i in range(400)],
            "illness": [
                ("B20.1", "Flu", "None", "None", "None", "None", "None", "None", "Cold", "None")[i % 10]
                for i in range(400)
            ],
            "income": ["high" if i % 60 > 30 else "low" for i in range(400)],
        }
    )
    people.to_csv(tmp_path / "people.csv", index=False)
    people.head(20).to_csv(tmp_path / "next-month.csv", index=False)
    (snippet,) = blocks(readme, "python")
    *_, last = snippet.strip().splitlines()
    code = f"{snippet}shown = {last}\n"
    code += "assert outcome.verdict.is_met and 'name' not in outcome.passed and len(shown) == 20\n"
    code += "assert set(shown['age']) <= set(masker.solution_.cut('age').labels)\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_readmes_tables_are_what_the_demo_releases(tmp_path: Path) -> None:
    from maskwise.cli.app import main

    assert main(["demo", "-o", str(tmp_path), "-q"]) == 0
    # The release is in random order: the same records, masked in the same way, are the table's.
    first = load_adult().drop_null().slice(0, 5)
    shown = maskwise.apply(first, tmp_path / "solution.json", keep_order=True).data.to_pandas().astype(str)
    released = pd.read_csv(tmp_path / "adult-masked.csv", dtype=str)
    assert set(map(tuple, shown.to_numpy())) <= set(map(tuple, released[list(shown.columns)].to_numpy()))
    tables = re.findall(r"(?:^\|.*\n)+", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in tables[1].splitlines()]
    assert [list(row) for row in shown[rows[0]].to_numpy()] == rows[2:]
    sentence = " ".join((ROOT / "README.md").read_text().partition("Every combination on")[2].split())
    told = re.findall(r"\{([^}]*)\}[^{]*?by at least (\d+)", sentence)[:2]
    assert len(told) == 2
    for names, smallest in told:
        assert released.groupby(names.split(", ")).size().min() == int(smallest)


@pytest.mark.slow
def test_the_example_of_rules_prints_what_stands_below_it() -> None:
    document = ROOT / "docs" / "rules.md"
    (snippet,), (text,) = blocks(document, "python"), blocks(document, "text")
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, check=True)
    assert done.stdout == text


def test_the_table_of_rules_is_what_the_rules_say() -> None:
    text = "".join((ROOT / "docs" / name).read_text() for name in ("rules.md", "codes.md"))
    rows = re.findall(r"^\| `(\w+): (\[[^]]*\])` \| `([^`]*)` \| ([^|]*) \|", text, re.MULTILINE)
    assert {row[0] for row in rows} == RULE_KEYS
    for key, levels, value, labels in rows:
        if key == "un" and find_spec("countryinfo") is None:
            continue
        rule = read_rule(key, parse(levels, "x").data)
        assert rule.path(value) == tuple(re.findall("`([^`]*)`", labels))


@pytest.mark.slow
def test_the_table_of_errors_is_what_its_example_prints() -> None:
    document = ROOT / "docs" / "evaluate.md"
    (snippet,) = blocks(document, "python")
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, check=True)
    printed = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines()]
    table = re.findall(r"(?:^\|.*\n)+", document.read_text(), flags=re.MULTILINE)[-1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert rows[2:] == printed


@pytest.mark.parametrize(
    "name", ["README.md", "docs/reference.md", "docs/promises.md", "docs/rules.md", "docs/private.md"]
)
def test_policies_in_the_documents_are_policies(name: str, tmp_path: Path) -> None:
    (tmp_path / "education.yaml").write_text("Any: [a, b]\n")
    (tmp_path / "icd.yaml").write_text("ICD: {B: [B20.0, B22.2], Z: [Z21]}\n")
    found = blocks(ROOT / name, "yaml")
    assert found
    for text in found:
        policy = from_data(parse(text, name), tmp_path)
        assert policy.requirements or policy.private


@pytest.mark.slow
def test_the_session_of_its_page_runs(tmp_path: Path) -> None:
    (snippet,) = blocks(ROOT / "docs" / "session.md", "python")
    done = subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "released" / "report.md").exists()
