"""Top-down search by the information that is not shown yet: several variants, the best of them kept."""
