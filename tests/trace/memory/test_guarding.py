"""Guarded memory: what lies in it is as it was, and who leaves it ends its process."""

import os
import subprocess
import sys

import numpy as np
import pytest

from autodiff.testing.draws.layouts import LAYOUTS
from autodiff.trace.memory.guarding import guarded, guarded_array, guarded_copy

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pages are protected by mprotect")

TOUCH = """
import ctypes, faulthandler
from autodiff.trace.memory.guarding import guarded
memory = guarded(24, 8, {at_end})
ctypes.c_double.from_address(memory.ctypes.data + {place}).value = 1.0
print("written")
"""


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (0, 2), (3,), (5, 7), (700, 3)])
@pytest.mark.parametrize("at_end", [False, True])
def test_a_copy_has_the_elements_and_strides(layout, shape, at_end):
    array = LAYOUTS[layout](np.arange(np.prod(shape), dtype=np.float64).reshape(shape))
    found = guarded_copy(array, at_end)
    assert found.tobytes() == array.tobytes()
    assert found.flags.writeable == array.flags.writeable
    if array.size:
        assert found.strides == array.strides
        assert not np.shares_memory(found, array)


def test_memory_ends_where_the_page_begins():
    assert (guarded(24, 8).ctypes.data + 24) % 4096 == 0
    assert guarded(24, 8, at_end=False).ctypes.data % 4096 == 0
    assert guarded(100, 64).ctypes.data % 64 == 0
    assert guarded_array((3, 5), np.dtype(np.float32)).shape == (3, 5)


@pytest.mark.parametrize(("at_end", "place", "inside"), [(True, 16, True), (True, 24, False), (False, -8, False)])
def test_who_leaves_it_ends_the_process(at_end, place, inside):
    done = subprocess.run(
        [sys.executable, "-c", TOUCH.format(at_end=at_end, place=place)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode == 0) == inside
    assert (done.stdout == "written\n") == inside


def test_the_fuzz_runs_guarded():
    done = subprocess.run(
        [
            sys.executable, "-m", "autodiff.testing.fuzz", "--compiled", "--guarded", "--size", "edges",
            "--programs", "6", "--draws", "2", "--seed", "3", "--jobs", "1",
        ],
        capture_output=True, text=True, timeout=300, env=os.environ | {"AUTODIFF_GUARD_MEMORY": "1"},
    )  # fmt: skip
    assert "6 programs, 24 checks" in done.stdout, done.stderr
    assert done.returncode == 0
