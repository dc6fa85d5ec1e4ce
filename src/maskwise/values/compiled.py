"""How loops are compiled: by numba, once for an installation, and fast enough to be waited for.

Only modules of kernels import this one: numba takes half a second to load.
Compiled code is kept beside the module, or in the user's cache where that folder
cannot be written; where nothing can be, every run compiles what it needs.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from numba import njit
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def kernel(loop: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls; the code is kept for later runs."""
    return _compile(loop)


def inner_kernel(loop: Callable[..., Any]) -> Any:
    """Compile a loop that only other kernels call: without the code that turns Python objects into arrays.

    Of a kernel that takes thirty arrays, that code takes as long to compile as the loop.
    """
    compiled = _compile(loop, no_cpython_wrapper=True)
    compiled.__class__ = _Inner
    return compiled


def plain_loop(kernel: Any) -> Any:
    """The loop as it is written, for a call or two that compiling would not pay for."""
    return kernel.py_func


def is_kept(kernel: Any) -> bool:
    """Whether compiled code of a kernel is found again by other processes."""
    return isinstance(kernel._cache, _KernelCache)  # noqa: SLF001 - Numba has no way to ask


@contextmanager
def on_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Say meanwhile when this thread begins to compile.

    Args:
        tell: Is called each time.
    """
    listener = _Listener(threading.get_ident(), tell)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


class _Listener(event.Listener):  # type: ignore[misc]
    """Hears of everything that numba compiles in the process."""

    def __init__(self, thread: int, tell: Callable[[], None]) -> None:
        self._thread, self._tell = thread, tell

    def on_start(self, event: Any) -> None:
        """Numba begins to compile a function, perhaps one that another one calls."""
        del event
        if threading.get_ident() == self._thread:
            self._tell()

    def on_end(self, event: Any) -> None:
        """It is compiled."""


class _Inner(CPUDispatcher):  # type: ignore[misc]
    """An inner kernel. Called from Python, code without a wrapper would end the process."""

    def __call__(self, *_arguments: Any) -> None:
        msg = f"`{self.py_func.__name__}` is an inner kernel: other kernels call it, and Python does not."
        raise TypeError(msg)


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Compiled code that is kept, loaded without what only the compiler needs.

    Numba makes ready to compile before it looks whether it has to: it loads its
    implementations of Python and NumPy (and SciPy, where that is installed), 0.3 s of
    processor time in every run. Where nothing is found, compiling makes ready by itself.

    Numba throws code away when the file of its loop has changed. Code also holds the inner
    kernels that it calls and constants of other modules, so that it goes by these, too.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for arguments of some types, or None."""
        # Not when it is made: a kernel may call one that stands further down.
        self._cache_file._source_stamp = _stamp_of(self._py_func, self)  # noqa: SLF001 - Numba has no way to say it
        # Kernels that make arrays call it; it is compiled in every process.
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            try:
                return self._load_overload(sig, target_context)
            except (AttributeError, ImportError):
                # Kept by another version, in which a class of its arguments had another name: it cannot even be listed.
                self.flush()
        # Also where the file is busy, on Windows.
        return None


def _stamp_of(loop: Callable[..., Any], cache: Any) -> list[Any]:
    """The contents of all files whose code is in a compiled loop, and the constants that it uses."""
    waiting, known, stamp = [(loop, cache)], {loop}, []
    for one, kept in waiting:
        is_kept = isinstance(kept, _KernelCache)
        stamp.append(kept._impl.locator.get_source_stamp() if is_kept else one.__code__.co_code)  # noqa: SLF001
        for name in one.__code__.co_names:
            value = one.__globals__.get(name)
            if isinstance(value, CPUDispatcher) and value.py_func not in known:
                known.add(value.py_func)
                waiting.append((value.py_func, value._cache))  # noqa: SLF001
            elif isinstance(value, int | float | str):
                stamp.append((name, value))
    return stamp


def _compile(loop: Callable[..., Any], **options: Any) -> Any:
    compiled = njit(nogil=True, no_cfunc_wrapper=True, **options)(loop)
    # Where there is no folder that the code could be kept in, it is compiled in every run.
    with suppress(RuntimeError):
        compiled._cache = _KernelCache(loop)  # noqa: SLF001 - `cache=True` would make one of Numba's own kind
    return compiled
