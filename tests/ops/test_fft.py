"""Fourier transforms keep all laws, along any axis, of any length and in every normalisation."""

import numpy as np
import pytest

from autodiff import grad, vmap
from autodiff.testing import Case, check_case, check_laws
from autodiff.testing.draws.domains import real
from autodiff.trace.errors import OperandError
from tests.ops.matrices import draw

BOTH = ("float64", "complex128")
# fmt: off
ONE = {
    "fft":   (np.fft.fft,   BOTH),
    "ifft":  (np.fft.ifft,  BOTH),
    "rfft":  (np.fft.rfft,  ("float64",)),
    "irfft": (np.fft.irfft, BOTH),
    "hfft":  (np.fft.hfft,  BOTH),
    "ihfft": (np.fft.ihfft, ("float64",)),
}
SEVERAL = {
    "fft2":   (np.fft.fft2,   BOTH),
    "ifft2":  (np.fft.ifft2,  BOTH),
    "rfft2":  (np.fft.rfft2,  ("float64",)),
    "irfft2": (np.fft.irfft2, BOTH),
    "fftn":   (np.fft.fftn,   BOTH),
    "ifftn":  (np.fft.ifftn,  BOTH),
    "rfftn":  (np.fft.rfftn,  ("float64",)),
    "irfftn": (np.fft.irfftn, BOTH),
}
# fmt: on


def rows(table):
    return [(name, dtype) for name, (_, dtypes) in table.items() for dtype in dtypes]


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize(("n", "axis"), [(None, -1), (3, -1), (7, -1), (4, 0)])
@pytest.mark.parametrize(("name", "dtype"), rows(ONE))
def test_one_axis(name, dtype, n, axis, norm):
    x = draw(name, (4, 5), dtype)
    check_laws(lambda a: ONE[name][0](a, n, axis, norm), (x,), name=name)


@pytest.mark.parametrize(
    "options", [{}, {"s": (5, 2), "axes": (0, 2)}, {"axes": (1, 0), "norm": "ortho"}, {"s": (-1, 4), "axes": (0, 1)}]
)
@pytest.mark.parametrize(("name", "dtype"), rows(SEVERAL))
def test_several_axes(name, dtype, options):
    check_laws(lambda a: SEVERAL[name][0](a, **options), (draw(name, (2, 3, 4), dtype),), name=name)


@pytest.mark.parametrize("axes", [None, 1, (0, -1)])
@pytest.mark.parametrize("shift", [np.fft.fftshift, np.fft.ifftshift])
def test_shifts(shift, axes):
    check_laws(lambda a: shift(a, axes), (draw("shift", (2, 3, 5), "complex128"),))


def test_layouts_and_dtypes():
    shapes = [(4,), (2, 5), (0, 3), (1,)]
    check_case(
        Case("fft", np.fft.fft, dtypes=("float64", "float32", "complex64"), shapes=shapes, zero_dim=False),
        max_examples=8,
    )
    check_case(
        Case(
            "irfft",
            lambda x: np.fft.irfft(x, 5),
            (real,),
            dtypes=("float32", "complex64"),
            shapes=shapes,
            zero_dim=False,
        ),
        max_examples=8,
    )


def test_convolution_by_fourier_transform():
    x, y = draw("x", (8,), "float64"), draw("y", (8,), "float64")

    def filtered(a):
        return np.fft.irfft(np.fft.rfft(a) * np.fft.rfft(y))

    g = grad(lambda a: np.sum(filtered(a) * x))(x)
    np.testing.assert_allclose(g, np.fft.irfft(np.fft.rfft(x) * np.conj(np.fft.rfft(y))), atol=1e-13)
    np.testing.assert_allclose(vmap(filtered)(np.stack([x, y])), [filtered(x), filtered(y)], atol=1e-14)


def test_frequencies_are_constants():
    np.testing.assert_allclose(grad(lambda a: np.sum(a * np.fft.fftfreq(a.size)))(np.ones(4)), np.fft.fftfreq(4))


def error_of(kind, fun, x):
    with pytest.raises(kind) as caught:
        grad(fun)(x)
    return str(caught.value), f"test_fft.py:{fun.__code__.co_firstlineno + 1}"


def test_errors_say_what_is_needed():
    def empty(a):
        return np.fft.fft(a, 0)

    def norm(a):
        return np.fft.fft(a, norm="unit")

    def lengths(a):
        return np.fft.fftn(a, s=(2, 2), axes=(0,))

    def of_complex(a):
        return np.fft.rfft(a)

    text, line = error_of(OperandError, empty, np.ones(3))
    assert text == f"a Fourier transform got 0 points ({line}); it needs one at least"
    text, line = error_of(OperandError, norm, np.ones(3))
    assert text == f"a Fourier transform got norm='unit' ({line}); it must be None, 'backward', 'ortho' or 'forward'"
    text, line = error_of(OperandError, lengths, np.ones(3))
    assert text == f"a Fourier transform got 2 lengths for 1 axes ({line}); give as many"
    text, line = error_of(TypeError, of_complex, np.ones(3, complex))
    assert text == f"rfft takes real values, got complex128[3] ({line}); use fft"
