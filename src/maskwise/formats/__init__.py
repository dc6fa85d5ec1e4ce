"""Files beside the table: policies, taxonomies, solutions, traces, curves."""
