"""A studio as it runs: start and end, what it leaves behind, searches that are stopped, cancelled or killed."""

from __future__ import annotations

import json
import os
import shlex
import signal
import stat
import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.csv
import pytest

import maskwise
from maskwise.cli.app import main
from maskwise.studio.serving import write_redirect
from tests.studio.conftest import POLICY, SECRET, write_people
from tests.studio.running import RunningStudio, running, start, wait_until

pytestmark = pytest.mark.slow
LONG = {"criterion": "infogain"}
"""A search that rests after every step."""


def left_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def begin(server: RunningStudio, **options: Any) -> str:
    """Start a search and wait for its first step."""
    run: str = server.ask("search", policy=POLICY, options=options)["run"]
    for event in server.events(run):
        assert event["kind"] not in {"failed", "done"}, event
        if event["kind"] == "step":
            break
    return run


def test_from_the_table_to_rows_before_and_after(server: RunningStudio, people: Path) -> None:
    state = server.ask("state")
    wanted = {"name": "people.csv", "kind": "file", "n_records": 240, "n_columns": 5}
    wanted |= {"id": state["source"]["id"], "export_folder": str(people.with_name("people-release")), "notes": []}
    assert state["source"] == wanted
    assert not state["is_other_tab_searching"]
    answer = server.ask("columns", roles={"Risk": "sensitive"})
    columns = {column["name"]: column for column in answer["columns"]}
    assert columns["Name"]["suggestion"]["role"] == "identifier"
    assert columns["Name"]["frequent"] is None
    assert columns["Risk"]["hidden"]
    table = pyarrow.csv.read_csv(people).to_pylist()
    assert dict(columns["Job"]["frequent"]) == {
        job: sum(row["Job"] == job for row in table) for job in ("clerk", "nurse", "boss", "cook")
    }
    assert [remark["level"] for remark in server.ask("check", policy=POLICY)["remarks"]] == ["note"]
    run = server.search(POLICY, seed=1)
    result = server.ask("result", run=run, step=None)
    assert [item["is_met"] for item in result["requirements"]] == [True]
    assert result["n_steps"] == len(result["curve"]) - 1
    first = server.ask("result", run=run, step=0)
    assert first["attributes"][0]["labels"] == ["[0, 100]"]
    assert server.ask("why", run=run, step=None)["reasons"]
    rows = server.ask("rows", run=run, step=0, start=7, n=2)
    assert rows["n_all"] == 240
    assert SECRET not in json.dumps(rows)
    assert rows["rows"][0]["before"][1:] == [str(cell) for cell in list(table[7].values())[1:]]
    found = [dict(zip(rows["released"], row["after"], strict=True)) for row in rows["rows"]]
    assert {row["Age"] for row in found} == {"[0, 100]"}


def test_events_tell_of_every_step(server: RunningStudio) -> None:
    run = server.ask("search", policy=POLICY, options={})["run"]
    events = list(server.events(run))
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert events[0]["kind"] == "stage"
    steps = [event for event in events if event["kind"] == "step"]
    assert events[-1] == {"n": len(events), "kind": "done", "n_steps": len(steps)}
    curve = server.ask("result", run=run, step=None)["curve"]
    assert [event["point"] for event in steps] == curve[1:]
    assert server.ask("events", run=run, after=len(events)) == {"events": [], "is_running": False}


def test_a_mistake_is_said_with_its_place(server: RunningStudio) -> None:
    wrong = POLICY | {"requirements": [{"qid": ["Age", "Jobb"], "k": 4}]}
    remarks = server.ask("check", policy=wrong)["remarks"]
    assert [remark["level"] for remark in remarks] == ["mistake"]
    assert "Did you mean `Job`?" in remarks[0]["text"] + remarks[0]["remedy"]
    impossible = POLICY | {"requirements": [{"qid": ["Age"], "k": 241}]}
    run = server.ask("search", policy=impossible, options={})["run"]
    *_, last = server.events(run)
    assert last["kind"] == "failed"
    assert "241" in last["error"]["text"]
    assert server.call("result", run=run, step=None)[0] == 410


