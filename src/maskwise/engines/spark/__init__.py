"""Spark: the tables, and how a session starts and ends."""
