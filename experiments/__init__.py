"""The papers' figures and tables, measured anew: one script each."""
