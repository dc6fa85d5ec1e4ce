"""Verify: recount a table from nothing but its cells. Imports nothing of the search.

`verify` is the entrance and returns a `Verdict` (`verdict`); `measures` has
the arithmetic of each privacy model, written apart from the search's own.
"""
