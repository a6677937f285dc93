"""Triangular systems by NumPy's BLAS and by blocks, beside elimination."""

import itertools

import numpy as np
import pytest

from autodiff.ops.matrices import substitution
from autodiff.ops.matrices.substitution import by_blocks, solved

TOLERANCE = {"f": 2e-4, "d": 1e-11, "F": 2e-4, "D": 1e-11}
LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every other": lambda x: np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "read-only": lambda x: np.broadcast_to(x, x.shape),
}


def numbers(random, shape, char):
    real = random.standard_normal(shape)
    return (real + 1j * random.standard_normal(shape) if char in "FD" else real).astype(char)


@pytest.mark.parametrize("solve", [solved, by_blocks])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("char", TOLERANCE)
def test_solutions_are_those_of_elimination(solve, layout, char):
    random = np.random.default_rng(5)
    for n, m, lower, unit in itertools.product((0, 1, 2, 7, 64, 65, 130), (0, 1, 5), (False, True), (False, True)):
        full = numbers(random, (n, n), char) / max(n, 1) + 2 * np.eye(n, dtype=char)
        b = LAYOUTS[layout](numbers(random, (n, m), char))
        own = np.tril(full) if lower else np.triu(full)
        if unit:
            np.fill_diagonal(own, 1)
        full[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan  # nobody reads the other triangle
        kept = b.copy()
        found = solve(LAYOUTS[layout](full), b, lower, unit)
        np.testing.assert_allclose(found, np.linalg.solve(own, b), rtol=0, atol=TOLERANCE[char])
        np.testing.assert_array_equal(b, kept)
        assert found.dtype == np.dtype(char)
        assert not np.shares_memory(found, b)


def test_without_the_library_it_goes_by_blocks(monkeypatch):
    monkeypatch.setattr(substitution, "of_blas", lambda char: None)
    a, b = np.tril(np.ones((5, 5))), np.ones((5, 2))
    np.testing.assert_array_equal(solved(a, b, True, False), by_blocks(a, b, True, False))
