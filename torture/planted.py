"""Secrets that are planted in tables, and the search for them in everything that a run writes or says."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Iterable
from pathlib import Path

_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


def secret(rng: random.Random, kind: str) -> str:
    """A text that stands nowhere by chance."""
    return f"{kind}{''.join(rng.choices(_LETTERS, k=9))}"


def content_of(path: Path) -> bytes:
    """The bytes of a file; what is packed is unpacked."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(raw)
    return raw


def found_in(content: bytes, secrets: Iterable[str]) -> list[str]:
    """The secrets that stand in some bytes, as text of one or two bytes per letter, also inside packed pages."""
    packed = b"".join(_unpacked(content))
    return [
        one
        for one in secrets
        if any(one.encode(how) in part for how in ("utf-8", "utf-16-le") for part in (content, packed))
    ]


def _unpacked(content: bytes) -> Iterable[bytes]:
    """What deflated parts of a file hold, such as those of a picture or a page of parquet."""
    at = 0
    while (at := content.find(b"x\x9c", at)) >= 0:
        try:
            yield zlib.decompressobj().decompress(content[at:])
        except zlib.error:
            pass
        at += 2
