"""The groups of a quasi-identifier while a cut moves: split on the way down, merged on the way up."""
