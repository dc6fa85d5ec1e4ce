"""Verify: recount a table from nothing but its cells. Imports nothing of the search."""
