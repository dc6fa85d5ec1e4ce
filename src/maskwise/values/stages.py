"""The stages of a run, in their order."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """What a run is doing."""

    READ = "read"
    """The table is opened, and loaded where it is a file."""
    PROFILE = "profile"
    """Every masked attribute is counted by itself."""
    COMPRESS = "compress"
    """Equal rows of each QID are counted."""
    LEARN = "learn"
    """A classifier is trained, by which refinements are judged."""
    SEARCH = "search"
    """Refinements or generalizations are performed; there may be several searches."""
    COMPARE = "compare"
    """The results of several searches, or several ways to search, are compared."""
    ATTACK = "attack"
    """Attacks are tried on what was found."""
    EXPLAIN = "explain"
    """It is found out why each masked value is shown as it is."""
    CHECK = "check"
    """The released columns are looked at: what they tell beside what is masked."""
    MASK = "mask"
    """The release is written under a temporary name."""
    VERIFY = "verify"
    """It is recounted."""
    ASSESS = "assess"
    """The risk that is left is counted."""
