"""Profile: one-dimensional counts of every masked column, and whether the table fits its policy."""
