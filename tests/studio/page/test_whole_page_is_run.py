"""Every function of the page is run by some test."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from tests.studio.page.coverage import FunctionCoverage

pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("browser")
def test_every_function_of_the_page_was_called(coverage: FunctionCoverage, request: pytest.FixtureRequest) -> None:
    """It stands last, and judges only if all other tests of this folder were run before it in this process."""
    here = Path(__file__).parent
    chosen = {item.nodeid for item in request.session.items if item.path.parent == here}
    is_whole = {item.path for item in request.session.items if item.path.parent == here} == set(here.glob("test_*.py"))
    if not is_whole or request.config.getoption("keyword") or not chosen <= coverage.tests:
        pytest.skip("some tests of the page were not run here")
    folder = files("maskwise.studio") / "page"
    sources = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".js")}
    assert set(coverage.known) == set(sources)
    never = coverage.never_called(sources)
    assert not never, "\n".join(never)
