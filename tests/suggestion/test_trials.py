"""What a draft says of the release that it would make, and which of several drafts is taken."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import maskwise
from maskwise.cli.app import main
from maskwise.suggestion import trials
from maskwise.suggestion.roles import Role

pytestmark = [pytest.mark.tries, pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")]


def answers(n: int = 400, n_questions: int = 12, seed: int = 3) -> pa.Table:
    """Answers to questions that hang together, and an outcome that follows from them."""
    rng = random.Random(seed)  # noqa: S311 - no secrets
    rows = []
    for _ in range(n):
        mood = rng.random()
        row: dict[str, Any] = {f"q{i}": min(int(5 * mood + 2 * rng.random()), 6) for i in range(n_questions)}
        rows.append({**row, "outcome": "yes" if mood + rng.gauss(0, 0.2) > 0.5 else "no"})
    return pa.Table.from_pylist(rows)


def words(path: Path) -> str:
    return " ".join(path.read_text().replace("#", "").split())


@pytest.fixture
def draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The draft of a wide table; what the command prints is checked here too."""
    monkeypatch.chdir(tmp_path)
    pacsv.write_csv(answers(), "answers.csv")
    assert main(["suggest", "answers.csv", "-o", "policy.yaml"]) == 0
    printed = capsys.readouterr().out
    assert "Tried on 400 records" in printed
    method = " --method regions" if "masked with `--method regions`" in printed else ""
    assert f"maskwise mask DATA -p policy.yaml -o OUT{method}\n" in printed
    return method


def test_what_a_draft_says_that_it_hides_is_hidden_and_its_attacks_pass(draft: str) -> None:
    method = draft.split()
    asked = ["-p", "policy.yaml", *method, "-o", "out.csv", "--solution", "solution.json", "--quiet"]
    assert main(["mask", "answers.csv", *asked]) == 0
    released = pd.read_csv("out.csv", dtype=str)
    masked = [name for name in released.columns if name != "outcome"]
    hidden = [name for name in masked if len(set(released[name])) == 1]
    said = words(Path("policy.yaml"))
    if hidden:
        assert f"{len(masked) - len(hidden)} of {len(masked)} masked columns show something" in said
        assert f"Hidden wholly ({len(hidden)}): {', '.join(hidden)}." in said
    else:
        assert f"all {len(masked)} show something" in said
    attacked = ["-p", "policy.yaml", "--solution", "solution.json", "--original", "answers.csv"]
    assert main(["attack", "out.csv", *attacked]) == 0


def test_a_change_that_is_said_to_free_columns_does() -> None:
    found = maskwise.suggest(answers(200), class_name="outcome")
    assert found.trial is not None
    changes = found.trial.changes
    assert list(changes) == sorted(changes, key=lambda change: change.n_hidden)
    assert all(change.n_hidden < len(found.trial.hidden) for change in changes)
    easier = [change for change in changes if "k = 5" in change.text]
    for change in easier:
        requirements = [{**one, "k": 5} for one in found.data["requirements"]]
        outcome = maskwise.anonymize(
            answers(200), {**found.data, "requirements": requirements}, method=found.trial.method
        )
        single = [cut.attribute for cut in outcome.solution.cuts if len(cut.labels) == 1]
        assert len(single) == change.n_hidden


def test_a_draft_that_shows_little_gives_way_to_one_that_shows_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strictest draft in which half of the columns show something; with no trial the strictest of all."""
    tried: list[tuple[str, int, bool]] = []
    trying = trials._Trials._try_both  # noqa: SLF001 - which drafts are tried is not told otherwise

    def look(self: Any, one: maskwise.Suggestion) -> Any:
        found = trying(self, one)
        tried.append((one.knowledge_said, len(found.hidden), bool(found.failed)))
        return found

    monkeypatch.setattr(trials._Trials, "_try_both", look)  # noqa: SLF001 - as above
    found = maskwise.suggest(answers(150), class_name="outcome")
    assert found.trial is not None
    assert tried
    useful = [said for said, n_hidden, is_failed in tried if n_hidden <= 6 and not is_failed]
    if useful:
        assert found.knowledge_said == useful[0]
        assert len(tried) == [said for said, *_ in tried].index(useful[0]) + 1


def test_a_table_with_no_time_left_is_drafted_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "_SECONDS", 0.0)
    found = maskwise.suggest(answers(200), class_name="outcome")
    assert found.trial is not None
    assert found.trial.other is None
    assert found.trial.changes == ()
    assert "Tried on 200 records" in found.to_yaml()


def test_a_large_table_is_tried_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "_MOST_RECORDS", 300)
    found = maskwise.suggest(answers(900), class_name="outcome")
    assert found.trial is not None
    assert not found.trial.is_whole
    assert 150 < found.trial.n_records < 500
    assert "a random part of the table" in " ".join(found.to_yaml().replace("#", "").split())


def test_a_class_that_tells_columns_is_accepted_beside_its_line() -> None:
    n = 300
    rng = random.Random(2)  # noqa: S311 - no secrets
    sexes = [rng.choice("FM") for _ in range(n)]
    cells = {
        "sex": sexes,
        "age": [rng.randrange(20, 80) for _ in range(n)],
        "job": [rng.choice(["a", "b", "c"]) for _ in range(n)],
        "role": [{"F": "wife", "M": "husband"}[sex] for sex in sexes],
    }
    table = pa.table(cells)
    found = maskwise.suggest(table, class_name="role")
    assert found.trial is not None
    assert not found.trial.failed
    text = " ".join(found.to_yaml().replace("#", "").split())
    if "role" in found.trial.told:
        assert "it tells `sex` in" in text
        assert "accepted, because what tells the class is what recipients are to learn" in text


def test_of_too_many_columns_those_that_tell_the_class_stay() -> None:
    rng = random.Random(6)  # noqa: S311 - no secrets
    n = 500
    classes = [rng.randrange(2) for _ in range(n)]
    cells: dict[str, list[Any]] = {f"v{i}": [rng.randrange(6) for _ in range(n)] for i in range(40)}
    telling = ["v31", "v35", "v39"]
    for name in telling:
        cells[name] = [2 * one + rng.randrange(3) for one in classes]
    cells["age"] = [rng.randrange(20, 80) for _ in range(n)]
    cells["outcome"] = ["yes" if one else "no" for one in classes]
    found = maskwise.suggest(pa.table(cells), class_name="outcome")
    kept = found.named(Role.QUASI_IDENTIFIER)
    assert len(kept) == 30
    assert {*telling, "age"} <= set(kept)
    text = " ".join(found.to_yaml().replace("#", "").split())
    assert "11 columns too many are left out. By itself each of them tells at most 0.0" in text
    reason = next(column.reason for column in found.columns if column.role is Role.BEYOND)
    assert "by itself it tells 0.0" in reason
