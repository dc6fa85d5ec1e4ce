"""Report: what a run asked, reached and shows, in words, figures and pictures."""
