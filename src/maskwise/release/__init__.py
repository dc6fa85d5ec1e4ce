"""Mask a table by a solution, and publish it only after the recount has confirmed it."""
