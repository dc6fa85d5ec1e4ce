"""How loops are compiled: by numba, once for an installation, and fast enough to be waited for.

Only modules of kernels import this one. It does not load numba, which takes a fifth of a second, before a loop
needs it. There are three kinds of loops:

- a `bare_kernel` takes arrays, numbers and tuples of these, makes no arrays and gives a number or nothing. Its machine
  code is kept and called as it is (see `bare_code`), so that numba is not even loaded once it is compiled;
- an `inner_kernel` is called by other kernels only;
- any other `kernel` is called through numba, which is faster where it happens thousands of times.

Code is kept beside the module, or in the user's cache where that folder cannot be written; where nothing can be, every
run compiles what it needs.
"""

from __future__ import annotations

import functools
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from maskwise.values.bare_arguments import flatten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from maskwise.values.bare_code import Entry


def kernel(loop: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls; the code is kept for later runs."""
    return Kernel(loop)


def inner_kernel(loop: Callable[..., Any]) -> Any:
    """Compile a loop that only other kernels call: without the code that turns Python objects into arrays.

    Of a kernel that takes thirty arrays, that code takes as long to compile as the loop.
    """
    return InnerKernel(loop)


def shared_kernel(loop: Callable[..., Any]) -> Any:
    """Compile a loop that other kernels call, and Python as it is written: where it calls their plain loops."""
    return SharedKernel(loop)


def bare_kernel(loop: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls, as machine code that needs nothing of numba."""
    return BareKernel(loop)


def plain_loop(kernel: Any) -> Any:
    """The loop as it is written, for a call or two that compiling would not pay for."""
    return kernel.py_func


def is_compiled(kernel: Any, *arguments: Any) -> bool:
    """Whether a bare kernel can be called with such arguments without being compiled first."""
    found: bool = kernel.is_compiled(*arguments)
    return found


def is_kept(kernel: Any) -> bool:
    """Whether compiled code of a kernel is found again by other processes."""
    found: bool = kernel.is_kept
    return found


class Kernel:
    """A loop that numba compiles and calls."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        """Begin without code.

        Args:
            loop: As it is written.
        """
        self.py_func = loop
        functools.update_wrapper(self, loop)
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run it; the first time with arguments of some types it is loaded or compiled."""
        return self.dispatcher(*arguments)

    @property
    def dispatcher(self) -> Any:
        """What numba makes of the loop."""
        if self._dispatcher is None:
            from maskwise.values.compiler import called_by_python  # noqa: PLC0415 - numba is slow to load

            self._dispatcher = called_by_python(self.py_func)
        return self._dispatcher

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments that there is code for in this process."""
        return list(self.dispatcher.signatures)

    @property
    def is_kept(self) -> bool:
        """Whether other processes find the code."""
        from maskwise.values.compiler import has_cache  # noqa: PLC0415 - as above

        return has_cache(self.dispatcher)

    @property
    def _numba_type_(self) -> Any:
        """How numba sees the kernel in one that calls it."""
        return self.dispatcher._numba_type_


class InnerKernel(Kernel):
    """A loop that other kernels call. Called from Python, code without a wrapper would end the process."""

    def __call__(self, *_arguments: Any) -> None:
        """Refuse."""
        msg = f"`{self.py_func.__name__}` is an inner kernel: other kernels call it, and Python does not."
        raise TypeError(msg)

    @property
    def dispatcher(self) -> Any:
        """What numba makes of the loop."""
        if self._dispatcher is None:
            from maskwise.values.compiler import called_by_kernels  # noqa: PLC0415 - numba is slow to load

            self._dispatcher = called_by_kernels(self.py_func)
        return self._dispatcher


class SharedKernel(InnerKernel):
    """An inner kernel that Python may call, too, without compiling it."""

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop as it is written."""
        return self.py_func(*arguments)


class BareKernel(InnerKernel):
    """A loop whose machine code is called as it is."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        """Begin without code.

        Args:
            loop: As it is written.
        """
        super().__init__(loop)
        self._entries: dict[tuple[Any, ...], Entry | Kernel] = {}
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> Any:
        """Run it; the first time with arguments of some types it is loaded or compiled."""
        types, words = flatten(arguments)
        entry = self._entries.get(types)
        if entry is None:
            entry = self._find(types, arguments)
        return entry(*arguments) if isinstance(entry, Kernel) else entry(words)

    def _find(self, types: tuple[Any, ...], arguments: tuple[Any, ...]) -> Entry | Kernel:
        """Load the code for some arguments, or compile it; where it cannot be bare, numba calls it."""
        from maskwise.values.bare_code import find_entry  # noqa: PLC0415 - not before something is called

        with self._lock:
            if types not in self._entries:
                self._entries[types] = find_entry(self, types, arguments) or Kernel(self.py_func)
            return self._entries[types]

    def is_compiled(self, *arguments: Any) -> bool:
        """Whether there is code for such arguments, here or kept by another run; it is loaded then."""
        from maskwise.values.bare_code import find_entry  # noqa: PLC0415 - as above

        types, _ = flatten(arguments)
        with self._lock:
            if types not in self._entries and (entry := find_entry(self, types)) is not None:
                self._entries[types] = entry
            return types in self._entries

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments that there is code for in this process."""
        return list(self._entries)

    @property
    def is_kept(self) -> bool:
        """Whether other processes find the code."""
        from maskwise.values.bare_files import folder_to_write  # noqa: PLC0415 - as above

        return folder_to_write(self.py_func) is not None


_LISTENERS: dict[int, list[Callable[[], None]]] = {}
"""Whom to tell, by thread, when compiling begins."""


@contextmanager
def on_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Say meanwhile when this thread begins to compile.

    Args:
        tell: Is called each time.
    """
    own = _LISTENERS.setdefault(threading.get_ident(), [])
    own.append(tell)
    try:
        yield
    finally:
        own.remove(tell)
        if not own:
            _LISTENERS.pop(threading.get_ident(), None)


def tell_that_it_compiles() -> None:
    """This thread begins to compile a loop."""
    for tell in list(_LISTENERS.get(threading.get_ident(), ())):
        tell()
