"""What numba compiles, and where it keeps that; loaded only where a loop has to be compiled or is called through numba.

`compiled` says which loops there are.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import maskwise.values.quiet_numba  # noqa: F401 - before numba

# isort: split
from numba import njit, typeof, types
from numba.core.caching import FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.runtime import rtsys

from maskwise.values.bare_arguments import as_numbers, words_of
from maskwise.values.bare_code import UNKNOWN, Code, Returns, needed_for
from maskwise.values.compiled import Kernel, tell_that_it_compiles
from maskwise.values.loop_stamp import stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable

_POINTER = re.compile(r".*\*")
"""Pointers say what they point to in older versions of LLVM."""
_ALONE: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": True, "_nrt": False}
"""No code that turns Python objects into arrays, and none that counts who holds an array: the loop makes none."""
_RETURNS = {types.none: Returns.NOTHING, types.int64: Returns.WHOLE, types.float64: Returns.NUMBER}


def called_by_python(loop: Callable[..., Any]) -> Any:
    """A loop with the code that turns Python objects into arrays."""
    compiled = njit(nogil=True, no_cfunc_wrapper=True)(loop)
    compiled._cache = _cache_of(loop)  # noqa: SLF001 - `cache=True` would make one of Numba's own kind
    return compiled


def called_by_kernels(loop: Callable[..., Any]) -> Any:
    """A loop that is linked into others."""
    compiled = njit(**_ALONE, pipeline_class=_InnerCompiler)(loop)
    compiled._cache = _cache_of(loop)  # noqa: SLF001 - as above
    return compiled


def has_cache(dispatcher: Any) -> bool:
    """Whether code is found again by other processes."""
    return isinstance(dispatcher._cache, _KernelCache)  # noqa: SLF001 - Numba has no way to ask


def compile_bare(kernel: Kernel, arguments: tuple[Any, ...]) -> Code | None:
    """Compile a loop for arguments of some types; None where its code needs more than is there without numba.

    Args:
        kernel: The loop.
        arguments: Those of a call.
    """
    signature = tuple(typeof(one) for one in as_numbers(arguments))
    compiled = njit(**_ALONE)(kernel.py_func)
    compiled._cache = _NoCache()  # noqa: SLF001 - as above
    compiled.compile(signature)
    made = compiled.overloads[signature]
    library, name = made._asdict()["library"], made.fndesc.llvm_func_name
    returns = _RETURNS.get(made.signature.return_type)
    takes = [_POINTER.sub("ptr", str(one.type)) for one in library.get_function(name).arguments]
    declared = (one for one in library._final_module.functions if one.is_declaration)  # noqa: SLF001 - no other way
    needs = {needed_for(one.name) for one in declared} - {""}
    # Where it gives what, and where an error is told, come before what it takes.
    if returns is None or takes != ["ptr", "ptr", *words_of(arguments)] or UNKNOWN in needs:
        return None
    object_code = library._get_compiled_object()  # noqa: SLF001 - as above
    return Code(name, returns, tuple(sorted(needs)), object_code)


def _cache_of(loop: Callable[..., Any]) -> Any:
    # Where there is no folder that the code could be kept in, it is compiled in every run.
    with suppress(RuntimeError):
        return _KernelCache(loop)
    return _NoCache()


class _LinkedOnly(JITCodeLibrary):  # type: ignore[misc]
    """Code of an inner kernel: linked into that of the kernels that call it, never run by itself.

    Numba would turn it into machine code as well, a seventh of the time that compiling takes.
    """

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """There is none; the code before it is all that others link."""
        return self.serialize_using_bitcode()

    @property
    def codegen(self) -> _NoEnvironment:
        """What numba asks to tell code where objects of Python are."""
        return _NoEnvironment(self._codegen)


class _NoEnvironment:
    """Numba's generator of code, for code that is not in memory."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def set_env(self, *_: Any) -> None:
        """Say nothing."""


class _InnerCompiler(Compiler):  # type: ignore[misc]
    """Compiles inner kernels."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        if library is None and _CAN_LINK_ONLY:
            library = _LinkedOnly(target.codegen(), "inner kernel")
        super().__init__(typing, target, library, *others)


_CAN_LINK_ONLY = all(
    hasattr(JITCodeLibrary, name)
    for name in ("_finalize_final_module", "_finalize_dynamic_globals", "_verify_declare_only_symbols")
)
"""Whether numba's parts are called as they are here."""


class _NoCache(NullCache):  # type: ignore[misc]
    """Keeps nothing, and tells when something is compiled."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        """Nothing is kept."""
        del sig, target_context
        tell_that_it_compiles()


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
        self._cache_file._source_stamp = stamp_of(self._py_func)  # noqa: SLF001 - Numba has no way to say it
        # Kernels that make arrays call it; it is compiled in every process.
        rtsys.initialize(target_context)
        found = None
        with self._guard_against_spurious_io_errors():
            try:
                found = self._load_overload(sig, target_context)
            except (AttributeError, ImportError):
                # Kept by another version, in which a class of its arguments had another name: it cannot even be listed.
                self.flush()
        # Also where the file is busy, on Windows.
        if found is None:
            tell_that_it_compiles()
        return found
