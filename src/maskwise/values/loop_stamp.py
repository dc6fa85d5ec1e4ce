"""What the machine code of a loop follows from: its own code, that of the loops it calls, and constants."""

from __future__ import annotations

from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.values.compiled import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def stamp_of(loop: Callable[..., Any]) -> list[str]:
    """Everything that would change the machine code of a loop, as text.

    Args:
        loop: The loop, as it is written.
    """
    waiting, known, stamp = [loop], {loop}, []
    for one in waiting:
        stamp.append(f"{one.__module__}.{one.__qualname__} {one.__defaults__!r}")
        stamp += _parts_of(one.__code__)
        for name, value in _values_of(one):
            if isinstance(value, Kernel):
                stamp.append(f"{name} calls {value.py_func.__module__}.{value.py_func.__qualname__}")
                if value.py_func not in known:
                    known.add(value.py_func)
                    waiting.append(value.py_func)
            else:
                stamp.append(f"{name} = {_spelled(value)}")
    return stamp


def _parts_of(code: CodeType) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_argcount}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts_of(constant)
        else:
            yield _spelled(constant)


def _values_of(loop: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """What the names in a loop stand for, where it is not in the loop."""
    names = [name for code in _all_codes(loop.__code__) for name in code.co_names]
    cells = zip(loop.__code__.co_freevars, loop.__closure__ or (), strict=True)
    known = {**loop.__globals__, **{name: cell.cell_contents for name, cell in cells}}
    for name in dict.fromkeys((*names, *loop.__code__.co_freevars)):
        value = known.get(name)
        if isinstance(value, ModuleType):
            # Which of the names are looked up there is not known; one too many does no harm.
            yield from ((f"{name}.{own}", vars(value)[own]) for own in names if own in vars(value))
        elif name in known:
            yield name, value


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_codes(constant)


def _spelled(value: Any) -> str:
    """A constant, or what else a name stands for, in the same words in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, frozenset):
        return f"{sorted(map(repr, value))}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_spelled, value))})"
    if isinstance(value, int | float | str | bytes | np.generic) or value is None:
        return f"{type(value).__qualname__} {value!r}"
    # NumPy's functions, builtins, classes of tuples.
    module, name = getattr(value, "__module__", ""), getattr(value, "__qualname__", type(value).__qualname__)
    return f"{module}.{name} {getattr(value, '_fields', ())}"
