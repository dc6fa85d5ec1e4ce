"""Kernels whose machine code is kept and called without numba."""

from __future__ import annotations

import gc
import math
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from maskwise.values import bare_code
from maskwise.values.bare_arguments import as_numbers, flatten, is_known, is_whole, words_of
from maskwise.values.bare_files import folder_to_write, read_code, write_code
from maskwise.values.compiled import Kernel, bare_kernel, on_compiling, plain_loop

FACTOR = 3


class Inside(NamedTuple):
    """A tuple in a tuple."""

    weights: Any
    shift: Any


class Everything(NamedTuple):
    """What kernels take."""

    inside: Inside
    cells: Any


@bare_kernel
def add_up(all_of_it: Everything, times: int, part: float, sums: Any) -> float:
    """Go over everything in it, and write and give something of it."""
    total = 0.0
    for i in range(all_of_it.cells.shape[0]):
        for j in range(all_of_it.cells.shape[1]):
            total += all_of_it.cells[i, j] * all_of_it.inside.weights[j] + all_of_it.inside.shift
            sums[i] += times
    return total * part * FACTOR + math.log2(part + 1.0)


@bare_kernel
def divide(whole: int, part: int) -> int:
    """Stops with an error where there is nothing to divide by."""
    return whole // part


@bare_kernel
def first_of(cells: Any) -> Any:
    """Gives whatever is in an array."""
    return cells[0]


@bare_kernel
def make(n: int) -> Any:
    """Makes an array, which no bare kernel does."""
    return np.arange(n)


@pytest.fixture
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for machine code."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def n_compiled(compiled: Any, *arguments: Any) -> tuple[Any, int]:
    """What a loop gives to a process that has called nothing yet, and how often it compiled."""
    told: list[None] = []
    with on_compiling(lambda: told.append(None)):
        found = bare_kernel(plain_loop(compiled))(*arguments)
    return found, len(told)


def is_bare(compiled: Any) -> bool:
    """Whether all that a kernel was called with ran without numba."""
    return bool(compiled._entries) and not any(isinstance(one, Kernel) for one in compiled._entries.values())  # noqa: SLF001


WHOLE = np.arange(48).reshape(6, 8)
READ_ONLY = np.ones((3, 4))
READ_ONLY.setflags(write=False)


@pytest.mark.parametrize(
    "cells",
    [
        WHOLE.astype(np.int32),
        WHOLE.astype(np.uint8),
        WHOLE.astype(np.float32),
        WHOLE > 20,
        WHOLE[:, ::2],
        WHOLE[::-1, ::-1],
        WHOLE.T,
        np.asfortranarray(WHOLE),
        WHOLE[:, :1],
        WHOLE[:0],
        READ_ONLY,
    ],
    ids=lambda cells: f"{cells.dtype}{cells.shape}{cells.strides}",
)
def test_a_bare_kernel_does_what_the_loop_does(cells: Any) -> None:
    weights = np.linspace(0.5, 2, cells.shape[1])
    for number in (2, np.int64(2), np.int32(2), np.uint8(2), True, np.bool_(1)):
        for part in (0.25, np.float64(0.25)):
            given = Everything(Inside(weights, number), cells), number, part
            sums, wanted = np.zeros(len(cells)), np.zeros(len(cells))
            found = add_up(*given, sums)
            assert found == pytest.approx(plain_loop(add_up)(*given, wanted), rel=1e-12)
            assert sums.tolist() == wanted.tolist()
    assert is_bare(add_up)


def test_numbers_of_several_types_share_the_code() -> None:
    types = [flatten((number,))[0] for number in (1, np.int16(1), True, np.bool_(0))]
    assert set(types) == {("i8",)}
    assert flatten((1.0,))[0] == flatten((np.float64(2),))[0] == ("f8",)


def test_one_column_and_several_share_the_code() -> None:
    assert flatten((WHOLE[:, :1].copy(),))[0] == flatten((WHOLE,))[0]
    assert flatten((WHOLE.T,))[0] != flatten((WHOLE,))[0]


@pytest.mark.parametrize("given", [None, "text", [1], 2**63, np.float32(1), np.zeros(1, complex), np.zeros(1, ">i8")])
def test_what_there_is_no_bare_code_for(given: Any) -> None:
    assert not is_known(flatten((given,))[0])


def test_a_tuple_that_is_seen_again_has_its_own_words() -> None:
    first, second = np.zeros((2, 3)), np.zeros(3)
    for _ in range(600):
        # Tuples come and go, so that one is often where another was.
        assert flatten((Inside(first, second),))[1] == flatten((first, second))[1]
        assert flatten((Inside(second, first),))[1] == flatten((second, first))[1]
        assert flatten((Inside(second, 4),))[1] == flatten((second, 4))[1]
        assert flatten(((second, first),))[0][0] is tuple
    given = Inside(first, second)
    assert flatten((given,)) == flatten((given,))


