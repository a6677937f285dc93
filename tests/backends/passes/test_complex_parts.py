"""Complex numbers in kernels: NumPy's values, signs of zeros and infinities, kinds and dtypes; what stays whole."""

import numpy as np
import pytest

from autodiff import cond, fori_loop, grad, jit, jvp, make_tape, scan, vmap, while_loop
from autodiff.backends.choice import numba_is_there
from autodiff.backends.passes.complex_parts.border import on_parts
from autodiff.backends.passes.rewrite.known import use_constants
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.backends.passes.schedule import schedule, schedule_as_it_is
from autodiff.backends.straight import Straight

pytestmark = pytest.mark.skipif(not numba_is_there(), reason="kernels are compiled by Numba")

PARTS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, np.inf, -np.inf, np.nan, 700.0)

FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "absolute": np.abs,
    "angle": np.angle,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "cube": lambda z: z**3,
    "power": lambda z: z**1.5,
    "conjugate": np.conj,
    "negative": lambda z: -z,
    "real factor": lambda z: 2.0 * z,
    "imaginary factor": lambda z: 1j * z,
    "real divisor": lambda z: z / 2.0,
    "divided by": lambda z: (1.0 + 1j) / z,
    "real summand": lambda z: 1.0 - z,
    "products": lambda z: (z[:, None] * z[:7]).ravel(),
    "quotients": lambda z: (z[:, None] / z[:7] + 0).ravel(),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "equal": lambda z: z == z.conj(),
    "where": lambda z: np.where(z.real > 0, z, 1.0),
    "joined": lambda z: np.concatenate([z, np.arange(3), [True], np.ones(2, "f4")]),
    "stacked": lambda z: np.stack([z, np.arange(len(z))]).ravel(),
    "masked": lambda z: np.where(np.isfinite(z), z * z, 0),
}


def on_parts_alone(fun):
    """A function that runs on parts, also where whole complex numbers would take less time."""

    def run(*args):
        tape = simplify(use_constants(make_tape(fun)(*args)))
        border = on_parts(tape)
        if border is None:
            return jit(fun)(*args)
        whole = any(own.dtype.kind == "c" for own in border.core.specs)
        assert not whole or type(args[0]) in (complex, float), "an operation has no form in parts"  # Python's division
        with np.errstate(all="ignore"):
            found = Straight(border.around(schedule_as_it_is(border.core).tape)).run(*args, *tape.constants)
        return found[0]

    return run


def pattern(x):
    """NaN, infinities and zeros, with their signs."""
    return np.where(np.isnan(x), 9, np.where(np.isinf(x), 2 * np.sign(x), np.where(x == 0, np.copysign(0.5, x), 1)))


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_zeros_and_infinities_are_those_of_numpy(name, dtype):
    z = np.array([complex(x, y) for x in PARTS for y in PARTS], dtype)
    wanted, found = FUNCTIONS[name](z), on_parts_alone(FUNCTIONS[name])(z)
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind != "c":
        np.testing.assert_allclose(found, wanted, rtol=4 * np.finfo(dtype).eps)
        return
    unclear = np.isnan(wanted) & np.isnan(found)  # which part of what is no number is none
    alike = (pattern(found.real) == pattern(wanted.real)) & (pattern(found.imag) == pattern(wanted.imag))
    assert np.all(alike | unclear), z[~(alike | unclear)] if found.shape == z.shape else None
    finite = np.isfinite(wanted)
    assert np.all(abs(found - wanted)[finite] <= 8 * np.finfo(dtype).eps * abs(wanted[finite]))


