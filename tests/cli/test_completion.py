"""`maskwise completion`: scripts for shells, written only where that is asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run

BASH = shutil.which("bash")
SHELLS = ("bash", "zsh", "fish", "powershell")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ZSH", raising=False)
    monkeypatch.delenv("ZSH_CUSTOM", raising=False)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed_and_nothing_is_written(shell: str, home: Path, run: Run) -> None:
    result = run("completion", shell)
    assert (result.code, result.err) == (0, "")
    for word in ("maskwise", "suggest", "strict-leaks", "conditional", "taxonomy"):
        assert word in result.out, word
    assert not list(home.iterdir())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_reads(shell: str, home: Path, run: Run) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    script = home / "script"
    script.write_text(run("completion", shell).out)
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "offered"), [("maskwise sugg", "suggest"), ("maskwise mask --esc", "--escape-formulas")]
)
def test_bash_completes_commands_and_options(words: str, offered: str, home: Path, run: Run) -> None:
    script = home / "script"
    script.write_text(run("completion", "bash").out)
    typed = words.split()
    code = f"""
        . {script}
        name=$(complete -p maskwise | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        COMP_WORDS=({words}) COMP_CWORD={len(typed) - 1} COMP_LINE='{words}' COMP_POINT={len(words)}
        $name maskwise {typed[-1]} {typed[-2]}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run([BASH or "", "-c", code], capture_output=True, text=True, check=True)
    assert [line.strip() for line in done.stdout.splitlines()] == [offered]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_install_writes_the_script_and_no_start_up_file(shell: str, home: Path, run: Run) -> None:
    (home / ".bashrc").write_text("# mine\n")
    (home / ".zshrc").write_text("# mine\n")
    result = run("completion", shell, "--install")
    assert result.code == 0
    (script,) = [path for path in home.rglob("*") if path.is_file() and path.name not in {".bashrc", ".zshrc"}]
    assert script.read_text() == run("completion", shell).out
    assert f"script: {script}" in result.out
    assert (home / ".bashrc").read_text() == (home / ".zshrc").read_text() == "# mine\n"


def test_a_shell_that_is_not_known_is_refused(home: Path, run: Run) -> None:
    result = run("completion", "tcsh")
    assert result.code == 2
    assert "tcsh" in result.err
    assert not list(home.iterdir())


def test_a_shell_that_cannot_be_told_is_asked_for(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cyclopts.completion import detect

    def fails() -> str:
        raise detect.ShellDetectionError

    monkeypatch.setattr(detect, "detect_shell", fails)
    result = run("completion", "--install")
    assert result.code == 2
    assert "Name it: maskwise completion bash" in result.err
    assert not list(home.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said(home: Path, run: Run) -> None:
    home.chmod(0o500)
    result = run("completion", "fish", "--install")
    home.chmod(0o700)
    assert result.code == 2
    assert "cannot be written" in result.err
