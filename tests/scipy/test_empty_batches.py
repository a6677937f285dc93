"""No examples, and matrices without rows, where SciPy's own function takes one at a time or at least one."""

import numpy as np
import pytest

import autodiff
from autodiff.scipy import fftpack, linalg, optimize, signal, special, stats

line, square = np.linspace(0.2, 0.9, 8), np.array([[2.0, 0.3], [0.1, 1.5]])
PROGRAMS = {
    **{
        name: (getattr(linalg, name), square)
        for name in ["expm", "logm", "sqrtm", "sinm", "inv", "det", "cholesky", "lu", "lu_factor"]
    },
    "lstsq": (lambda a: np.linalg.lstsq(a, a @ np.ones(len(a)))[0], square),
    "solve_triangular": (lambda a: linalg.solve_triangular(a, np.ones(len(a))), square),
    "solve_sylvester": (lambda a: linalg.solve_sylvester(a, a, a), square),
    **{name: (getattr(signal, name), line) for name in ["detrend", "hilbert"]},
    "savgol_filter": (lambda x: signal.savgol_filter(x, 3, 1), line),
    "diff": (fftpack.diff, line),
    "genhyperbolic": (lambda x: stats.genhyperbolic.logpdf(x, 0.5, 1.5, -0.5), line),
    "kstwo": (lambda x: stats.kstwo.pdf(x, 5), line),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_examples(name):
    program, one = PROGRAMS[name]
    batched = autodiff.vmap(program)
    two, none = np.stack([one, one]), np.zeros((0, *one.shape))
    for mode in (batched, autodiff.jit(batched), lambda x: autodiff.vjp(batched, x)[0]):
        found, expected = autodiff.tree.leaves(mode(none)), autodiff.tree.leaves(batched(two))
        assert [x.shape for x in found] == [(0, *x.shape[1:]) for x in expected]
        assert [x.dtype for x in found] == [x.dtype for x in expected]
    gradient = autodiff.grad(lambda x: sum(np.sum(np.abs(y)) for y in autodiff.tree.leaves(batched(x))))
    assert gradient(none).shape == none.shape


@pytest.mark.parametrize(
    "name", [name for name, (_, one) in PROGRAMS.items() if one is square and name not in ("lstsq", "logm")]
)
@pytest.mark.parametrize("examples", [0, 2])
def test_matrices_without_rows(name, examples):
    batched = autodiff.vmap(PROGRAMS[name][0])
    for mode in (batched, autodiff.jit(batched)):
        assert all(len(x) == examples for x in autodiff.tree.leaves(mode(np.zeros((examples, 0, 0)))))


def test_options_by_position_and_in_lists():
    root = autodiff.grad(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 3.0, (), 1e-14))
    assert root(2.0) == pytest.approx(0.5 / np.sqrt(2), rel=1e-9)
    x = np.array([0.3])
    np.testing.assert_allclose(autodiff.vjp(lambda x: special.diric(x, [1, 5]), x)[0], special.diric(x, [1, 5]))
