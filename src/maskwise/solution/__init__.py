"""The result of a search as plain values: cuts, the steps that led to them, what they reach."""