def test_the_values_of_an_identifier_are_not_listed(server: RunningStudio) -> None:
    server.ask("columns")
    status, answer = server.call("values", column="Name", start=0, n=10, filter="")
    assert status == 400
    assert "name people" in answer["error"]["text"]
    answer = server.ask("values", column="Job", start=1, n=2, filter="K")
    assert answer["n_all"] == 2
    assert [text for text, _ in answer["values"]] == ["cook"]


def test_a_tree_says_what_it_covers(server: RunningStudio) -> None:
    entry = {"taxonomy": {"Any": {"Office": {"clerk": {}, "boss": {}, "king": {}}, "nurse": {}}}}
    found = server.ask("tree", column="Job", entry=entry)
    n = dict(server.ask("values", column="Job", start=0, n=9, filter="")["values"])
    assert found["counts"]["Office"] == n["clerk"] + n["boss"]
    assert found["counts"]["Any"] == 240 - n["cook"]
    assert found["outside"] == [["cook", n["cook"]]]
    assert found["unused"] == ["king"]


def test_stopping_keeps_what_is_found_and_it_can_be_released(server: RunningStudio, tmp_path: Path) -> None:
    run = begin(server, **LONG)
    asked = time.monotonic()
    server.ask("stop", run=run)
    *_, last = server.events(run)
    assert time.monotonic() - asked < 30  # two seconds on a machine that does nothing else
    assert last["kind"] == "done"
    out = tmp_path / "out"
    answer = server.export(run, folder=str(out), keep_order=True)
    # One search always takes the same steps, so that fewer of them are the same ones.
    words = shlex.split(answer["command"])
    assert words[:2] == ["maskwise", "mask"]
    assert "--max-steps" in words
    released = (out / "release.csv").read_bytes()
    (out / "release.csv").unlink()
    assert main(words[1:]) == 0
    assert (out / "release.csv").read_bytes() == released
    assert maskwise.audit(tmp_path / "out" / "release.csv", tmp_path / "out" / "policy.yaml").is_met


def test_there_is_one_search_at_a_time(server: RunningStudio) -> None:
    run = begin(server, **LONG)
    try:
        for name, body in (("search", {"policy": POLICY}), ("columns", {}), ("open", {"example": "adult"})):
            status, answer = server.call(name, tab="two", **body)
            assert status == 409
            assert "running" in answer["error"]["text"]
        assert server.upload("people.csv", b"a\n1\n")[0] == 409
        assert server.call("state", tab="two")[1]["is_other_tab_searching"]
        mine = server.call("state", tab="one")[1]
        assert not mine["is_other_tab_searching"]
        assert mine["run"] == {"id": run, "kind": "search", "is_running": True}
    finally:
        server.ask("cancel", run=run)
    *_, last = server.events(run)
    assert last["kind"] == "cancelled"


def test_after_a_cancelled_search_the_table_is_opened_again(server: RunningStudio) -> None:
    earlier = server.search(POLICY)
    server.ask("columns", roles={"Name": "quasi-identifier"})
    run = begin(server, **LONG)
    (before,) = server.children()
    server.ask("cancel", run=run)
    status, answer = server.call("result", run=earlier, step=None)
    assert status == 410
    assert answer["error"]["remedy"] == "Search again."
    # The roles that were chosen still hold.
    assert server.ask("values", column="Name", start=0, n=1, filter="")["n_all"] == 240
    assert len(server.ask("columns")["columns"]) == 5
    (after,) = server.children()
    assert after != before
    # Of the killed process nothing stays.
    (studio,) = (server.folder / "tmp").iterdir()
    assert len([path for path in studio.iterdir() if path.name.startswith("scratch-")]) == 1


def test_a_process_that_is_killed_fails_its_search_and_the_next_one_works(server: RunningStudio) -> None:
    run = begin(server, **LONG)
    (child,) = server.children()
    os.kill(child, signal.SIGKILL)
    *_, last = server.events(run)
    assert last["kind"] == "failed"
    assert "ended" in last["error"]["text"]
    assert last["error"]["remedy"]
    server.search(POLICY)


