"""`maskwise suggest`: what it writes, prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import maskwise
from maskwise.cli.app import main
from tests.suggestion.made_tables import all_tables


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (table,) = [table for table in all_tables(150) if table.name == "hospital-en"]
    (tmp_path / "people.csv").write_text(table.csv())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")
    return tmp_path


def test_a_draft_is_written_and_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suggest", "people.csv", "-o", "policy.yaml", "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "separation" in shown
    assert "single" in shown
    assert "identifier: patient_id, first_name, surname" in shown
    policy = maskwise.read_policy(folder / "policy.yaml")
    assert "surname" in policy.drop
    text = (folder / "policy.yaml").read_text()
    assert "# " in text
    assert "keep this file private" in " ".join(text.replace("#", "").split())


def test_without_a_file_the_draft_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suggest", "people.csv", "--class", "sex"]) == 0
    assert "class: sex" in capsys.readouterr().out
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_an_explained_draft_that_is_printed_is_a_policy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suggest", "people.csv", "--explain"]) == 0
    shown = capsys.readouterr()
    (folder / "printed.yaml").write_text(shown.out)
    assert maskwise.read_policy(folder / "printed.yaml")
    assert "separation" in shown.err


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    assert main(["suggest", "people.csv", "--json", "--risk", "0.2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["k"] == 5
    assert maskwise.read_policy(data["policy"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["people.csv", "-o", "people.csv"], "overwrites nothing"),
        (["people.csv", "-o", "nowhere/policy.yaml"], "no folder `nowhere`"),
        (["absent.csv", "-o", "p.yaml"], "absent.csv"),
        (["people.csv", "-o", "p.yaml", "--class", "sx"], "Column `sx` is given as the class but not in the table"),
        (["people.csv", "-o", "p.yaml", "--risk", "2"], "between 0 and 1"),
        (["people.csv", "-o", "p.yaml", "--risk", "0.001"], "groups of 1000"),
        (["bytes.csv", "-o", "p.yaml"], "bytes.csv"),
        (["twice.csv", "-o", "p.yaml"], "same name"),
        (["headless.csv", "-o", "p.yaml"], "no header"),
        (["texts.csv", "-o", "p.yaml"], "4 of its 5 column names are numbers or dates, or values of their own columns"),
        (["people.csv", "-o", "p.yaml", "--class", "surname"], "`surname` is given as the class, which is released"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    given: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bytes.csv").write_bytes(b"a,b\n\xff\xfe\x00,1\n" * 3)
    (folder / "twice.csv").write_text("a,a\n" + "1,2\n" * 50)
    (folder / "headless.csv").write_text("17,2024-01-01,x\n" + "18,2024-01-02,y\n" * 50)
    (folder / "texts.csv").write_text("Ann Smith,F,flu,17,no\n" + "Bo Jones,M,cold,18,yes\nCy Gray,F,flu,19,no\n" * 30)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(["suggest", *given]) == 2
    captured = capsys.readouterr()
    assert said in " ".join(captured.err.split())
    assert "Ann" not in captured.err
    assert captured.out == ""
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_no_cell_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["name,diagnosis,age"] + [f"Zyxw{i},Zyxw{i % 4},{20 + i % 40}" for i in range(100)]
    (folder / "secret.csv").write_text("\n".join(lines) + "\n")
    assert main(["suggest", "secret.csv", "--explain"]) == 0
    assert main(["suggest", "secret.csv", "--class", "Zyx"]) == 2
    assert main(["suggest", "secret.csv", "--json"]) == 0
    captured = capsys.readouterr()
    assert "Zyxw" not in captured.out + captured.err


TWICE = "age,sex,age\n" + "".join(f"{20 + i % 40},{'FM'[i % 2]},{i % 7}\n" for i in range(200))


def test_columns_of_one_name_are_numbered_on_request_and_the_draft_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "twice.csv").write_text(TWICE)
    assert main(["suggest", "twice.csv", "-o", "p.yaml"]) == 2
    assert "`maskwise suggest --rename suffix`" in capsys.readouterr().err
    assert main(["suggest", "twice.csv", "-o", "p.yaml", "--rename", "suffix"]) == 0
    assert "rename: suffix" in (folder / "p.yaml").read_text()
    assert main(["mask", "twice.csv", "-p", "p.yaml", "-o", "out.csv"]) == 0
    assert (folder / "out.csv").read_text().startswith("age,sex,age.1\n")
    assert main(["suggest", "twice.csv", "--rename", "prefix"]) == 2
    assert "`rename` is `suffix`" in capsys.readouterr().err


def test_a_private_draft_of_numbered_columns_says_so(folder: Path) -> None:
    (folder / "twice.csv").write_text(TWICE)
    assert main(["suggest", "twice.csv", "--epsilon", "1", "--class", "sex", "-o", "p.yaml", "--rename", "suffix"]) == 0
    assert "rename: suffix" in (folder / "p.yaml").read_text()


def test_a_session_suggests_for_numbered_columns(folder: Path) -> None:
    (folder / "twice.csv").write_text(TWICE)
    with maskwise.Session("twice.csv", rename="suffix") as session:
        assert session.suggest().data["rename"] == "suffix"
        assert session.names == ("age", "sex", "age.1")
        assert session.search({"requirements": [{"qid": ["age.1", "sex"], "k": 2}]}).verdict.is_met
