"""`python -m maskwise.cli` is the same command as `maskwise`."""

from maskwise.cli import run

if __name__ == "__main__":
    run()
