"""Rivals are found by name, and every one of them can be fitted."""

from __future__ import annotations

import sys

import pytest

import maskwise.rivals
from maskwise.errors import InputError
from maskwise.rivals.registry import find_rival


def test_rivals_are_found_by_name() -> None:
    assert find_rival("mondrian") is maskwise.rivals.Mondrian
    assert find_rival("full-domain") is maskwise.rivals.FullDomain


def test_an_unknown_or_absent_rival_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"Known are `mondrian`, `full-domain`\. Did you mean `full-domain`"):
        find_rival("fulldomain")
    monkeypatch.setitem(sys.modules, "maskwise.rivals.full_domain", None)
    with pytest.raises(InputError, match="`full-domain` is not part of this maskwise"):
        find_rival("full-domain")
