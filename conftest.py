"""Tests and examples keep their kernels in a folder of their own, which the processes of a run share.

Where ``AUTODIFF_CACHE_DIR`` is set already, that folder is used and kept.
"""

import os
import shutil
import tempfile
from importlib.util import find_spec

VARIABLE = "AUTODIFF_CACHE_DIR"
made = []

collect_ignore = [] if find_spec("einops") else ["autodiff/einops.py"]  # it is importable only beside einops


def pytest_configure():
    """Make the folder; processes of pytest-xdist find it made."""
    if VARIABLE not in os.environ:
        made.append(tempfile.mkdtemp(prefix="autodiff-kernels-"))
        os.environ[VARIABLE] = made[0]


def pytest_unconfigure():
    """Remove what was made."""
    for folder in made:
        del os.environ[VARIABLE]
        shutil.rmtree(folder, ignore_errors=True)
    made.clear()
