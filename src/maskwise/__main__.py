"""The command line, as `python -m maskwise`."""

from __future__ import annotations

from maskwise.cli import run

if __name__ == "__main__":
    run()
