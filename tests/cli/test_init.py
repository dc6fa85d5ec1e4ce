"""`maskwise init`: draft, edit, check, mask; what it asks, and what it never does."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import maskwise
from tests.conftest import Run, csv_text, folder, frame, people

EDITOR = """\
import sys
from pathlib import Path
log = Path(__file__).with_name("edits")
n = len(log.read_text()) if log.exists() else 0
log.write_text("x" * (n + 1))
path = Path(sys.argv[-1])
text = path.read_text()
changes = {changes!r}
old, new = changes[n]
assert old in text, (old, text)
path.write_text(text.replace(old, new))
sys.exit({code})
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of four columns."""
    rows = [(row[1], row[2], row[5], row[7]) for row in people()]
    (tmp_path / "people.csv").write_text(csv_text(("surname", "age", "sex", "outcome"), rows))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    return tmp_path


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Somebody at a terminal, with what they type."""
    typed = io.StringIO()
    monkeypatch.setattr("maskwise.cli.questions.is_interactive", lambda: True)
    monkeypatch.setattr(sys, "stdin", typed)
    return typed


def types(answers: io.StringIO, *lines: str) -> None:
    answers.write("".join(f"{line}\n" for line in lines))
    answers.seek(0)


def use_editor(place: Path, monkeypatch: pytest.MonkeyPatch, *changes: tuple[str, str], code: int = 0) -> None:
    """Let the editor replace a text, another one each time it is opened."""
    script = place / "tools" / "an editor.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(EDITOR.format(changes=changes, code=code))
    monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}' --wait")


def test_a_script_gets_a_draft_and_no_release(place: Path, run: Run) -> None:
    result = run("init", "people.csv")
    assert result.code == 0
    assert "The draft is not edited" in result.err
    assert "maskwise mask DATA -p policy.yaml -o people-masked.csv" in result.out
    assert set(folder(place)) == {"people.csv", "policy.yaml"}
    assert "surname" in maskwise.read_policy(place / "policy.yaml").drop


@pytest.mark.slow
def test_yes_masks_what_the_draft_asks(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "false")
    result = run("init", "people.csv", "--yes", "-o", "p.yaml", "--release", "out.parquet", "--risk", "0.2")
    assert result.code == 0, result.err
    assert "release: out.parquet" in result.out
    assert "edited" not in result.err
    masked = maskwise.audit(place / "out.parquet", place / "p.yaml")
    assert masked.is_met
    assert {requirement.requirement.k for requirement in masked.findings} == {5}


def test_quiet_says_nothing(place: Path, run: Run) -> None:
    result = run("init", "people.csv", "--yes", "--quiet")
    assert (result.code, result.out) == (0, "")
    assert "surname" not in frame(place / "people-masked.csv")


@pytest.mark.slow
def test_what_was_edited_is_masked(
    place: Path, run: Run, answers: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_editor(place, monkeypatch, ("k: 12", "k: 30"))
    types(answers, "", "maybe", "y")
    result = run("init", "people.csv")
    assert result.code == 0, result.err
    assert "Edit policy.yaml now? [Y/n]" in result.err
    assert "Please answer y or n." in result.err
    masked = frame(place / "people-masked.csv")
    assert masked.groupby(["age", "sex"]).size().min() >= 30


def test_the_default_is_not_to_mask(place: Path, run: Run, answers: io.StringIO) -> None:
    types(answers)
    result = run("init", "people.csv")
    assert result.code == 0
    assert "neither $VISUAL nor $EDITOR" in result.err
    assert "Mask the table to people-masked.csv now? [y/N]" in result.err
    assert not (place / "people-masked.csv").exists()


@pytest.mark.slow
def test_mistakes_are_shown_with_their_line_and_edited_again(
    place: Path, run: Run, answers: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_editor(place, monkeypatch, ("sex]", "sx]"), ("sx]", "sex]"))
    types(answers, "y", "y", "y")
    result = run("init", "people.csv")
    assert result.code == 0, result.err
    lines = (place / "policy.yaml").read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, start=1) if "sex]" in line]
    assert f"error: policy.yaml, line {number}: " in result.err
    assert "`sx`" in result.err
    assert (place / "tools" / "edits").read_text() == "xx"
    assert (place / "people-masked.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("requirements:", "requirments:"), 2),
        (("requirements:", "requirements: ["), 2),
        # No masking meets it: `mask` would say so with 3.
        (("12", "900"), 3),
    ],
)
def test_a_draft_left_with_mistakes_is_kept_and_nothing_released(
    place: Path, run: Run, answers: io.StringIO, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], code: int
) -> None:
    use_editor(place, monkeypatch, change)
    types(answers, "y", "n")
    result = run("init", "people.csv")
    assert result.code == code
    assert "`policy.yaml` does not fit the table yet; nothing is released." in result.err
    assert change[1] in (place / "policy.yaml").read_text()
    assert not (place / "people-masked.csv").exists()


