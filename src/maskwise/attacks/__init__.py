"""Known attacks on tables masked like this, run by the owner on a release of their own."""
