"""A running `maskwise studio`, and a client that can send whatever it likes."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 120.0


@dataclass
class RunningStudio:
    """A process and how it is asked."""

    process: subprocess.Popen[str]
    port: int
    token: str
    folder: Path
    """Its TMPDIR, with `state` beside it as XDG_STATE_HOME."""

    def send(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body, dict(headers or {}))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    def call(self, request: str, /, tab: str = "one", **body: Any) -> tuple[int, Any]:
        """Ask as the page does."""
        headers = {"X-Maskwise-Token": self.token, "Content-Type": "application/json", "X-Maskwise-Tab": tab}
        status, _, content = self.send("POST", f"/api/{request}", json.dumps(body).encode(), headers)
        return status, json.loads(content)

    def ask(self, request: str, /, **body: Any) -> Any:
        """Ask as the page does, and be answered."""
        status, answer = self.call(request, **body)
        assert status == 200, answer
        return answer

    def upload(self, name: str, content: bytes) -> tuple[int, Any]:
        headers = {"X-Maskwise-Token": self.token, "Content-Type": "application/octet-stream", "X-File-Name": name}
        status, _, answer = self.send("POST", "/api/upload", content, headers)
        return status, json.loads(answer)

    def events(self, run: str) -> Iterator[dict[str, Any]]:
        """The events of a run until its end."""
        after = 0
        while True:
            answer = self.ask("events", run=run, after=after)
            yield from answer["events"]
            after += len(answer["events"])
            if not answer["is_running"] and not answer["events"]:
                return

    def search(self, policy: Mapping[str, Any], **options: Any) -> str:
        """Search to the end."""
        run: str = self.ask("search", policy=policy, options=options)["run"]
        *_, last = self.events(run)
        assert last["kind"] == "done", last
        return run

    def export(self, run: str, **body: Any) -> dict[str, Any]:
        """Export what a search found, and give the last event: `done`, or `failed` with its error."""
        asked = {"step": None, "name": "release.csv", **body}
        *_, last = self.events(self.ask("export", run=run, **asked)["run"])
        return last

    def children(self) -> list[int]:
        """The processes that it has started, by number."""
        found = subprocess.run(
            ["/bin/ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=True,
        )
        return [int(line.split()[0]) for line in found.stdout.splitlines() if "spawn_main" in line]

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """End it by a signal, and say how it ended and what it printed since."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out


def start(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> tuple[subprocess.Popen[str], dict[str, str]]:
    """Start the command in a folder of its own."""
    (folder / "tmp").mkdir(exist_ok=True)
    own = {"TMPDIR": str(folder / "tmp"), "XDG_STATE_HOME": str(folder / "state"), "HOME": str(folder)}
    own["PYTHONPATH"] = os.pathsep.join(sys.path)  # whatever the working folder is
    shown = {key: value for key, value in os.environ.items() if key not in {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"}}
    command = [sys.executable, "-m", "tests.studio.slow_studio", "studio", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**shown, **own, **(env or {})}
    )
    return process, own


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[RunningStudio]:
    """A studio with a printed address, ended afterwards."""
    process, _ = start(folder, "--no-browser", *arguments)
    try:
        assert process.stdout is not None
        text = ""
        while (found := re.search(r"http://127\.0\.0\.1:(\d+)/#token=(\S+)", text)) is None:
            line = process.stdout.readline()
            assert line, f"it ended: {text}"
            text += line
        yield RunningStudio(process, int(found[1]), found[2], folder)
    finally:
        if process.poll() is None:
            process.terminate()
        if process.stdout is not None and not process.stdout.closed:
            process.communicate(timeout=PATIENCE)


def wait_until(test: Any, what: str) -> None:
    """Wait for something that happens by itself."""
    end = time.monotonic() + PATIENCE
    while not test():
        assert time.monotonic() < end, what
        time.sleep(0.05)
