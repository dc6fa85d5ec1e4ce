"""What was spent on the same people is never forgotten, whenever a run is killed."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from maskwise.errors import InputError
from maskwise.private.ledger import Ledger
from tests.private.tables import ATTRIBUTES, Exact, Repeatable, by_mechanisms, policy

ONE = Fraction(1)


class Killed(BaseException):
    """A process that ends between two calls of the system."""


def people(n: int = 40) -> pa.Table:
    jobs = list(ATTRIBUTES["Job"]["suppress"])  # type: ignore[index]
    return pa.table(
        {
            "Name": [f"n{i}" for i in range(n)],
            "Age": [i % 45 for i in range(n)],
            "Edu": ["primary" if i % 3 else "master" for i in range(n)],
            "Job": [jobs[i % 3] for i in range(n)],
            "Risk": ["lo" if i % 45 < 20 or i % 7 == 0 else "hi" for i in range(n)],
        }
    )


def spent(path: Path) -> Fraction:
    return sum((Fraction(one["epsilon"]) for one in json.loads(path.read_text())["spent"]), start=Fraction(0))


def test_spendings_add_up_and_above_the_total_nothing_is_spent(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger = Ledger(path, Fraction("0.3"))
    assert ledger.spend(Fraction("0.1"), "a").spent == Fraction(1, 10)
    # Three times 0.1 is 0.3 in exact numbers, where floats would say more.
    assert ledger.spend(Fraction("0.1"), "b").n_releases == 2
    assert ledger.spend(Fraction("0.1"), "c").spent == Fraction(3, 10)
    with pytest.raises(InputError, match=r"0\.3 are allowed"):
        ledger.spend(Fraction("0.000001"), "d")
    assert spent(path) == Fraction(3, 10)


def test_keys_are_added_up_apart(tmp_path: Path) -> None:
    one, other = (Ledger(tmp_path / "l.json", ONE, key) for key in ("patients", "staff"))
    one.spend(ONE, "a")
    assert other.spend(ONE, "b").spent == 1
    with pytest.raises(InputError):
        one.spend(Fraction(1, 100), "c")


def test_the_ledger_is_the_owners_and_says_so_in_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    Ledger(path, ONE).spend(ONE, "a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "For the owner only" in path.read_text().splitlines()[0]


def entry(epsilon: str) -> str:
    return f'{{"format": "maskwise ledger of epsilon", "spent": [{{"key": "", "epsilon": {epsilon}}}]}}'


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[1]", "[" * 100_000, "\xff"),
        entry('"1"').replace('""', "1"),
        entry('"1"')[:-9],
        *map(entry, ["Infinity", "NaN", "-1", '"1/0"']),
    ],
    ids=range(11),
)
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "l.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="put back a copy"):
        Ledger(path, ONE).spend(ONE, "a")
    assert path.read_bytes() == text.encode("latin-1")


def test_a_ledger_that_cannot_be_read_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    path.mkdir()
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\)"):
        Ledger(path, ONE).check()


def test_a_link_leads_to_one_ledger(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "l.json"
    link.symlink_to(tmp_path / "there" / "ledger.json")
    assert Ledger(link, ONE).spend(Fraction(1, 2), "a").is_new
    assert not Ledger(tmp_path / "there" / "ledger.json", ONE).spend(Fraction(1, 4), "b").is_new
    assert Ledger(link, ONE).spend(Fraction(1, 4), "c").spent == 1
    assert link.is_symlink()


def test_a_ledger_with_two_names_is_refused(tmp_path: Path) -> None:
    Ledger(tmp_path / "l.json", ONE).spend(Fraction(1, 2), "a")
    os.link(tmp_path / "l.json", tmp_path / "m.json")
    with pytest.raises(InputError, match="a hard link"):
        Ledger(tmp_path / "m.json", ONE).spend(Fraction(1, 4), "b")


def test_runs_at_the_same_time_do_not_exceed_the_total(tmp_path: Path) -> None:
    def spend(number: int) -> bool:
        try:
            Ledger(tmp_path / "l.json", Fraction(5)).spend(ONE, str(number))
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(spend, range(12))) == 5
    assert spent(tmp_path / "l.json") == 5


def test_the_release_does_not_replace_the_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "out.csv", ONE)
    with pytest.raises(InputError, match="is the ledger"):
        by_mechanisms(people(), policy(), tmp_path / "out.csv", ledger=ledger, mechanisms=Exact())
    assert not list(tmp_path.iterdir())


def test_a_run_killed_at_any_call_of_the_system_leaves_a_whole_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the new ledger has its name nothing is drawn; from then on it is spent."""
    path = tmp_path / "l.json"
    Ledger(path, Fraction(100)).spend(ONE, "first")
    calls = ("open", "fsync", "replace", "close")
    real = {name: getattr(os, name) for name in calls}
    seen = set()
    for last in range(1, 40):
        before, n = spent(path), 0
        handles: list[int] = []

        def counted(name: str, *given: Any, **named: Any) -> Any:
            nonlocal n
            n += 1
            if n == last:  # noqa: B023 - used in this round only
                raise Killed
            result = real[name](*given, **named)
            if name == "open":
                handles.append(result)  # noqa: B023 - used in this round only
            return result

        with monkeypatch.context() as patched:
            for name in calls:
                patched.setattr(os, name, lambda *given, name=name, **named: counted(name, *given, **named))
            try:
                Ledger(path, Fraction(100)).spend(ONE, "next")
                is_done = True
            except Killed:
                is_done = False
        for handle in handles:
            # The system closes what a killed process had open, and frees its locks.
            with suppress(OSError):
                real["close"](handle)
        after = spent(path)
        assert after == before + 1 if is_done else after in {before, before + 1}
        seen.add((is_done, after - before))
        if is_done:
            break
    assert seen == {(False, Fraction(0)), (False, ONE), (True, ONE)}


def test_what_is_spent_is_on_the_disk_before_anything_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "l.json"

    class Watching(Repeatable):
        def add_noise(self, counts: Any, epsilon: Fraction) -> Any:  # noqa: ARG002 - the interface
            assert spent(path) == ONE
            raise Killed

    with pytest.raises(Killed):
        by_mechanisms(people(), policy(), tmp_path / "out.csv", ledger=Ledger(path, ONE), mechanisms=Watching())
    assert spent(path) == ONE
    assert not (tmp_path / "out.csv").exists()


def test_a_refused_spending_draws_nothing_and_releases_nothing(tmp_path: Path) -> None:
    class Never(Repeatable):
        def add_noise(self, counts: Any, epsilon: Fraction) -> Any:  # noqa: ARG002 - the interface
            raise AssertionError

    with pytest.raises(InputError, match="are allowed"):
        by_mechanisms(
            people(),
            policy(),
            tmp_path / "out.csv",
            ledger=Ledger(tmp_path / "l.json", Fraction(1, 2)),
            mechanisms=Never(),
        )
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "l.json").exists()