@pytest.mark.parametrize("scale", [1e-160, 1.0, 1e160])
def test_small_and_large_numbers_neither_vanish_nor_overflow_on_the_way(scale):
    z = scale * np.array([3.0 + 4j, -1 + 2j, 1e-3j])
    for fun in (np.abs, np.sqrt, np.log, lambda z: z / (2 * z), np.reciprocal):
        np.testing.assert_allclose(on_parts_alone(fun)(z), fun(z), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("function", [np.sqrt, np.log])
def test_lengths_neither_overflow_nor_lose_digits(function, dtype):
    limits = np.finfo(dtype)
    large, small = float(limits.max), float(limits.smallest_subnormal)
    z = np.array(
        [large, complex(0, small), complex(small, small), complex(large, large), complex(-large, large)], dtype
    )
    ours = jit(lambda z: fori_loop(0, 1, lambda _, carry: function(carry), z))(z)
    np.testing.assert_allclose(ours, function(z), rtol=8 * float(limits.eps))


def test_logarithms_near_the_unit_circle_keep_their_digits():
    z = np.exp(1j * np.linspace(0, 6, 50)) * (1 + 1e-9)
    np.testing.assert_allclose(on_parts_alone(np.log)(z).real, np.log(z).real, rtol=1e-6)
    np.testing.assert_allclose(on_parts_alone(np.log)(z), np.log(z), rtol=1e-15, atol=1e-16)


NUMBERS = (1.5 - 2j, np.complex128(1.5 - 2j), np.complex64(1.5 - 2j), np.array(1.5 - 2j), 1.5, np.float32(1.5))


@pytest.mark.parametrize("number", NUMBERS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize(
    "fun",
    [lambda z: z * 2j, lambda z: np.exp(1j * z), lambda z: (z + 1j) / (z - 1j), lambda z: (z * z).real],
)
def test_numbers_come_back_as_what_numpy_returns(fun, number):
    wanted, found = fun(number), on_parts_alone(fun)(number)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert isinstance(found, np.ndarray) == isinstance(wanted, np.ndarray)
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if np.asarray(wanted).dtype.itemsize <= 8 else 1e-15)


def waves(k):
    """A real function whose inside is complex."""
    x = np.linspace(0, 1, 20)
    found = np.sum(np.exp(1j * k[:, None] * x) / (1 + 2j * k[:, None]), axis=0)
    return np.sum((found * found.conj()).real) + np.sum(np.abs(np.stack([found, found[::-1]])[:, 1:]))


MATRIX = np.array([[0.5, 0.2j], [0.1 - 0.3j, -0.4]])

LOOPS = {
    "scan": lambda z: scan(lambda c, x: (c * c * 0.5 + x, c.imag), z, np.arange(5.0) * 1j)[0],
    "stack": lambda z: scan(lambda c, x: (c * x, c * 2), z, np.ones((3, 2)) * 0.5j)[1],
    "product": lambda z: fori_loop(0, 4, lambda k, c: MATRIX @ c + k, z),
    "einsum": lambda z: fori_loop(0, 3, lambda k, c: np.einsum("ij,j->i", MATRIX, c), z),
    "while": lambda z: while_loop(lambda c: np.sum(np.abs(c)) < 10, lambda c: c * (1 + 1j), z),
    "branch": lambda z: cond(z[0].real > 0, lambda z: z * 1j, lambda z: z.conj(), z),
    "assignment": lambda z: np.roll(z, 1) * np.diag(MATRIX) + np.concatenate([z[1:], z[:1]]),
}


def one_kernel(fun, *args):
    """Whether there is one kernel and nothing but views around it."""
    names = [equation.primitive.name for equation in schedule(make_tape(fun)(*args)).tape.equations]
    return names.count("kernel_of_all") == 1 and set(names) <= {"kernel_of_all", "pairs", "unpaired"}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_and_branches_carry_parts(name):
    z = np.array([0.3 + 0.1j, -0.2 + 0.4j])
    fun = LOOPS[name]
    np.testing.assert_allclose(jit(fun)(z), fun(z), rtol=1e-14)
    tangent = np.array([1j, 2.0])
    np.testing.assert_allclose(
        jit(lambda z: jvp(fun, (z,), (tangent,))[1])(z), jvp(fun, (z,), (tangent,))[1], rtol=1e-13
    )
    if name not in ("assignment", "einsum", "product"):
        assert one_kernel(fun, z)


@pytest.mark.parametrize("name", [name for name in LOOPS if name != "while"])
def test_gradients_of_loops_and_branches_are_one_kernel(name):
    z = np.array([0.3 + 0.1j, -0.2 + 0.4j])
    loss = lambda z: np.sum(np.abs(LOOPS[name](z)) ** 2)  # noqa: E731 - one expression
    np.testing.assert_allclose(jit(grad(loss))(z), grad(loss)(z), rtol=1e-13)
    assert one_kernel(grad(loss), z)


def test_real_programs_with_complex_insides_are_one_kernel_with_its_derivatives():
    k = np.linspace(1.0, 2.0, 5)
    for fun in (waves, grad(waves), grad(lambda k: np.sum(grad(waves)(k) ** 2))):
        np.testing.assert_allclose(jit(fun)(k), fun(k), rtol=1e-12)
    assert one_kernel(grad(waves), k)
    many = vmap(grad(waves))
    ks = k * np.array([[1.0], [2.0]])
    np.testing.assert_allclose(jit(many)(ks), many(ks), rtol=1e-12)


def test_a_real_loop_with_a_complex_inside_is_one_kernel():
    def loss(x):
        return np.sum(scan(lambda c, _: (np.tanh(np.real((c + 1j * c) * (c - 0.5j))), None), x, None, length=9)[0])

    x = np.array([0.3, -0.2, 0.8])
    np.testing.assert_allclose(jit(grad(loss))(x), grad(loss)(x), rtol=1e-13)
    assert one_kernel(grad(loss), x)


@pytest.mark.parametrize("layout", ["F", "reversed", "step"])
def test_arrays_of_any_layout_come_in(layout):
    z = (np.arange(24.0) + 1j * np.arange(24.0)[::-1]).reshape(4, 6)
    z = {"F": np.asfortranarray(z), "reversed": z[::-1, ::-1], "step": z[::2, ::3]}[layout]
    fun = lambda z: np.sum(z * z.conj(), axis=0) * 1j + z[0]  # noqa: E731 - one expression
    np.testing.assert_allclose(jit(fun)(z), fun(z), rtol=1e-14)


def test_arguments_are_not_written_to_and_results_are_new():
    z = np.array([1.0 + 1j, 2.0 - 1j])
    kept = z.copy()
    same, double, view = jit(lambda z: (z, z * 2, z[::-1]))(z)
    double[0] = 0
    np.testing.assert_array_equal(z, kept)
    np.testing.assert_array_equal(same, kept)
    np.testing.assert_array_equal(view, kept[::-1])


def test_what_has_no_form_in_parts_stays_whole_beside_what_has():
    x = np.linspace(0.0, 1.0, 16)

    def fun(x):
        spectrum = np.fft.fft(np.exp(1j * x) * (1 + 2j * x) + x)
        return np.sum(np.abs(spectrum * spectrum.conj() + spectrum) ** 2)

    np.testing.assert_allclose(jit(grad(fun))(x), grad(fun)(x), rtol=1e-12)
    report = str(jit(fun).explain(x))
    assert "fft" in report


def test_a_few_operations_on_small_arrays_run_on_whole_numbers():
    z = np.arange(3) + 1j
    names = [e.primitive.name for e in schedule(make_tape(lambda z: z * z + 1j)(z)).tape.equations]
    assert names == ["multiply", "add"]


def test_a_program_of_whole_complex_numbers_is_left_alone():
    plain = simplify(make_tape(lambda x: x * 2)(np.ones(3)))
    assert on_parts(plain) is None
    names = [e.primitive.name for e in schedule(make_tape(np.fft.fft)(np.ones(8) * 1j)).tape.equations]
    assert names == ["fft"]
