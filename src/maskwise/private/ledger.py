"""A ledger of what was spent on the same people, over all releases.

A ledger is a file of the owner's. A spending is written before the mechanism
looks at a record, so a run that is killed has spent what it may have released.
The file is replaced as a whole, under a lock, so it is never half written.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError, WriteError
from maskwise.release.locks import wait_for_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT = "maskwise ledger of epsilon"
FOR_THE_OWNER = "For the owner only: what was spent on the same people by all releases. Keep this file."
_PATIENCE = 30.0
"""So many seconds another run may have the ledger, and how often it is asked for."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What may be spent on the same people, and where it is written down.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "ledger.json", Fraction(2))
        >>> ledger.spend(Fraction(3, 2), "a.csv").spent
        Fraction(3, 2)
        >>> ledger.spend(Fraction(1), "b.csv")
        Traceback (most recent call last):
            ...
        maskwise.errors.InputError: epsilon=1 would make 2.5 in total on these people, and 2 are allowed. ...
    """

    path: Path
    """The file; it is made where there is none."""
    total: Fraction
    """The most that may be spent."""
    key: str = ""
    """Which people it is about, in a ledger of several tables: releases with the same key are added up."""

    def spend(self, epsilon: Fraction, output: str) -> LedgerState:
        """Write a spending down, or refuse it.

        Args:
            epsilon: How much.
            output: What is released, as the owner calls it.

        Claim: what the ledger says was spent is never less than what releases
        have spent. It is on the disk before the mechanism draws anything.

        Raises:
            InputError: It would exceed what is allowed, or the file is no ledger.
        """
        # By its real name: a link would be replaced by a file of its own, and what it leads to would say less.
        path = self.path.resolve()
        with _locked(path):
            entries, is_new = _read(path)
            before = sum((Fraction(one["epsilon"]) for one in entries if one["key"] == self.key), start=Fraction(0))
            if before + epsilon > self.total:
                msg = (
                    f"epsilon={float(epsilon):g} would make {float(before + epsilon):g} in total on these people, and "
                    f"{float(self.total):g} are allowed. Ask for less, or release nothing more of this table."
                )
                raise InputError(msg)
            now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            entries.append({"time": now, "key": self.key, "epsilon": str(epsilon), "output": output})
            _replace(path, entries)
        n_releases = sum(one["key"] == self.key for one in entries)
        return LedgerState(before + epsilon, self.total, n_releases, is_new)

    def check(self) -> None:
        """Refuse a file that is no ledger, before any work is done."""
        _read(self.path.resolve())


@dataclass(frozen=True, slots=True)
class LedgerState:
    """What a ledger says after a spending."""

    spent: Fraction
    """All that was spent on these people."""
    total: Fraction
    """The most that may be."""
    n_releases: int
    """By how many releases."""
    is_new: bool = False
    """Whether there was no ledger before."""

    def to_data(self) -> dict[str, Any]:
        """The same as plain values."""
        return {"spent": float(self.spent), "allowed": float(self.total), "releases": self.n_releases}


def _read(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """The spendings of a ledger, and whether it is new: there are none where there is no file."""
    try:
        text = path.read_bytes()
        is_linked = path.stat().st_nlink > 1
    except FileNotFoundError:
        return [], True
    except OSError as error:
        msg = f"The ledger `{path}` cannot be read ({error.strerror}), so nothing was released."
        raise InputError(msg) from None
    if is_linked:
        msg = f"The ledger `{path}` has another name (a hard link), under which it would say less. Remove one of them."
        raise InputError(msg)
    try:
        said = json.loads(text)
        entries = list(said["spent"])
        is_ledger = said["format"] == FORMAT and all(
            Fraction(one["epsilon"]) > 0 and isinstance(one["key"], str) for one in entries
        )
    except (ValueError, KeyError, TypeError, ArithmeticError, RecursionError):
        is_ledger = False
    if not is_ledger:
        msg = (
            f"`{path}` is no ledger that maskwise wrote, or it was damaged. If it is the ledger of these people, put "
            "back a copy of it: a new one would forget what was spent. Else name another file."
        )
        raise InputError(msg)
    return entries, False


def _replace(path: Path, entries: list[dict[str, Any]]) -> None:
    """Write the ledger anew, and wait until it is on the disk."""
    said = {"note": FOR_THE_OWNER, "format": FORMAT, "spent": entries}
    draft = path.with_name(f".maskwise-{secrets.token_hex(8)}.part")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8") as opened:  # noqa: PTH123 - an open handle
            # The note comes first, in the first line.
            opened.write("{" + json.dumps(said, indent=2, ensure_ascii=False)[1:].lstrip() + "\n")
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(draft, path)  # noqa: PTH105 - the atomic one
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        draft.unlink(missing_ok=True)
        msg = f"The ledger `{path}` cannot be written ({error.strerror}), so nothing was released."
        raise WriteError(msg) from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let other runs wait that would spend from the same ledger; the system frees the lock of a killed one."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        raise WriteError("A ledger needs locks of files, which this system does not have.") from None
    lock = path.with_name(f"{path.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        msg = f"The ledger `{path}` cannot be locked ({error.strerror}), so nothing was released."
        raise WriteError(msg) from None
    try:
        wait_for_lock(lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB), f"the ledger `{path}`", _PATIENCE)
        yield
    finally:
        os.close(handle)
