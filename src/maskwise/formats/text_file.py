"""Small text files, whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path


def read_text(path: Path) -> str:
    """Read a UTF-8 text file, with or without a byte order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = did_you_mean(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else ""
        msg = f"There is no file `{path}`.{near}"
        raise InputError(msg) from None
    except UnicodeDecodeError:
        msg = f"`{path}` is not UTF-8 text. Save it as UTF-8."
        raise InputError(msg) from None
    except OSError as error:
        msg = f"`{path}` cannot be read: {error.strerror}."
        raise InputError(msg) from None
