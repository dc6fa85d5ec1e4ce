"""Which browser the tests drive: an installed one, else Playwright's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
)
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)


def find_browser() -> str | None:
    """The path of an installed browser: `$MASKWISE_CHROMIUM`, else the system's; None if there is none."""
    given = os.environ.get("MASKWISE_CHROMIUM")
    if given:
        return given
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    return found or next((place for place in _PLACES if Path(place).exists()), None)


def install_browser() -> bool:
    """Have Playwright fetch its own browser; False where that cannot be reached."""
    command = [sys.executable, "-m", "playwright", "install", "chromium-headless-shell"]
    try:
        return subprocess.run(command, check=False, capture_output=True, timeout=300).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
