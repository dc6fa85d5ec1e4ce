"""The product in one place: read, profile, compress, search, mask, verify.

`anonymize`, `audit` and `apply` are what the command line and Python users
call, `solve` finds a cut without masking anything, `preview_trees` makes the
trees that a policy asks to be made of the table. Nothing is released that the
verifier has not accepted.
"""

from __future__ import annotations

from maskwise.pipeline.auditing import audit, audited
from maskwise.pipeline.later_rows import apply
from maskwise.pipeline.masking_run import anonymize
from maskwise.pipeline.previewing import preview_trees
from maskwise.pipeline.solving import solve

__all__ = ["anonymize", "apply", "audit", "audited", "preview_trees", "solve"]
