"""How loops are compiled: by numba, which keeps the code beside the module or in the cache of the user."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numba import njit
from numba.core import event
from numba.core.caching import FunctionCache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FOLDER = Path(__file__).parents[2]
_IMPORT = re.compile(r"^ *from (maskwise[\w.]*) import ([^(\n]*)", re.MULTILINE)


def kernel(loop: Callable[..., Any]) -> Any:
    """Compile a loop, and keep the code for later runs; where nothing can be written, every run compiles it.

    Args:
        loop: As it is written.
    """
    compiled = njit(nogil=True)(loop)
    # Without a folder to keep it in.
    with suppress(RuntimeError):
        compiled._cache = _KernelCache(loop)  # noqa: SLF001 - `cache=True` would make one of numba's own kind
    return compiled


def plain_loop(compiled: Any) -> Any:
    """The loop as it is written, for a call or two that compiling would not pay for."""
    return compiled.py_func


@contextmanager
def on_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Say meanwhile when a loop begins to be compiled.

    Args:
        tell: Is called each time.
    """
    with event.install_listener("numba:compile", _Listener(tell)):
        yield


class _Listener(event.Listener):  # type: ignore[misc]
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def on_start(self, _: Any) -> None:
        self._tell()

    def on_end(self, _: Any) -> None:
        pass


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Compiled code in files.

    Numba takes it for good while the module of its loop is the same. In it are also the loops that it calls, and
    constants; so here it goes by the modules that these come from as well.
    """

    def __init__(self, loop: Callable[..., Any]) -> None:
        super().__init__(loop)
        self._cache_file._source_stamp = _stamp_of(Path(loop.__code__.co_filename))  # noqa: SLF001 - no other way

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for arguments of some types, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - whatever reading a damaged file may raise
            # Or one of a version in which a class of the arguments had another name.
            with suppress(OSError):
                self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep code, if there is room."""
        with suppress(OSError):
            super().save_overload(sig, data)


@cache
def _stamp_of(module: Path) -> bytes:
    """A digest of a module, and of those that it imports from, directly or through others."""
    modules = [module]
    for one in modules:
        modules += [other for other in _imported_by(one) if other not in modules]
    return hashlib.sha256(b"".join(one.read_bytes() for one in modules)).digest()


@cache
def _imported_by(module: Path) -> list[Path]:
    """The modules of ours that a module imports from, also those that only types are imported from."""
    names = [
        name
        for package, listed in _IMPORT.findall(module.read_text("utf-8"))
        for name in (package, *(f"{package}.{one}" for one in re.findall(r"\w+", listed)))
    ]
    paths = [_FOLDER.joinpath(*name.split(".")).with_suffix(".py") for name in dict.fromkeys(names)]
    return [path for path in paths if path.is_file()]
