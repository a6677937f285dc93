"""Python's numbers beside arrays, where only shapes are known: NumPy's values, dtypes and errors."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import autodiff

DTYPES = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
NUMBERS = (True, 0, 2, 300, -1, -129, 2**40, 2**63, -(2**63) - 1, 2**70, 0.5, 1e300, 1j)
UFUNCS = (
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.power, np.fmod, np.maximum, np.fmin,
    np.hypot, np.copysign, np.float_power, np.equal, np.less, np.greater_equal, np.logical_and, np.bitwise_xor,
    np.left_shift, np.gcd, np.heaviside, np.ldexp, np.divmod,
)  # fmt: skip
OPERATORS = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.eq, operator.lt, operator.ge,
)  # fmt: skip
IN_PLACE = (
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
    operator.iand, operator.ilshift,
)  # fmt: skip


def array(dtype):
    return np.array([0, 1, 1] if dtype == "bool" else [1, 2, 3]).astype(dtype)


def outcome(function, *args):
    """What a program gives, or what kind of error."""
    with np.errstate(all="ignore"):
        try:
            return function(*args)
        except (OverflowError, TypeError, ValueError) as error:
            return next(kind for kind in (OverflowError, TypeError, ValueError) if isinstance(error, kind))


def assert_alike(ours, theirs, what):
    if isinstance(theirs, tuple):
        for mine, its in zip(ours, theirs, strict=True):
            assert_alike(mine, its, what)
    elif isinstance(theirs, type):
        assert ours is theirs, (what, ours, theirs)
    else:
        assert not isinstance(ours, type), (what, ours)
        assert ours.dtype == theirs.dtype, what
        tolerance = 0 if theirs.dtype.kind in "biu" else 2 * np.finfo(theirs.dtype).eps
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, err_msg=str(what))


def programs(number):
    for function in (*UFUNCS, *OPERATORS):
        name = function.__name__
        yield f"{name}(x, {number})", lambda x, function=function: function(x, number)
        yield f"{name}({number}, x)", lambda x, function=function: function(number, x)
    for function in IN_PLACE:
        yield f"{function.__name__}(x, {number})", lambda x, function=function: function(x.copy(), number)
    if isinstance(number, int):
        yield f"x[0] = {number}", lambda x: assigned(x, number)
        yield f"full_like(x, {number})", lambda x: np.full_like(x, number)


def assigned(x, number):
    y = x.copy()
    y[0] = number
    return y


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_are_known(dtype):
    x = array(dtype)
    for number in NUMBERS:
        for name, program in programs(number):
            theirs = outcome(program, x)
            recorded = outcome(autodiff.make_tape(program), x)
            ours = recorded if isinstance(recorded, type) else outcome(autodiff.eval_tape, recorded, x)
            assert_alike(ours, theirs, (dtype, name))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float32"])
def test_numbers_that_are_arguments(dtype):
    x = array(dtype)
    for number in (True, 2, 300, -1, 2**40, 0.5, 1e300):
        for function in (*UFUNCS[:10], np.equal, np.less, np.left_shift, operator.ge):
            for program in (function, lambda x, s, function=function: function(s, x)):
                theirs = outcome(program, x, number)
                if dtype == "uint64" and number == -1 and function in (np.equal, np.less, operator.ge):
                    theirs = OverflowError  # refused here: no array holds both
                ours = outcome(autodiff.jit(program, backend="numpy"), x, number)
                assert_alike(ours, theirs, (dtype, number, function))


def test_numbers_that_differ_between_examples():
    numbers = np.array([300, 7])
    x = array("uint8")
    for function in (np.add, np.multiply, np.maximum):
        with pytest.raises(OverflowError, match="Python integers from 7 to 300 out of bounds for uint8"):
            autodiff.vmap(lambda s, function=function: function(x, s.item()))(numbers)
    for function in (np.divide, np.less, np.equal):
        ours = autodiff.vmap(lambda s, function=function: function(x, s.item()))(numbers)
        theirs = np.stack([function(x, s) for s in numbers.tolist()])
        assert_alike(ours, theirs, function)


KERNELS = [
    lambda x: x + 300,
    lambda x: 7 - x * -1,
    lambda x: x / -1,
    lambda x: np.maximum(x, -5) + x,
    lambda x: (x < 300) | (x == 2**40) | (x > -(2**70)),
    lambda x: 2**63 / (x + 1),
    lambda x: x**2,
]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64"])
@pytest.mark.parametrize("program", KERNELS)
def test_kernels(program, dtype):
    assert_alike(outcome(autodiff.jit(program), array(dtype)), outcome(program, array(dtype)), dtype)


@pytest.mark.parametrize("number", [300, 2, -1, 2**40])
def test_kernels_with_numbers_that_are_arguments(number):
    x = array("uint8")
    for program in (lambda x, s: x + s, lambda x, s: x < s, lambda x, s: np.full_like(x, s), assigned):
        assert_alike(outcome(autodiff.jit(program), x, number), outcome(program, x, number), number)


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**70, -(2**63) - 1])
@pytest.mark.parametrize("length", [3, 3000])
def test_numbers_of_more_than_64_bits(number, length):
    x = np.linspace(0.5, 2.0, length)
    programs = [lambda x, s: x * 2.0, lambda x, s: np.exp(x) * s, lambda x, s: x + (s > 3), lambda x, s: np.sum(x) * s]
    for program in programs:
        compiled = autodiff.jit(program)
        for given in (5, number, 5):
            np.testing.assert_allclose(compiled(x, given), program(x, given), rtol=1e-14)
        grad = autodiff.grad(lambda x, s, program=program: np.sum(program(x, s)))
        np.testing.assert_allclose(autodiff.jit(grad)(x, number), grad(x, number), rtol=1e-14)


def test_numbers_of_more_than_64_bits_that_make_other_dtypes():
    compiled = autodiff.jit(lambda s: np.sign(s))
    assert compiled(5) == 1
    with pytest.raises(OverflowError, match=r"got 9223372036854775808, which gives uint64\[\].* Pass np.uint64"):
        compiled(2**63)
    assert compiled(np.uint64(2**63)) == 1


def test_a_number_in_a_loop():
    def steps(x):
        return autodiff.scan(lambda carry, _: (carry + 100, carry), x, np.arange(3))[0]

    x = array("uint8")
    assert_alike(outcome(autodiff.jit(steps), x), outcome(steps, x), "scan")
    with pytest.raises(OverflowError):
        autodiff.jit(lambda x: autodiff.scan(lambda carry, _: (carry + 300, carry), x, np.arange(3)))(x)


def test_errors_say_where():
    with pytest.raises(OverflowError) as caught:
        autodiff.jit(lambda x: x + 300)(array("uint8"))
    assert "add(uint8[3], int) (test_python_numbers.py:" in str(caught.value)
    assert str(caught.value).endswith("): Python integer 300 out of bounds for uint8")
    with pytest.raises(
        OverflowError, match=r"^Python integer 300 out of bounds for uint8 \(test_python_numbers.py:\d+\)$"
    ):
        autodiff.jit(lambda x: assigned(x, 300))(array("uint8"))
    with pytest.raises(
        OverflowError, match=r"\(test_python_numbers.py:\d+\): Python integer -1 out of bounds for uint8$"
    ):
        autodiff.jit(lambda x, s: x + s)(array("uint8"), -1)


PYTHONS = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
    "lt",
    "eq",
)


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_truth_values_are_integers_in_arithmetic(backend):
    for function in (operator.neg, operator.pos, operator.abs):
        for number in (True, False, 3):
            ours = autodiff.jit(lambda k, function=function: function(k), backend=backend)(number)
            assert (type(ours), ours) == (type(function(number)), function(number))
    for name in PYTHONS:
        function = getattr(operator, name)
        compiled = autodiff.jit(lambda a, b, function=function: function(a, b), backend=backend)
        for pair in ((True, True), (False, True), (True, 5), (3, True)):
            assert (type(compiled(*pair)), compiled(*pair)) == (type(function(*pair)), function(*pair)), (name, pair)
    ours = autodiff.jit(lambda k: np.ones(3, np.uint8) * (k + k), backend=backend)(True)
    np.testing.assert_array_equal(ours, [2, 2, 2])
    assert autodiff.jit(lambda a, b: ((a > 0) + (b > 0)) / 4, backend=backend)(1.0, 2.0) == 0.5


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.divide, np.maximum, np.power, np.arctan2, np.equal])
def test_python_numbers_take_the_dtype_that_is_asked_for(ufunc):
    for x in (7, True, 2.5):
        for y in (3, 2.5, np.int16(2)):
            for dtype in ("u1", "i2", "f4", "f8", "c8", "?"):

                def function(x, y=y, dtype=dtype):
                    return ufunc(x, y, dtype=dtype)

                try:
                    expected = function(x)
                except TypeError:
                    with pytest.raises(TypeError):
                        autodiff.jit(function)(x)
                    continue
                found = autodiff.jit(function)(x)
                assert found.dtype == expected.dtype
                np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("number", [1.5, 2, True, 1 + 2j])
@pytest.mark.parametrize("key", [(), ..., None, (None, ...)], ids=str)
def test_traced_numbers_are_indexed_as_arrays_without_axes(number, key):
    expected = np.asarray(number)[key]
    found = autodiff.jit(lambda x: x[key])(number)
    assert np.array_equal(found, expected)
    assert np.shape(found) == np.shape(expected)
    if isinstance(number, float):
        assert autodiff.grad(lambda x: np.sum(x[key] ** 2))(number) == 2 * number
