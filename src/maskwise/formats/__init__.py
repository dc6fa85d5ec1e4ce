"""Readers and writers of the files that stand beside a table: policies, taxonomies, solutions."""
