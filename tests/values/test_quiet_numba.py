"""Compiling in a thread does not take the output of another one."""

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_numba_does_not_replace_the_streams(tmp_path):
    """A colorama without its functions: numba fails to import if it would call them."""
    (tmp_path / "colorama.py").write_text("__version__ = '0.4.6'\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_DISABLE")}
    path = os.pathsep.join([str(tmp_path), *filter(None, [environment.get("PYTHONPATH")])])
    code = "import colorama, maskwise.values.compiler; assert not hasattr(colorama, 'init')"
    subprocess.run([sys.executable, "-c", code], check=True, env={**environment, "PYTHONPATH": path})
