"""SciPy's functions in kernels of GPUs: CUDA's, or the prelude's."""

import numpy as np
import pytest
import scipy.special as sp

from autodiff import jit
from autodiff.backends.cupy.kernels.expressions import SCIPY
from autodiff.backends.cupy.runtime.capturing import why_not_captured
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.nvrtc import checked, needs_nvrtc
from tests.backends.cupy.running import Programs

RANGES = {
    "erfinv": (-1, 1), "erfcinv": (0, 2), "erfcx": (-4, 50), "ndtri": (0, 1), "log_ndtr": (-30, 8), "logit": (0, 1),
    "gamma": (-4, 9), "rgamma": (-4, 9), "exp10": (-9, 9), "cosm1": (-3, 3), "j0": (-9, 9), "j1": (-9, 9), "y0": (0, 9),
    "y1": (0, 9), "i0": (-9, 9), "i1": (-9, 9), "rel_entr": (0, 3), "kl_div": (0, 3), "huber": (0, 2),
    "pseudo_huber": (0, 2),
}  # fmt: skip
ENDS = {
    "gamma": (0.0, -1.0, np.inf, np.nan), "rgamma": (0.0, -2.0, np.inf, np.nan), "erfcx": (0.0, np.inf, np.nan),
    "rel_entr": (0.0, -1.0, 1.0, np.nan), "kl_div": (0.0, -1.0, 1.0, np.nan), "huber": (0.0, -1.0, 1.0, np.nan),
    "pseudo_huber": (0.0, -1.0, 1.0, np.nan), "log_ndtr": (-1.0, np.inf, -np.inf, np.nan), "y0": (0.0, -1.0, np.nan),
    "y1": (0.0, -1.0, np.nan), "i0": (0.0, np.nan), "i1": (0.0, np.nan), "exp10": (0.0, np.inf, -np.inf),
    "erfinv": (0.0, 1.0, -1.0, 1.5), "erfcinv": (0.0, 1.0, 2.0, -1.0), "ndtri": (0.0, 0.5, 1.0, 2.0),
    "logit": (0.0, 0.5, 1.0, -0.5, np.nan),
}  # fmt: skip
"""Where a function ends, or begins anew."""


SUMS = {"j0", "j1", "y0", "y1", "kl_div"}
"""What is a difference of numbers of this size: near zeros few digits are left."""


def arguments(name, dtype):
    """Numbers of the range of a function, and its ends; of two operands all pairs."""
    rng, count = np.random.default_rng(len(name)), getattr(sp, name).nin
    low, high = RANGES[name]
    own = np.concatenate([rng.uniform(low, high, 40), low + (high - low) * 10.0 ** -rng.uniform(1, 6, 20)])
    own = np.concatenate([own, ENDS.get(name, ())]).astype(dtype)
    return [x.ravel().copy() for x in np.meshgrid(*[own] * count)]


@pytest.fixture(scope="module")
def programs():
    return Programs({
        f"{name} {dtype}": (getattr(sp, name), *arguments(name, dtype)) for name in SCIPY for dtype in ("f", "d")
    })  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("name", SCIPY)
def test_values_are_scipy_s(programs, name):
    for dtype, tolerance in (("f", 4e-6), ("d", 2e-13)):
        own = f"{name} {dtype}"
        assert programs.names(own) == ["device_kernel"]
        xs = arguments(name, dtype)
        with np.errstate(all="ignore"):
            wanted = getattr(sp, name)(*(x.astype(float) for x in xs))
        for order in ORDERS[:1] if dtype == "f" else ORDERS:
            (found,) = programs.run(own, *xs, order=order)
            assert found.dtype == dtype
            size = 3 if name in SUMS else 1e-3
            np.testing.assert_allclose(found, wanted.astype(dtype), rtol=4 * tolerance, atol=tolerance * size)


@needs_nvrtc
def test_they_compile_without_spills(programs):
    checked(programs.module.source)


SILU = {
    "erfinv": lambda x: np.sqrt(2.0) * sp.erfinv(x) + 1,
    "swish": lambda x: x * sp.expit(x),
    "gaussian": lambda x: x * sp.ndtr(x),
    "entropy": lambda x: -np.sum(sp.xlogy(x, x)),
    "rounded": lambda x: np.round(x, 2) + np.remainder(x, 0.25),
    "mixed": lambda x: np.logaddexp2(x, 0) * sp.logit(x) + sp.log_ndtr(x),
}


@pytest.mark.parametrize("name", SILU)
def test_programs_with_them_are_one_launch_and_can_be_captured(name):
    program = jit(SILU[name], backend="cupy")
    tape = program.schedule(spec((64, 64), np.float32))
    assert [equation.primitive.name for equation in tape.equations] == ["device_kernel"]
    assert why_not_captured(tape) == ""
