"""Find the files of the papers' data sets.

A folder that the caller or `MASKWISE_DATA` names is used as it is. Otherwise a
file is downloaded from the UCI Machine Learning Repository once, checked and
kept in the user's cache folder. The package itself parses the files.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from maskwise.errors import InputError, did_you_mean

FOLDER = "MASKWISE_DATA"
"""The environment variable that names a folder with the files."""
_TIMEOUT = 30
"""The seconds to wait for a server."""
_MAX_BYTES = 10_000_000
"""All files here are far smaller; a longer answer is cut off."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file as its authors published it."""

    name: str
    """Its name."""
    sha256: str
    """The hash of its content."""
    page: str
    """The web page about it."""
    addresses: tuple[str, ...]
    """The addresses to download it from, tried in turn; a `.zip` contains it under its name."""


CRX = RawFile(
    "crx.data",
    "fff49bc186cbddb3ace7371d40d9fbbb3af4f126019c13ff3f562249b1454f4d",
    "https://archive.ics.uci.edu/dataset/27/credit+approval",
    (
        "https://archive.ics.uci.edu/static/public/27/credit+approval.zip",
        "https://archive.ics.uci.edu/ml/machine-learning-databases/credit-screening/crx.data",
    ),
)
GERMAN = RawFile(
    "german.data",
    "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
    "https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data",
    (
        "https://archive.ics.uci.edu/static/public/144/statlog+german+credit+data.zip",
        "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/german.data",
    ),
)


def locate(raw: RawFile, folder: str | Path | None = None) -> Path:
    """Find a file: in a folder, in the one that `MASKWISE_DATA` names, in the cache, or by downloading it.

    Args:
        raw: Which file.
        folder: The folder that has it; None looks in the other places.
    """
    if folder is not None:
        return _in_folder(raw, Path(folder), "")
    if named := os.environ.get(FOLDER):
        return _in_folder(raw, Path(named), f" (from {FOLDER})")
    cached = cache_folder() / raw.name
    if not (cached.is_file() and _hash(cached.read_bytes()) == raw.sha256):
        _write_cache(cached, _download(raw))
    return cached


def cache_folder() -> Path:
    """The user's folder for files that can be downloaded again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "maskwise"


def _in_folder(raw: RawFile, folder: Path, named_by: str) -> Path:
    if not folder.is_dir():
        msg = f"There is no folder `{folder}`{named_by} to read `{raw.name}` from. Name one that has the file."
        raise InputError(msg)
    path = folder / raw.name
    if not path.is_file():
        near = did_you_mean(raw.name, (p.name for p in folder.iterdir()))
        msg = f"The folder `{folder}`{named_by} has no file `{raw.name}`.{near} Put it there; it is at {raw.page}."
        raise InputError(msg)
    return path


def _download(raw: RawFile) -> bytes:
    """Fetch the file from the first address that has all of it."""
    failures = []
    for address in raw.addresses:
        try:
            content = _fetch(address, raw.name)
        except _DownloadError as failure:
            failures.append(f"{address}: {failure}")
            continue
        sha256 = _hash(content)
        if sha256 == raw.sha256:
            return content
        failures.append(f"{address}: its content has the sha256 {sha256[:12]}..., expected {raw.sha256[:12]}...")
    msg = (
        f"`{raw.name}` could not be downloaded ({'; '.join(failures)}). Download it by hand from {raw.page} into a "
        f"folder, and name that folder with folder= or {FOLDER}."
    )
    raise InputError(msg)


class _DownloadError(Exception):
    """One address did not deliver the file."""


def _fetch(address: str, name: str) -> bytes:
    import urllib.request  # noqa: PLC0415
    from http.client import HTTPException  # noqa: PLC0415
    from urllib.error import HTTPError, URLError  # noqa: PLC0415

    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310 - the addresses stand above
            content = bytes(answer.read(_MAX_BYTES))
        if not address.endswith(".zip"):
            return content
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(name) as file:
            return file.read(_MAX_BYTES)
    except HTTPError as error:
        msg = f"the server answered {error.code}"
        error.close()
        raise _DownloadError(msg) from None
    except URLError as error:
        raise _DownloadError(str(getattr(error.reason, "strerror", None) or error.reason).lower()) from None
    except (zipfile.BadZipFile, zlib.error, EOFError):
        raise _DownloadError("what came is not a whole zip file") from None
    except KeyError:
        msg = f"the zip file does not hold {name}"
        raise _DownloadError(msg) from None
    except (OSError, HTTPException) as error:
        raise _DownloadError(str(error).lower() or type(error).__name__) from None


def _write_cache(path: Path, content: bytes) -> None:
    """Write a checked file in one step, so that no other process reads half of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)
    except OSError as error:
        msg = (
            f"`{path.name}` was downloaded, but the cache folder `{path.parent}` cannot be written: {error.strerror}. "
            f"Free it, or put the file into a folder and name that with folder= or {FOLDER}."
        )
        raise InputError(msg) from None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
