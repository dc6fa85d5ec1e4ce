"""Let the n-th system call of a kind fail, with an old release and its files in place: all old or all new stays."""

from __future__ import annotations

import errno
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from maskwise.release.file_set import finish_others
from torture.campaign import Tally
from torture.tables import FORMATS
from torture.worker import Worker

KINDS = ("write", "rename", "sync", "chmod", "open", "map", "link", "unlink", "truncate", "close", "read")
"""In the order of the shim."""
FAIL, SHORT, DELAY, KILL = range(4)
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EDQUOT, errno.EINTR, errno.EROFS, errno.ENOMEM)
POLICY = """
class: Risk
attributes: {Age: {interval: [0, 120]}, Job: suppress}
requirements: [{qid: [Age, Job, Sex], k: 5}, {qid: [Age], sensitive: {Ill: [flu]}, confidence: 0.9}]
drop: [Name]
"""
OLD = "old, and whole\n"


def people_csv() -> str:
    """A small table, always the same."""
    rng = random.Random(5)
    lines = ["Name,Age,Job,Sex,Ill,Risk"]
    for i in range(120):
        job, ill = rng.choice(["nurse", "clerk"]), rng.choice(["flu", "cold", "hip"])
        lines.append(f"N{i},{rng.randrange(20, 80)},{job},{rng.choice('FM')},{ill},{rng.choice(['hi', 'lo'])}")
    return "\n".join(lines) + "\n"


class Faults:
    """Runs the command in a process with the shim, one fault a run."""

    def __init__(self, shim: Path) -> None:
        self.worker = Worker(shim)
        self._counts: dict[tuple[str, str], int] = {}
        self._expected: dict[str, dict[str, bytes]] = {}

    def run(self, seed: int, folder: Path) -> Tally:
        """Ten faults of one kind of call, for one format."""
        rng = random.Random(seed)
        suffix = FORMATS[seed % len(FORMATS)]
        kind = KINDS[(seed // len(FORMATS)) % len(KINDS)]
        case = Case(folder, suffix, with_old=rng.random() < 0.8)
        tally = Tally()
        if suffix not in self._expected:
            self._expected[suffix] = self._without_fault(case, tally)
        expected = self._expected[suffix]
        if (suffix, kind) not in self._counts:
            case.reset()
            self._counts[suffix, kind] = self._ask(case, kind, None, FAIL, 0)["seen"]
        n_calls = self._counts[suffix, kind]
        for _ in range(min(10, 4 * n_calls)):
            mode = rng.choice([FAIL] * 6 + [SHORT, DELAY, KILL])
            n, error = rng.randrange(n_calls), rng.choice(ERRORS)
            case.reset()
            answer = self._ask(case, kind, n, mode, error)
            what = f"{suffix}, {kind} {n} of {n_calls}, mode {mode}, {errno.errorcode[error]}"
            tally.cases += 1
            tally.faults += 1 if answer is None else int(answer["done"])
            tally.add(_judge(case, answer, expected, what))
        return tally

    def _without_fault(self, case: Case, tally: Tally) -> dict[str, bytes]:
        """What a run without a fault writes, twice the same."""
        found = []
        for _ in range(2):
            case.reset()
            answer = self._ask(case, KINDS[0], None, FAIL, 0)
            if answer is None or answer["code"] != 0:
                tally.crashes.append(f"a run without a fault failed: {answer}")
            found.append(case.contents())
        if found[0] != found[1]:
            tally.violations.append("two runs with one seed wrote other bytes")
        return found[0]

    def _ask(self, case: Case, kind: str, n: int | None, mode: int, error: int) -> dict[str, Any] | None:
        """Run once; None if the process was killed."""
        asked = {"below": str(case.folder), "kind": KINDS.index(kind), "n": n, "mode": mode, "error": error}
        self.worker.send(case.arguments, **asked)
        answer = self.worker.answer()
        if not isinstance(answer, int):
            return answer
        is_killed = answer == -9
        return None if is_killed else {"code": answer, "said": "", "crash": f"the process died ({answer})", "done": 1}


class Case:
    """A table, a policy, and a folder to write to."""

    def __init__(self, folder: Path, suffix: str, *, with_old: bool) -> None:
        self.folder = folder
        self._with_old = with_old
        self.out = folder / "out"
        (folder / "people.csv").write_text(people_csv(), encoding="utf-8")
        (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
        self.names = [f"released{suffix}", "solution.json", "report.md", "trace.jsonl"]
        options = ["-o", "--solution", "--report", "--trace"]
        pairs = [part for one in zip(options, self.names, strict=True) for part in (one[0], str(self.out / one[1]))]
        self.arguments = ["mask", str(folder / "people.csv"), "-p", str(folder / "policy.yaml"), "--seed", "7", *pairs]

    def reset(self) -> None:
        """Have the old files there, and nothing else."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        for name in self.names if self._with_old else []:
            (self.out / name).write_text(OLD, encoding="utf-8")

    @property
    def old(self) -> dict[str, bytes]:
        """What is there before a run."""
        return {name: OLD.encode() for name in self.names} if self._with_old else {}

    def contents(self) -> dict[str, bytes]:
        """What is there now, drafts aside."""
        return {path.name: path.read_bytes() for path in self.out.iterdir() if not path.name.startswith(".maskwise-")}

    def drafts(self) -> list[str]:
        """What a run has left."""
        return [path.name for path in self.out.iterdir() if path.name.startswith(".maskwise-")]


def _judge(case: Case, answer: dict[str, Any] | None, new: dict[str, bytes], what: str) -> Tally:
    tally = Tally()
    if answer is None:
        # Killed: the next run that writes there finishes what was begun.
        finish_others(case.out)
    elif answer["crash"]:
        tally.crashes.append(f"{what}: {answer['crash']}")
    found = case.contents()
    if found not in (case.old, new):
        states = {
            name: "old" if found[name] == case.old.get(name) else "new" if found[name] == new.get(name) else "other"
            for name in found
        }
        tally.violations.append(f"{what}: mixed: {states}")
    elif answer is not None and answer["code"] == 0 and found != new:
        tally.violations.append(f"{what}: exit code 0, and nothing was written")
    elif answer is not None and answer["code"] != 0 and found == new:
        tally.violations.append(f"{what}: exit code {answer['code']}, and all was written: {answer['said'][-200:]}")
    if answer is not None:
        tally.refused += int(answer["code"] in {1, 2, 3})
        if left := case.drafts():
            tally.violations.append(f"{what}: left behind: {left}")
    return tally


@contextmanager
def opened() -> Iterator[Faults]:
    """Compile the shim; there must be a C compiler."""
    with tempfile.TemporaryDirectory(prefix="torture-shim-") as folder:
        shim = Path(folder) / "shim.so"
        source = Path(__file__).with_name("shim.c")
        subprocess.run(
            [shutil.which("cc") or "cc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(source), "-ldl"], check=True
        )
        part = Faults(shim)
        try:
            yield part
        finally:
            part.worker.close()
