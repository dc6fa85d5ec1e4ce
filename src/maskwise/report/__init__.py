"""Report: what a run asked, reached and shows.

`report` puts it into words and figures, `why` those on why values stay masked,
`plot` draws. A report for recipients holds only what the release itself shows,
so it may accompany it.
"""