@pytest.mark.parametrize("command", ["no-such-editor --wait", "false", "'unfinished"])
def test_an_editor_that_fails_is_told(
    place: Path, run: Run, answers: io.StringIO, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("VISUAL", command)
    types(answers, "y", "n")
    result = run("init", "people.csv")
    assert result.code == 0
    assert f"The editor `{command}`" in result.err
    assert (place / "policy.yaml").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["people.csv", "-o", "people.csv"], "overwrites nothing"),
        (["people.csv", "--release", "people.csv"], "is the input"),
        (["people.csv", "--release", "old.csv"], "init overwrites nothing"),
        (["people.csv", "--release", "link.csv"], "init overwrites nothing"),
        (["people.csv", "--release", "there/"], "already a `there`"),
        (["people.csv", "--release", "x.docx"], "docx"),
        (["people.csv", "-o", "same.csv", "--release", "same.csv"], "named twice"),
        (["people.csv", "-o", "nowhere/policy.yaml"], "no folder `nowhere`"),
        (["people.csv", "--release", "nowhere/out.csv"], "no folder `nowhere`"),
        (["absent.csv"], "absent.csv"),
        (["people.csv", "--class", "outcom"], "Column `outcom`"),
        (["people.csv", "--risk", "none"], "none"),
        (["people.csv", "--engine", "duckdb:///x.db", "--release", "masked"], "is a table, which init could replace"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(place: Path, run: Run, given: list[str], said: str) -> None:
    (place / "old.csv").write_text("old\n")
    (place / "link.csv").symlink_to("nothing")
    (place / "there").mkdir()
    before = sorted(path.name for path in place.iterdir())
    result = run("init", *given, "--yes")
    assert result.code == 2
    assert said in result.err
    assert result.out == ""
    assert sorted(path.name for path in place.iterdir()) == before
    assert (place / "old.csv").read_text() == "old\n"


def test_a_release_that_appears_meanwhile_is_not_overwritten(
    place: Path, run: Run, answers: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edit(path: Path, command: str) -> None:
        assert (path.name, command) == ("policy.yaml", "vi")
        (place / "people-masked.csv").write_text("mine\n")

    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.setattr("maskwise.cli.questions.edit", edit)
    types(answers, "y", "y")
    assert run("init", "people.csv").code == 2
    assert (place / "people-masked.csv").read_text() == "mine\n"


@pytest.mark.slow
def test_a_release_gets_the_name_of_its_table(place: Path, run: Run) -> None:
    (place / "folder").mkdir()
    (place / "people.csv").rename(place / "folder" / "people.csv")
    assert "-o people-masked.csv" in run("init", "folder/people.csv").out
    assert "-o table-masked.csv" in run("init", "folder/*.csv", "-o", "p.yaml").out


@pytest.mark.slow
def test_ctrl_c_leaves_the_draft_and_says_so(place: Path) -> None:
    us, them = pty.openpty()
    environment = {**os.environ, "EDITOR": "vi", "HOME": str(place)}
    process = subprocess.Popen(
        [sys.executable, "-m", "maskwise", "init", "people.csv"],
        stdin=them,
        stdout=them,
        stderr=them,
        env=environment,
        start_new_session=True,
    )
    os.close(them)
    shown = b""
    while b"[Y/n]" not in shown:
        shown += os.read(us, 4096)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    try:
        while part := os.read(us, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(us)
    assert process.wait(60) == 130
    text = " ".join(shown.decode().split())
    assert "Interrupted; the draft stays in `policy.yaml`, and nothing is released." in text
    assert set(folder(place)) == {"people.csv", "policy.yaml"}


def test_columns_of_one_name_are_numbered_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.csv").write_text("age,age\n" + "".join(f"{20 + i % 40},{i % 7}\n" for i in range(200)))
    assert run("init", "twice.csv", "--yes").code == 2
    assert run("init", "twice.csv", "--yes", "--rename", "suffix").code == 0
    assert (tmp_path / "twice-masked.csv").read_text().startswith("age,age.1\n")