def test_what_masking_costs_comes_as_an_event(server: RunningStudio) -> None:
    run = server.search(POLICY)
    cost = server.ask("cost", run=run, step=None)["run"]
    *_, last = server.events(cost)
    assert last["kind"] == "done"
    assert last["cost"]["class"] == "Risk"
    assert {record["measure"] for record in last["cost"]["errors"]} == {"BE", "AE", "UE"}
    # The search is still there.
    assert server.ask("result", run=run, step=0)["step"] == 0


def test_what_masking_costs_is_measured_in_a_database_too(server: RunningStudio, people: Path, tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    with duckdb.connect(str(path)) as database:
        database.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{people}', all_varchar = true)")  # noqa: S608
    server.ask("open", engine=f"duckdb:///{path}", table="people")
    run = server.search(POLICY)
    *_, last = server.events(server.ask("cost", run=run, step=None)["run"])
    assert last["kind"] == "done", last
    assert {record["measure"] for record in last["cost"]["errors"]} == {"BE", "AE", "UE"}


def test_drafts_are_kept_by_table_and_private(server: RunningStudio, people: Path) -> None:
    server.ask("draft", draft={"policy": POLICY, "step": "trees"})
    assert server.ask("state")["draft"] == {"policy": POLICY, "step": "trees"}
    (path,) = (server.folder / "state" / "maskwise").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert people.name not in path.name
    assert server.ask("open", path=str(people))["draft"]["step"] == "trees"


def test_hostile_names_and_cells_travel_as_json_alone(server: RunningStudio) -> None:
    cells = ["<script>alert(1)</script>", "\u202egnp.exe", "two\nlines", '"},{"', "=cmd()", "x" * 5000]
    name = '<img src=x onerror="alert(1)">'
    rows = ['"' + cell.replace('"', '""') + '"' for cell in [name, *cells * 4]]
    status, answer = server.upload("%3Cb%3E.csv", "\n".join(rows).encode())
    assert status == 200
    assert answer["source"]["name"] == "<b>.csv"
    headers = {"X-Maskwise-Token": server.token, "Content-Type": "application/json"}
    status, found, content = server.send("POST", "/api/columns", b"{}", headers)
    assert status == 200
    assert found["content-type"] == "application/json"
    assert found["x-content-type-options"] == "nosniff"
    (column,) = json.loads(content)["columns"]
    assert not any(name in value for value in found.values())
    assert column["n_distinct"] == len(cells)


@pytest.mark.parametrize(
    "path", ["~nobody-has-this-name/people.csv", "a\0b", "/dev/zero", "/proc/self/environ", "pipe.csv"]
)
def test_what_is_no_file_is_refused_at_once(server: RunningStudio, path: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    given = str(tmp_path / path) if path == "pipe.csv" else path
    begun = time.monotonic()
    status, answer = server.call("open", path=given)
    assert status == 400
    assert answer["error"]["text"].endswith(".")
    assert time.monotonic() - begun < 20
    assert server.ask("state")["source"]["name"] == "people.csv"


def test_a_tab_that_has_another_table_changes_nothing(server: RunningStudio, people: Path, tmp_path: Path) -> None:
    first = server.ask("state")["source"]["id"]
    assert server.ask("open", path=str(people))["source"]["id"] == first
    server.ask("open", path=str(write_people(tmp_path / "others.csv")))
    headers = {"X-Maskwise-Token": server.token, "Content-Type": "application/json", "X-Maskwise-Table": first}
    asked = {"draft": {"draft": {"mine": 1}}, "search": {"policy": POLICY}, "columns": {}}
    for name, body in asked.items():
        status, _, answer = server.send("POST", f"/api/{name}", json.dumps(body).encode(), headers)
        assert (status, "another tab" in json.loads(answer)["error"]["text"]) == (410, True)
    assert server.ask("state")["draft"] != {"mine": 1}
    assert server.send("POST", "/api/state", b"{}", headers)[0] == 200


def test_a_search_is_stopped_while_the_table_is_still_counted(server: RunningStudio) -> None:
    # Before the first step there is nothing to keep, and the page is told so.
    run = server.ask("search", policy=POLICY, options=LONG)["run"]
    server.ask("stop", run=run)
    *_, last = server.events(run)
    assert last["kind"] in {"failed", "done"}
    assert server.search(POLICY)


def test_ctrl_c_ends_it_and_nothing_stays(tmp_path: Path) -> None:
    people = write_people(tmp_path / "people.csv")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with running(tmp_path, "--max-upload", "1MB") as started:
        status, answer = started.upload("people.csv", b"x" * 3_000_000)
        assert status == 413
        assert "1 MB" in answer["error"]["text"]
        assert started.upload("people.csv", people.read_bytes())[0] == 200
        server_folder = next((tmp_path / "tmp").iterdir())
        assert stat.S_IMODE(server_folder.stat().st_mode) == 0o700
        begin(started, **LONG)
        status, answer = started.call("rows", run="none")
        assert status in {404, 409}
        assert SECRET not in json.dumps(answer)
        begun = time.monotonic()
        code, out = started.end()
        assert time.monotonic() - begun < 20
    assert code == 0
    assert out.endswith("The studio has ended.\n")
    assert SECRET not in out
    assert "Traceback" not in out
    assert left_in(tmp_path / "tmp") == []
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path not in before]
    assert not any(SECRET.encode() in path.read_bytes() for path in kept)


def test_the_page_can_end_it_and_a_killed_one_is_cleared_away_by_the_next(tmp_path: Path) -> None:
    with running(tmp_path) as first:
        assert first.upload("people.csv", b"Name\n" + SECRET.encode())[0] in {200, 400}
        first.upload("people.csv", write_people(tmp_path / "people.csv").read_bytes())
        children = first.children()
        first.process.kill()
        first.process.wait()
    # Without its server the other process ends too.
    wait_until(lambda: not any(Path(f"/proc/{child}/cmdline").exists() for child in children), "it goes on")
    (left,) = (tmp_path / "tmp").iterdir()
    with running(tmp_path) as second:
        assert not left.exists()
        with running(tmp_path) as third:
            assert len(list((tmp_path / "tmp").iterdir())) == 2  # that of one that lives is left alone
            third.ask("quit")
            third.process.communicate(timeout=60)
            assert third.process.returncode == 0
        assert second.ask("state")["source"] is None
    assert left_in(tmp_path / "tmp") == []


def test_the_browser_is_opened_by_a_file_that_others_cannot_read(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser.sh"
    browser.write_text(
        '#!/bin/sh\npath="${1#file://}"\n'
        f'{{ echo "$1"; stat -c %a "$path" "$(dirname "$path")"; cat "$path"; }} > {seen}.part\nmv {seen}.part {seen}\n'
    )
    browser.chmod(0o755)
    process, _ = start(tmp_path, env={"BROWSER": str(browser)})
    try:
        wait_until(seen.exists, "no browser is opened")
        address, mode, folder_mode, *page = seen.read_text().splitlines()
        assert (mode, folder_mode) == ("600", "700")
        token = "\n".join(page).partition("#token=")[2].partition('"')[0]
        port = int("\n".join(page).partition("127.0.0.1:")[2].partition("/")[0])
        assert len(token) >= 43
        assert token not in address
        arguments = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert token.encode() not in arguments
        server = RunningStudio(process, port, token, tmp_path)
        server.ask("state")
        redirect = Path(address.removeprefix("file://"))
        wait_until(lambda: not redirect.exists(), "the file stays")
        assert left_in(tmp_path / "tmp")
    finally:
        process.send_signal(signal.SIGHUP)  # the terminal is closed
        out, _ = process.communicate(timeout=60)
    assert token not in out
    assert left_in(tmp_path / "tmp") == []


def test_a_redirect_never_follows_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "open.html").symlink_to(tmp_path / "other")
    with pytest.raises(FileExistsError):
        write_redirect(tmp_path / "open.html", "http://127.0.0.1:1/#token=x")
