"""Programs of all kinds of kernels check their memory, and give what they give without checks."""

import os
import subprocess
import sys

from tests.backends.kernels.checked_programs import PROGRAMS
from tests.backends.kernels.running import needs_numba
from tests.docs.pages import ROOT

KINDS = {
    "a kernel of rows",
    "a kernel of a whole program",
    "a kernel that picks rows",
    "a kernel of windows",
    "a kernel of small products",
    "a kernel of a product of large matrices",
    "a kernel of convolutions",
}


@needs_numba
def test_programs_and_their_gradients_are_checked_and_have_the_same_bits():
    done = subprocess.run(
        [sys.executable, "-m", "tests.backends.kernels.checked_programs"],
        capture_output=True, text=True, timeout=300, cwd=ROOT, env=os.environ | {"AUTODIFF_CHECK_KERNELS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(PROGRAMS) + 1
    assert [line for line in lines if not line.endswith("; as it should be")] == []
    assert {kind for line in lines for kind in KINDS if kind in line} == KINDS
