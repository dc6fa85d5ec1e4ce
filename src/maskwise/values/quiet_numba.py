"""Numba leaves `sys.stdout` and `sys.stderr` alone, if this is imported before it.

Where colorama is installed, numba colours its messages with it, also those of
attempts while it compiles, which nobody reads. For that, colorama puts streams
of its own in the place of Python's, and puts back those that it saw first.
Loops are compiled in a thread beside others, whose output went elsewhere then.
"""

import os

os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