@pytest.mark.slow
def test_words_that_are_known_keep_no_array_in_memory() -> None:
    cells = np.zeros(10)
    gone = weakref.ref(cells)
    flatten((Inside(cells, cells),))
    del cells
    gc.collect()
    assert gone() is None


def test_words_are_counted_alike_everywhere() -> None:
    given = (Everything(Inside(np.ones(3), 2.5), WHOLE), 7, np.float64(1), (np.zeros((1, 2, 3)), True))
    types, words = flatten(given)
    assert [one != "double" for one in words_of(given)] == is_whole(types) == [isinstance(one, int) for one in words]
    assert [type(one) for one in as_numbers(given)] == [Everything, int, float, tuple]


@pytest.mark.slow
def test_a_loop_that_is_not_bare_is_called_by_numba(kept_in: Path) -> None:
    assert make(3).tolist() == [0, 1, 2]
    assert first_of(np.array([1, 2])) == 1
    assert is_bare(first_of)
    assert first_of(np.array([True])) is True
    assert first_of(np.array([1 + 2j])) == 1 + 2j
    assert not is_bare(make)
    assert not is_bare(first_of)
    assert len(list(kept_in.rglob("first_of*.code"))) + len(list(kept_in.rglob("*.first_of*.code"))) == 1


@pytest.mark.slow
def test_more_words_than_ctypes_takes_are_left_to_numba() -> None:
    @bare_kernel
    def last_of(many: Any) -> Any:
        return many[-1][0]

    assert [last_of((np.array([3]),) * n) for n in (9, 150)] == [3, 3]
    assert [isinstance(one, Kernel) for one in last_of._entries.values()] == [False, True]  # noqa: SLF001


def test_an_error_in_a_loop_is_raised() -> None:
    assert divide(7, 2) == 3
    with pytest.raises(ArithmeticError, match="`divide` stopped"):
        divide(7, 0)
    assert is_bare(divide)


@pytest.mark.parametrize("damage", ["cut short", "one byte", "empty", "another stamp"])
def test_damaged_code_is_compiled_again(kept_in: Path, damage: str) -> None:
    assert n_compiled(divide, 9, 4) == (2, 1)
    assert n_compiled(divide, 9, 4) == (2, 0)
    (file,) = kept_in.rglob("*.code")
    whole = file.read_bytes()
    at = {"one byte": len(whole) // 2, "another stamp": 30}.get(damage, 0)
    damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    file.write_bytes({"cut short": whole[:-100], "empty": b""}.get(damage, damaged))
    assert n_compiled(divide, 9, 4) == (2, 1)
    assert n_compiled(divide, 9, 4) == (2, 0)
    assert [one.name for one in kept_in.rglob("*.code")] == [file.name]
    assert not list(kept_in.rglob("*.tmp"))


def test_code_for_another_processor_is_not_run(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert n_compiled(divide, 9, 4)[1] == 1
    bare_code._runs_it.cache_clear()  # noqa: SLF001 - a process has one processor
    monkeypatch.setattr(bare_code.llvm, "get_host_cpu_name", lambda: "another")
    try:
        assert n_compiled(divide, 9, 4)[1] == 1
    finally:
        bare_code._runs_it.cache_clear()  # noqa: SLF001 - as above
    assert len(list(kept_in.rglob("*.code"))) == 2


def test_code_whose_names_are_not_known_is_not_loaded(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Everything(Inside(np.ones(8), 1), WHOLE), 1, 0.5, np.zeros(6)
    assert n_compiled(add_up, *given)[1] == 1
    (file,) = kept_in.rglob("*.code")
    assert b'["log2"]' in file.read_bytes()
    monkeypatch.setattr(bare_code, "_is_there", lambda _: False)
    again = bare_kernel(plain_loop(add_up))
    assert again(*given) == pytest.approx(plain_loop(add_up)(*given), rel=1e-12)
    assert not is_bare(again)


def test_where_no_file_can_be_written_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    loop = plain_loop(divide)
    assert folder_to_write(loop) is None
    write_code(loop, "types", b"stamp", b"code")
    assert read_code(loop, "types", b"stamp") is None
    assert n_compiled(divide, 9, 4) == n_compiled(divide, 9, 4) == (2, 1)


def test_a_tuple_at_the_address_of_another_does_not_get_an_array_that_is_gone() -> None:
    kept = np.zeros(3)
    for _ in range(2000):
        before = (kept, np.zeros(5))
        flatten((before,))
        address = id(before)
        del before
        after = (kept, None)
        if id(after) == address:
            types, _words = flatten((after,))
            assert not is_known(types)
            return
    pytest.skip("no tuple got the address of another")
