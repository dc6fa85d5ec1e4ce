"""Which functions of the page the browser has run."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

Function = tuple[str, int, int]
"""Its name and where it stands in the file."""


class FunctionCoverage:
    """The functions of all modules that were loaded, and those that were called, over many pages."""

    def __init__(self) -> None:
        self.known: dict[str, set[Function]] = defaultdict(set)
        self.called: dict[str, set[Function]] = defaultdict(set)
        self.tests: set[str] = set()
        """The tests that ran in this process."""

    def start(self, page: Any) -> Any:
        """Count the calls in a page from now on."""
        profiler = page.context.new_cdp_session(page)
        profiler.send("Profiler.enable")
        profiler.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
        return profiler

    def take(self, profiler: Any) -> None:
        """Add what was called so far."""
        for script in profiler.send("Profiler.takePreciseCoverage")["result"]:
            module = script["url"].rpartition("/page/")[2]
            if not module.endswith(".js") or "/" in module:
                continue
            for function in script["functions"]:
                span = function["ranges"][0]
                key = (function["functionName"], span["startOffset"], span["endOffset"])
                self.known[module].add(key)
                if span["count"]:
                    self.called[module].add(key)

    def never_called(self, sources: dict[str, str]) -> list[str]:
        """The functions that no page called, each with its line."""
        missing = []
        for module, functions in sorted(self.known.items()):
            for name, start, _ in sorted(functions - self.called[module], key=lambda one: one[1]):
                line = sources[module].count("\n", 0, start) + 1
                text = sources[module].splitlines()[line - 1].strip()
                missing.append(f"{module}:{line} {name or '(no name)'}: {text}")
        return missing
