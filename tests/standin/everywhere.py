"""``python -m pytest -p tests.standin.everywhere``: the stand-in is CuPy, from before any test is imported."""

import sys

from tests.standin.module import build

sys.modules.update(build())
