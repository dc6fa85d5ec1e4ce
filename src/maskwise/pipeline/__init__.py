"""The product in one place: read, profile, compress, search, mask, verify.

`anonymize`, `audit` and `apply` are what the command line and Python users
call, `solve` finds a cut without masking anything, `preview_trees` makes the
trees that a policy asks to be made of the table. Nothing is released that the
verifier has not accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.values.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from maskwise.pipeline.auditing import audit, audited
    from maskwise.pipeline.later_rows import apply
    from maskwise.pipeline.masking_run import anonymize
    from maskwise.pipeline.previewing import preview_trees
    from maskwise.pipeline.solving import solve

_HOME = {
    "anonymize": "maskwise.pipeline.masking_run",
    "apply": "maskwise.pipeline.later_rows",
    "audit": "maskwise.pipeline.auditing",
    "audited": "maskwise.pipeline.auditing",
    "preview_trees": "maskwise.pipeline.previewing",
    "solve": "maskwise.pipeline.solving",
}

__all__ = ["anonymize", "apply", "audit", "audited", "preview_trees", "solve"]

__getattr__, __dir__ = lazy_exports(__name__, _HOME)
