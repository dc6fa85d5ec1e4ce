"""A process that runs commands: a line of JSON in, a line of JSON out.

Started with the shim loaded before libc it lets system calls fail too, those of
every library.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

from torture.command import call

NEVER = 1 << 60


def main() -> None:
    """Answer until there is nothing more to do."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    shim = None
    if path := os.environ.get("TORTURE_SHIM"):
        shim = ctypes.CDLL(path)
        shim.shim_seen.restype = shim.shim_done.restype = ctypes.c_long
        shim.shim_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int]
    for line in sys.stdin:
        asked = json.loads(line)
        if shim is not None:
            n = NEVER if asked["n"] is None else asked["n"]
            shim.shim_arm(asked["below"].encode(), asked["kind"], n, asked["mode"], asked["error"])
        ended = call(*asked["arguments"])
        said = {"code": ended.code, "said": ended.said[-2000:], "crash": ended.crash}
        if shim is not None:
            shim.shim_disarm()
            said |= {"seen": shim.shim_seen(), "done": shim.shim_done()}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
