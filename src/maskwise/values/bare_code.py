"""Machine code of bare kernels: loaded by LLVM from what an earlier run has kept, and called through ctypes.

Numba compiles a loop to an object file with one function. It takes words (see
`bare_arguments`), writes what it gives to an address, and returns 0 or an error. LLVM's
library puts the file into memory; it ends the process over a name that is not known, so
that only code is loaded whose names are.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from maskwise.values.bare_arguments import is_known, is_whole, spelled
from maskwise.values.bare_files import read_code, write_code
from maskwise.values.loop_stamp import stamp_of

if TYPE_CHECKING:
    from maskwise.values.compiled import Kernel

_OF_C = frozenset(
    ("cos", "exp", "exp2", "floor", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sqrt", "tgamma", "trunc")
) | {"memcpy", "memmove", "memset"}
"""Functions of C's library that a loop may call."""
_INSTRUCTIONS = frozenset(
    ("abs", "assume", "ctpop", "fabs", "lifetime", "masked", "smax", "smin", "umax", "umin", "vector")
)
"""What LLVM calls like functions, and what becomes instructions."""
UNKNOWN = "?"
"""Anything else."""
_MOST_WORDS = 1000
"""ctypes hands over few more than so many."""
_DONE = (0, -2)
"""What a function returns that went well, with a value and with none."""


def needed_for(declared: str) -> str:
    """The function of C's library that is looked for where LLVM calls one; none for an instruction.

    Examples:
        >>> needed_for("llvm.log2.f64"), needed_for("log1p"), needed_for("llvm.smax.i64"), needed_for("NRT_Allocate")
        ('log2', 'log1p', '', '?')
    """
    prefix, _, rest = declared.partition(".")
    if prefix != "llvm":
        return declared if declared in _OF_C else UNKNOWN
    name = rest.partition(".")[0]
    # Also of vectors, whose numbers are taken one after the other.
    if name in _OF_C and not rest.endswith("f32"):
        return name
    return "" if name in _INSTRUCTIONS else UNKNOWN


class Returns(StrEnum):
    """What a loop gives."""

    NOTHING = "nothing"
    WHOLE = "whole"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled loop."""

    name: str
    """Of its function in the object file."""
    returns: Returns
    """What it gives."""
    needs: tuple[str, ...]
    """Names that must be known where it is loaded."""
    object_code: bytes
    """The object file."""

    def to_bytes(self) -> bytes:
        """As it is kept."""
        head = json.dumps([self.name, self.returns, self.needs]).encode()
        return head + b"\n" + self.object_code

    @classmethod
    def from_bytes(cls, kept: bytes) -> Code:
        """What `to_bytes` made."""
        head, _, object_code = kept.partition(b"\n")
        name, returns, needs = json.loads(head)
        return cls(name, Returns(returns), tuple(needs), object_code)


class Entry:
    """A loop in memory."""

    def __init__(self, code: Code, takes: list[bool], loop: str) -> None:
        """Load it.

        Args:
            code: The loop.
            takes: For each word whether it is a whole number.
            loop: Its name, for a message.
        """
        # One for each: two object files may have functions of the same name.
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target().create_target_machine(jit=True))
        self._engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code.object_code))
        self._engine.finalize_object()
        address = self._engine.get_function_address(code.name)
        words = [ctypes.c_int64 if one else ctypes.c_double for one in takes]
        # It lets other threads of Python run meanwhile.
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *words)
        self._function = kind(address)
        self._result = ctypes.c_double if code.returns is Returns.NUMBER else ctypes.c_int64
        self._is_nothing = code.returns is Returns.NOTHING
        self._loop = loop

    def __call__(self, words: list[Any]) -> Any:
        """Run it.

        Args:
            words: The arguments. Arrays among them must live until it ends.
        """
        result, error = self._result(), ctypes.c_void_p()
        status = self._function(ctypes.byref(result), ctypes.byref(error), *words)
        if status not in _DONE:
            msg = f"The compiled loop `{self._loop}` stopped with the error {status}, such as a division by zero."
            raise ArithmeticError(msg)
        return None if self._is_nothing else result.value


def find_entry(kernel: Kernel, types: tuple[Any, ...], arguments: tuple[Any, ...] | None = None) -> Entry | None:
    """The code of a loop for arguments of some types: what was kept, or what is compiled now; None if it cannot be.

    Args:
        kernel: The loop.
        types: Of the arguments.
        arguments: Those of a call; None compiles nothing.
    """
    # Whatever is wrong is told where numba calls the loop, or is no matter there.
    with suppress(Exception):
        if not is_known(types) or len(takes := is_whole(types)) > _MOST_WORDS:
            return None
        code = _find_code(kernel, types, arguments)
        if code is not None and all(map(_is_there, code.needs)):
            return Entry(code, takes, kernel.py_func.__name__)
    return None


def _find_code(kernel: Kernel, types: tuple[Any, ...], arguments: tuple[Any, ...] | None) -> Code | None:
    loop, run_by = kernel.py_func, f"{spelled(types)}\n{_runs_it()}"
    stamp = hashlib.sha256("\n".join(stamp_of(loop)).encode()).digest()
    kept = read_code(loop, run_by, stamp)
    if kept is not None:
        return Code.from_bytes(kept)
    if arguments is None:
        return None
    from maskwise.values.compiler import compile_bare  # noqa: PLC0415 - numba is slow to load

    code = compile_bare(kernel, arguments)
    if code is not None:
        write_code(loop, run_by, stamp, code.to_bytes())
    return code


def _is_there(name: str) -> bool:
    """Whether LLVM finds a function of C's library; it is told where that is, as numba would."""
    _target()
    if not llvm.address_of_symbol(name):
        found = getattr(_library_of_c(), name, None)
        if found is None:
            return False
        llvm.add_symbol(name, ctypes.cast(found, ctypes.c_void_p).value)
    return True


@cache
def _library_of_c() -> ctypes.CDLL:
    return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


@cache
def _target() -> Any:
    """This machine, ready for code."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


@cache
def _runs_it() -> str:
    """What code is compiled by and for: it is not run by anything else."""
    # Numba's version without loading numba.
    spec = find_spec("numba")
    version = Path(spec.origin).with_name("_version.py") if spec is not None and spec.origin is not None else None
    numba = version.read_text() if version is not None and version.is_file() else repr(version)
    # Neither where it is kept nor how numba's messages look changes the code; `quiet_numba` sets the latter meanwhile.
    no_matter = {"NUMBA_CACHE_DIR", "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"}
    asked = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_") and name not in no_matter}
    return json.dumps(
        [
            sys.version,
            numba,
            llvmlite.__version__,
            np.__version__,
            llvm.get_process_triple(),
            llvm.get_host_cpu_name(),
            llvm.get_host_cpu_features().flatten(),
            sorted(asked.items()),
        ]
    )
