"""A name that is longer than a file can have is not there; that is said, wherever a name is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from maskwise.studio.sources import describe_file
from tests.conftest import Run

LONG = "1" * 400


@pytest.mark.parametrize(
    "arguments",
    [
        ("mask", f"{LONG}.csv", "-o", "out.csv"),
        ("mask", LONG, "-o", "out.csv"),
        ("audit", f"{LONG}/*.csv"),
        ("suggest", LONG),
        ("risk", LONG),
        ("mask", f"duckdb:///{LONG}#people", "-o", "out.csv"),
        ("mask", "people", "-o", "out.csv", "--engine", f"duckdb:///{LONG}"),
        ("mask", "people.csv", "-o", "out.csv", "--certificate", "c.json", "--sign", LONG),
        ("mask", "people.csv", "-o", "out.csv", "--tree"),
    ],
)
def test_a_name_that_is_too_long_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("Age,Job\n1,x\n1,x\n")
    tree = f"attributes: {{Job: {{taxonomy: {LONG}}}}}\n" if "--tree" in arguments else ""
    Path("policy.yaml").write_text(f"{tree}requirements: [{{qid: [Age, Job], k: 2}}]\n")
    policy = [] if arguments[0] == "suggest" else ["-p", "policy.yaml"]
    result = run(*(one for one in arguments if one != "--tree"), *policy)
    assert result.code == 2
    assert result.err.startswith("error: ")
    assert "maskwise failed" not in result.err


def test_the_studio_describes_a_file_of_such_a_name() -> None:
    assert describe_file(LONG).kind == "file"
