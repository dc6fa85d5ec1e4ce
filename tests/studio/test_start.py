"""What a studio is started with: nothing heavy in its server, a clear word where the extra is missing."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from maskwise.errors import InputError
from maskwise.studio import serving
from maskwise.studio.process_loop import to_json
from maskwise.studio.refusal import RequestError
from maskwise.studio.serving import StudioOptions, serve
from maskwise.studio.sources import describe_file, describe_table, describe_upload, read_choice
from tests.conftest import Run

HEAVY = ("numba", "numpy", "ibis", "duckdb", "pyarrow", "sklearn", "pandas", "maskwise.session", "maskwise.pipeline")


@pytest.mark.slow
def test_the_server_imports_nothing_heavy() -> None:
    code = (
        "import sys, uvicorn, maskwise.cli.studio, maskwise.studio.serving, maskwise.studio.routes;"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r'pip install "maskwise\[studio\]"'):
        serve(StudioOptions(), print)


def test_a_file_that_is_not_there_is_said_on_the_terminal(run: Run, tmp_path: Path) -> None:
    done = run("studio", str(tmp_path / "none.csv"))
    assert done.code == 2
    assert "There is no file" in done.err
    done = run("studio", "--max-upload", "much")
    assert done.code == 2
    assert "500MB" in done.err


def test_a_password_is_opened_with_and_told_nowhere() -> None:
    choice = describe_table("postgres://ann:secret@host/db", "people")
    assert choice.arguments["engine"] == "postgres://ann:secret@host/db"
    assert "secret" not in f"{choice.key} {choice.words}"
    assert describe_file("postgres://ann:secret@host/db#people") == choice


def test_what_names_two_tables_names_none() -> None:
    for given in ((None, None, None, None), ("a.csv", "adult", None, None), (None, None, "duckdb", None)):
        with pytest.raises(Exception, match="A table is named"):
            read_choice(*given)


def test_numbers_that_json_has_not_are_null() -> None:
    assert to_json({"a": (1, float("nan")), "b": [{"c": float("-inf")}]}) == b'{"a": [1, null], "b": [{"c": null}]}'
    assert to_json("\ud800") == b'"\\ud800"'


@pytest.mark.parametrize(
    "address",
    [
        "postgres://ann:secret@host/db",
        "postgres://ann:se@cret@host/db",
        "postgres://ann:/secret/@host/db",
        "postgres://host/db?user=ann&password=secret&sslmode=require",
        "postgres://host/db?sslpassword=secret",
        "host=db password=secret",
        "host=db PASSWORD = 'very secret'",
    ],
)
def test_no_form_of_an_address_shows_its_password(address: str) -> None:
    choice = describe_table(address, "people")
    assert choice.arguments["engine"] == address
    told = f"{choice.key} {choice.words} {InputError(f'There is no engine `{address}`.')}"
    assert "secret" not in told
    assert "cret" not in told
    assert "***" in told


def test_addresses_without_a_password_stay_as_they_are() -> None:
    for address in ("postgres://ann@host:5432/db", "duckdb:///C:/Users/ann@work/people.db", "spark://host:7077"):
        assert describe_table(address, "people").words == {"data": "people", "engine": address, "note": None}


@pytest.mark.parametrize("path", ["~nobody-has-this-name/people.csv", "people\0.csv"])
def test_what_no_file_can_be_called_is_said(path: str, run: Run) -> None:
    with pytest.raises(RequestError, match="is no path on this machine"):
        describe_file(path)
    if "\0" not in path:
        done = run("studio", path)
        assert (done.code, done.err.count("Traceback")) == (2, 0)


def test_a_release_is_proposed_to_go_beside_its_table() -> None:
    assert describe_file("/data/people 2024.csv").export_folder == "/data/people-2024-release"
    assert describe_file("/data/*.csv").export_folder == "/data/table-release"
    assert describe_file("/data/people/").export_folder == "/data/people-release"
    assert Path(describe_table("duckdb", "main.people").export_folder) == Path.home() / "main-release"
    upload = describe_upload(Path("/tmp/x/people.csv"), "../../etc/people.csv")  # noqa: S108 - it is not made
    assert Path(upload.export_folder).parent == Path.home()


def test_a_server_frees_what_requests_leave_behind(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    is_freed: list[bool] = []
    monkeypatch.setattr(serving, "serve", lambda *_: is_freed.append(gc.isenabled()))
    gc.disable()
    try:
        assert run("studio", "--no-browser").code == 0
    finally:
        gc.enable()
    assert is_freed == [True]


def test_small_answers_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    has_delay: list[int] = []

    async def answer(_studio: object, _access: object, listener: socket.socket, *_: object) -> None:
        listener.listen(1)
        server = await asyncio.start_server(lambda _, to: has_delay.append(_delay_of(to)) or to.close(), sock=listener)
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        await reader.read()
        writer.close()
        server.close()

    monkeypatch.setattr(serving, "_run_server", answer)
    before = signal.getsignal(signal.SIGINT)
    serve(StudioOptions(), lambda _: None)
    assert has_delay == [0]
    assert signal.getsignal(signal.SIGINT) is before


def _delay_of(writer: asyncio.StreamWriter) -> int:
    """Whether small packets of a connection are held back."""
    connection = writer.get_extra_info("socket")
    return int(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0)
