"""The members of a zip file that somebody sent: none is trusted, and none is written to the disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.formats.taxonomies.source import MOST_BYTES, decode, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

_MOST_MEMBERS = 10_000
_MOST_UNPACKED = MOST_BYTES
"""So many bytes are unpacked of one project, all members together."""


class Archive:
    """The members of a project, by name."""

    def __init__(self, path: Path) -> None:
        """Open the file and look at the names in it."""
        self.path = path
        self._n_left = _MOST_UNPACKED
        content = read_bytes(path)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, NotImplementedError, ValueError):
            msg = f"`{path}` is no ARX project: it is no zip file, or a damaged one. Save it again in ARX."
            raise InputError(msg) from None
        names = self._zip.namelist()
        odd = [name for name in names if _leaves_the_folder(name)]
        if odd or len(names) > _MOST_MEMBERS or len(set(names)) < len(names):
            why = "names a file outside of it" if odd else "holds too many files, or one twice"
            msg = f"`{path}` {why}. ARX writes no such project; do not use this file."
            raise InputError(msg)
        self.names = frozenset(names)

    def text(self, name: str) -> str:
        """The text of a member, which is UTF-8."""
        return decode(self._unpack(name), f"{self.path.name}: {name}")

    def table(self, name: str) -> tuple[str, bool]:
        """The text of a table, and whether its encoding is a guess: ARX writes tables as the machine does."""
        content, is_guess = self._unpack(name), False
        try:
            content.decode()
        except UnicodeDecodeError:
            content, is_guess = content.decode("cp1252", errors="replace").encode(), True
        return decode(content, f"{self.path.name}: {name}"), is_guess

    def _unpack(self, name: str) -> bytes:
        """The bytes of a member, up to a limit whatever the archive says of its size."""
        try:
            with self._zip.open(name) as member:
                content = member.read(self._n_left + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError):
            msg = (
                f"`{self.path}`: `{name}` in it cannot be unpacked. Save the project again in ARX, without a password."
            )
            raise InputError(msg) from None
        self._n_left -= len(content)
        if self._n_left < 0:
            msg = f"`{self.path}` unpacks to more than {_MOST_UNPACKED >> 20} MB of descriptions. Do not use this file."
            raise InputError(msg)
        return content


def _leaves_the_folder(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return name.startswith(("/", "\\")) or ".." in parts or ":" in (parts[0] if parts else "")
