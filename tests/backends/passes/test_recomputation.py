"""What kernels compute again: whoever reads a value finds it, and the same program becomes the same kernels."""

import numpy as np

from autodiff.backends.passes.fusion.fuse import fuse
from autodiff.backends.reference import run_tape
from autodiff.testing.fuzz import tangent
from autodiff.trace.tape import check_tape
from tests.backends.kernels.running import simple

X, N = np.array([1.7, -0.6, -2.6]), np.array([5, 5, -3])


@tangent
def changed(x, n):
    """A softmax whose parts several kernels read, some of them again from what others keep for them."""
    made = np.zeros_like(x)
    made[n != x] = -1
    grown = np.exp(made - np.max(made, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True), np.argmax(x @ x.T)


def test_what_is_computed_again_finds_what_it_begins_with():
    tape = simple(changed, X, N)
    wanted = run_tape(tape, [X, N])
    for _ in range(8):
        fused = fuse(tape)
        check_tape(fused)
        for one, other in zip(run_tape(fused, [X, N]), wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


def test_the_same_program_becomes_the_same_kernels():
    assert len({str(fuse(simple(changed, X, N))) for _ in range(8)}) == 1
