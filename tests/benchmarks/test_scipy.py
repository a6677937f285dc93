"""Programs over SciPy, unchanged: every one is there for both, and its gradient is that of differences."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import autodiff
from benchmarks.scipy.__main__ import ROWS
from benchmarks.scipy.process import FOLDERS, differences

FOLDER = Path(__file__).parents[2] / "benchmarks" / "scipy"


def test_every_program_is_written_for_both():
    for folder in FOLDERS.values():
        assert {path.stem for path in (FOLDER / folder).glob("[!_]*.py")} == set(ROWS)


def test_none_of_them_names_this_library():
    for path in (FOLDER / "unchanged").glob("[!_]*.py"):
        assert "autodiff" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ROWS)
def test_gradients_are_differences(name):
    module = import_module(f"benchmarks.scipy.unchanged.{name}")
    first = module.start()
    few = first if first.ndim == 1 else first[:1]  # the robot has many like parameters

    def of_few(p):
        return module.loss(p if first.ndim == 1 else np.concatenate([p, first[1:]]))

    expected = differences(of_few, few)
    found = autodiff.grad(autodiff.differentiable(module).loss)(first)
    np.testing.assert_allclose(found[: len(few)], expected, rtol=0, atol=1e-6 * np.max(np.abs(expected)))
