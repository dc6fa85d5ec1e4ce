"""Report: what a run asked, reached and shows.

`report` puts it into words and figures, `plot` draws. A report holds only what
the release itself shows, so it may accompany it.
"""
