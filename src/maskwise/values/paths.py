"""Whether a file or folder is there; a name that no file can have is not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def is_there(path: str | Path) -> bool:
    """Whether something has this name. One that is too long is no error, other than to `Path.exists`.

    >>> is_there("/"), is_there("x" * 400)
    (True, False)
    """
    return os.path.exists(path)  # noqa: PTH110 - see above


def is_folder(path: str | Path) -> bool:
    """Whether a folder has this name.

    >>> is_folder("/"), is_folder("x" * 400)
    (True, False)
    """
    return os.path.isdir(path)  # noqa: PTH112 - see above
