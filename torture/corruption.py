"""Damaged tables of every format, and mutated policies, taxonomies, solutions and certificates."""

from __future__ import annotations

import random
import shutil
import tempfile
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.csv as arrow_csv
from tests.formats.arx_project.test_draft import members

import maskwise
from maskwise.errors import MaskwiseError
from maskwise.formats.arx_project.draft import draft_policy
from torture.campaign import Tally
from torture.command import CODES, call
from torture.faults import POLICY, people_csv
from torture.tables import FORMATS, Column, MadeTable
from torture.worker import Worker

TREES = {
    "tree.yaml": "any:\n  warm: [red, orange]\n  cold: {blue: , green: [lime, moss]}\n",
    "tree.json": '{"any": {"warm": ["red", "orange"], "cold": {"blue": null, "green": ["lime", "moss"]}}}',
    "arx.csv": "red;warm;*\norange;warm;*\nblue;cold;*\nlime;cold;*\n",
    "edges.csv": "child,parent\nwarm,any\nred,warm\norange,warm\ncold,any\nblue,cold\n",
    "tree.txt": "any\n  warm\n    red\n    orange\n  cold\n    blue\n",
    "braces.txt": "{any{warm{red}{orange}}{cold{blue}{lime}}}",
}
NASTY = (
    "1" + "0" * 400,
    "-1",
    "1e999",
    "NaN",
    "null",
    "true",
    '""',
    "[]",
    "{}",
    "[[[[[[[[",
    "&a [*a]",
    "*",
    "\\ud800",
    "\x00",
    "\ufeff",
    '{"a": ' * 400,
    "!!python/object:os.system",
    "%",
    "\t",
    "  ",
    "\r",
    ": ",
    "- ",
    "0x1F",
    "'",
    '"',
    "9" * 30,
    "∞",
    "../../etc/passwd",
)


class Corruption:
    """Damages what is read, and expects an answer or a sentence."""

    def __init__(self, documents: Path) -> None:
        self._documents = documents
        self.worker = Worker()

    def run(self, seed: int, folder: Path) -> Tally:
        """One kind of document a seed, many mutations of it; every tenth seed damaged tables."""
        rng = random.Random(seed)
        return self._tables(rng, folder) if seed % 4 == 0 else self._read_documents(rng, folder)

    def _tables(self, rng: random.Random, folder: Path) -> Tally:
        """In a process of its own, which a library could take down."""
        tally = Tally()
        (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
        path = folder / f"people{rng.choice(FORMATS)}"
        shutil.copy(self._documents / path.name, path)
        whole = path.read_bytes()
        for _ in range(8):
            path.write_bytes(damaged(rng, whole))
            out = folder / "out.csv"
            out.unlink(missing_ok=True)
            self.worker.send(["mask", str(path), "-p", str(folder / "policy.yaml"), "-o", str(out), "-q"])
            answer = self.worker.answer()
            tally.cases += 1
            tally.faults += 1
            if isinstance(answer, int):
                tally.crashes.append(f"{path.name}: the process died ({answer})")
                path.with_name(f"died{path.suffix}").write_bytes(path.read_bytes())
                continue
            tally.refused += int(answer["code"] > 0)
            if answer["crash"]:
                tally.crashes.append(f"{path.name}: {answer['crash']}")
                path.with_name(f"crashed{path.suffix}").write_bytes(path.read_bytes())
            if answer["code"] != 0 and out.exists():
                tally.violations.append(f"{path.name}: a release of a refused table")
        return tally

    def _read_documents(self, rng: random.Random, folder: Path) -> Tally:
        tally = Tally()
        names = [
            "policy.yaml",
            "private.yaml",
            "solution.json",
            "certificate.json",
            "project.deid",
            "maskwise.toml",
            *TREES,
        ]
        name = rng.choice(names)
        whole = (self._documents / name).read_bytes()
        path = folder / name
        for i in range(40):
            content = mutated(rng, whole) if rng.random() < 0.7 else damaged(rng, whole)
            if name == "project.deid" and rng.random() < 0.7:
                _mutate_zip(rng, self._documents / name, path)
            else:
                path.write_bytes(content)
            tally.cases += 1
            tally.faults += 1
            crash = self._read(name, path)
            if crash is None:
                continue
            if crash == "refused":
                tally.refused += 1
                continue
            tally.crashes.append(f"{name}: {crash}")
            shutil.copy(path, folder / f"crash-{i}-{name}")
        return tally

    def _read(self, name: str, path: Path) -> str | None:
        """Read a document; None if it is fine, `refused`, or what went wrong."""
        if name == "certificate.json":
            ended = call("verify", path, self._documents / "released.csv")
            return ended.crash or ("refused" if ended.code in CODES - {0} else None)
        if name == "maskwise.toml":
            # Settings are read where the command is run.
            ended = call("completion", "bash")
            return ended.crash
        reading: dict[str, Callable[[Path], Any]] = {
            "policy.yaml": maskwise.read_policy,
            "private.yaml": maskwise.read_policy,
            "solution.json": maskwise.read_solution,
            "project.deid": lambda given: draft_policy(given, "draft"),
        }
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                reading.get(name, maskwise.read_taxonomy)(path)
        except MaskwiseError as error:
            return "refused" if str(error).strip() else "refused without a word"
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__} at {last.filename.rpartition('/')[2]}:{last.lineno}: {str(error)[:150]}"
        return None


