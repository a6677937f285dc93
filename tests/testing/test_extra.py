"""What is said where hypothesis is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("run", ["import autodiff.testing", "import runpy; runpy.run_module('autodiff.testing.fuzz')"])
def test_the_extra_is_named(run):
    program = f"import sys; sys.modules['hypothesis'] = None; {run}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.strip().splitlines()[-1] == (
        "ModuleNotFoundError: autodiff.testing needs hypothesis, which is not installed: run pip install 'autodiff[testing]'"
    )
