"""How likely it is that somebody is found in a table, or something about them: figures from counts of groups alone."""