def damaged(rng: random.Random, whole: bytes) -> bytes:
    """Bytes that are cut off, flipped, left out, repeated or set to zero."""
    content = bytearray(whole)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at, n = rng.randrange(len(content) or 1), rng.choice([1, 1, 2, 4, 16, 200])
        match rng.randrange(6):
            case 0:
                del content[at:]
            case 1:
                content[at : at + 1] = bytes([rng.randrange(256)])
            case 2:
                del content[at : at + n]
            case 3:
                content[at:at] = content[at : at + n]
            case 4:
                content[at : at + n] = bytes(n)
            case _:
                content[at : at + n] = rng.randbytes(n)
    return bytes(content)


def mutated(rng: random.Random, whole: bytes) -> bytes:
    """A text in which words and lines are replaced, swapped, repeated or left out."""
    text = whole.decode("utf-8", "replace")
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        words = [i for i in range(len(text)) if text[i].isalnum() and (i == 0 or not text[i - 1].isalnum())]
        lines = text.splitlines(keepends=True)
        match rng.randrange(5):
            case 0 if words:
                at = rng.choice(words)
                end = at
                while end < len(text) and text[end].isalnum():
                    end += 1
                text = text[:at] + rng.choice(NASTY) + text[end:]
            case 1 if words:
                at, other = rng.choice(words), rng.choice(words)
                text = text[:at] + text[other : other + 9] + text[at:]
            case 2 if lines:
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                text = "".join(lines)
            case 3 if lines:
                lines.pop(rng.randrange(len(lines)))
                text = "".join(lines)
            case _:
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(NASTY) + text[at:]
    return text.encode("utf-8", "surrogatepass")


def _mutate_zip(rng: random.Random, whole: Path, path: Path) -> None:
    """A project with one of its files mutated."""
    with zipfile.ZipFile(whole) as project, zipfile.ZipFile(path, "w") as other:
        chosen = rng.choice(project.namelist())
        for name in project.namelist():
            content = project.read(name)
            if name == chosen and rng.random() < 0.1:
                continue
            other.writestr(name, mutated(rng, content) if name == chosen else content)


@contextmanager
def opened() -> Iterator[Corruption]:
    """Make whole documents of every kind first."""
    with tempfile.TemporaryDirectory(prefix="torture-documents-") as name:
        folder = Path(name)
        make_documents(folder)
        part = Corruption(folder)
        try:
            yield part
        finally:
            part.worker.close()


def make_documents(folder: Path) -> None:
    """Write a whole document of every kind."""
    (folder / "people.csv").write_text(people_csv(), encoding="utf-8")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "private.yaml").write_text(
        "class: {Risk: [hi, lo]}\nattributes: {Age: {interval: [0, 120], grid: 1}, Job: {suppress: [nurse, clerk]}}\n"
        "requirements: [{epsilon: 1.0, attributes: [Age, Job], steps: 3}]\n",
        encoding="utf-8",
    )
    (folder / "maskwise.toml").write_text('[mask]\nquiet = true\nmemory = "1GB"\n', encoding="utf-8")
    for name, text in TREES.items():
        (folder / name).write_text(text, encoding="utf-8")
    ended = call(
        *("mask", folder / "people.csv", "-p", folder / "policy.yaml", "-o", folder / "released.csv", "-q"),
        *("--solution", folder / "solution.json", "--certificate", folder / "certificate.json"),
    )
    assert ended.code == 0, ended
    table = arrow_csv.read_csv(folder / "people.csv")
    for suffix in FORMATS:
        if suffix != ".csv":
            _write(table, folder / f"people{suffix}")
    _make_project(folder / "project.deid")


def _write(table: Any, path: Path) -> None:
    columns = tuple(
        Column(name, "passed", "number" if name == "Age" else "text", tuple(table.column(name).to_pylist()))
        for name in table.column_names
    )
    MadeTable(columns, (), ()).write(path)


def _make_project(path: Path) -> None:
    """A small project of ARX, as its own files are laid out."""
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members().items():
            file.writestr(name, content)
