"""A statement about a release that its recipient can check."""
