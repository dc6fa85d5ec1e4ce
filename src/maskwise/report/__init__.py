"""Report: what a run asked, reached and shows.

`report` says it as plain values, which are also its JSON form; `results` adds
risk, attacks and `why` values stay masked. `sections` puts all of it into sections (`content`),
and `markdown` and `html` write these out; `svg` draws. `plot` draws the curve
by itself. A report for recipients holds only what the release itself shows, so
it may accompany it.
"""
