"""Top-down search by what is not told yet: conditional gain, several variants, the best of them kept."""
