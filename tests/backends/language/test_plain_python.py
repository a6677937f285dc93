"""Kernels against their own text under plain Python, which shares nothing with what compiles them."""

import numpy as np
import pytest

from autodiff import jit
from autodiff.backends.kernels.launching import KernelLaunch
from autodiff.backends.kernels.windows import pooling
from autodiff.backends.language.reading import read
from autodiff.backends.native.arguments import ArrayArgument, bits
from tests.backends.kernels.checked_programs import PROGRAMS, with_gradient
from tests.backends.kernels.running import needs_numba
from tests.backends.language.plain_python import NO_FORM, TooLongError, run

MOST = 1_000_000
"""Accesses to memory of a kernel: about a second."""

KINDS = {
    "a chain": "a kernel of rows",
    "a loop": "a kernel of a whole program",
    "a gather of columns": "a kernel that picks rows",
    "pooling": "a kernel of windows",
    "a stack of products": "a kernel of small products",
    "a large product": "a kernel of a product of large matrices",
    "convolutions": "a kernel of convolutions",
}
"""A program for each kind of kernels."""

FEWER = {"rows: softmax": 120}
"""So many rows are done of what would take too long."""


def blocks_of(launch, values):
    """The words of a call, and copies of its arrays; None where an array does not lie in C order."""
    words, arrays = list(launch.words), {}
    for argument, value in zip(launch.arguments, values, strict=True):
        if not isinstance(argument, ArrayArgument):
            words[argument.word] = bits(value)
            continue
        if not value.flags.c_contiguous:
            return None
        arrays[argument.word] = value.copy()
        if argument.strides is not None:
            words[argument.strides : argument.strides + value.ndim] = value.strides
    return words, arrays


def parts_of(launch):
    chunk = launch.chunk or max(launch.rows, 1)
    return [(low, min(low + chunk, launch.rows)) for low in range(0, launch.rows, chunk)]


def modelled(launch, function, compared):
    """A launch that runs its text, too, and compares what both write; its kind is noted then."""

    def call(*values):
        given = blocks_of(launch, values)
        result = function(*values)
        if result is not None or given is None or any(name in launch.text for name in NO_FORM):
            return result
        words, arrays = given
        for text in (launch.text, str(read(launch.text))):
            own = {word: array.copy() for word, array in arrays.items()}
            try:
                run(text, words, own, parts_of(launch), MOST)
            except TooLongError:
                return result
            for argument, value in zip(launch.arguments, values, strict=True):
                if isinstance(argument, ArrayArgument) and argument.writeable and not argument.scratch:
                    alike(own[argument.word], value)
        compared.add(launch.name)
        return result

    return call


def alike(model, value):
    """Assert that arrays are equal: to the bit if they are whole numbers, else but for rounding."""
    if value.dtype.kind != "f":
        np.testing.assert_array_equal(model, value)
        return
    scale = np.max(np.abs(model[np.isfinite(model)]), initial=1e-30)
    np.testing.assert_allclose(value, model, rtol=0, atol=scale * 256 * np.finfo(value.dtype).eps)


@needs_numba
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_kernel_does_what_its_text_says(name, monkeypatch):
    bound, compared = KernelLaunch.bound, set()
    monkeypatch.setattr(KernelLaunch, "bound", lambda launch: modelled(launch, bound(launch), compared))
    monkeypatch.setattr(pooling, "FEW", 0)
    fun, x = PROGRAMS[name]
    x = x[: FEWER.get(name)]
    jit(with_gradient(fun))(x)
    assert compared
    assert name not in KINDS or KINDS[name] in compared
