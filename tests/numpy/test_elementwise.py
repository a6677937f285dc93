"""NumPy's elementwise functions and keywords: laws for each, and the values and errors that the laws do not reach."""

import numpy as np
import pytest

import autodiff
from autodiff.testing import Case, Domain, assert_close, check_case, check_laws
from autodiff.testing.draws.domains import distinct, kinked_at_zero, positive, real
from autodiff.trace.errors import DifferentiationError

REAL = ("float64", "float32")
ALL = ("float64", "float32", "complex128", "complex64")
COMPLEX = ("complex128", "complex64")
inside = Domain(avoid=(-1.0, 1.0), hit=(-1.0, 1.0))
tenths = Domain(0.11, 0.14, margin=0.002)
fractions = Domain(1.1, 1.9)
mantissas = Domain(1.1, 1.9)
unwrapped = Domain(-1.0, 1.0)
lines = [(3,), (2, 3), (0,), (4, 1)]


def row(name, fun, domain=real, dtypes=REAL, **options):
    return Case(name, fun, domain, dtypes=dtypes, **options)


# fmt: off
CASES = [
    row("where",            lambda x, y: np.where(np.array([True, False]), x, y), (real, real), ALL,
        shapes=[((2,), (2,)), ((), (2,)), ((3, 1), (2,)), ((2,), ())]),
    row("where number",     lambda x: np.where(x > 0, x, 0), kinked_at_zero),
    row("clip",             lambda x: np.clip(x, -1, 1.0), inside),
    row("clip below",       lambda x: np.clip(x, -1.0, None), inside),
    row("clip above",       lambda x: np.clip(x, None, 1), inside),
    row("clip nowhere",     lambda x: np.clip(x, None, None)),
    row("clip min max",     lambda x: np.clip(x, min=-1.0, max=np.array([1.0, 2.0])), Domain(avoid=(-1, 1, 2)),
        shapes=[(2,), (3, 1), ()]),
    row("clip bounds",      lambda x, low: np.clip(x, low, low + 1), (distinct, distinct),
        shapes=[((2,), (2,)), ((2, 1), (3,))], layouts=("contiguous",), skip={
            "forward": "ties", "reverse": "ties", "forward over reverse": "ties", "forward over forward": "ties"}),
    row("clip method",      lambda x: x.clip(-1, 1) if hasattr(x, "clip") else np.clip(x, -1, 1), inside),
    row("nan_to_num",       lambda x: np.nan_to_num(x, nan=1.0, posinf=2.0), dtypes=ALL),
    row("sinc",             np.sinc, dtypes=ALL),
    row("i0",               np.i0),
    row("unwrap",           lambda x: np.unwrap(x, axis=-1), unwrapped, shapes=lines),
    row("unwrap period",    lambda x: np.unwrap(x * 10, 3.0, 0, period=4.0), unwrapped, shapes=lines, skip={
        "continuous": "jumps where neighbours differ by half a period"}),
    row("round",            lambda x: np.round(x * 3.0, 1) * x, tenths),
    row("around",           lambda x: np.around(x, decimals=1) * x, tenths),
    row("fix",              lambda x: np.fix(x) * x, fractions),
    row("modf",             np.modf, fractions),
    row("frexp",            lambda x: np.frexp(x)[0], mantissas),
    row("divmod",           np.divmod, (Domain(4.1, 4.4), Domain(1.1, 1.3))),
    row("real",             np.real, dtypes=ALL),
    row("imag",             np.imag, dtypes=ALL),
    row("conj",             np.conj, dtypes=ALL),
    row("angle",            np.angle, positive, ALL),
    row("angle in degrees", lambda z: np.angle(z, deg=True), positive, COMPLEX),
    row("real_if_close",    np.real_if_close, batch=False, scalars=False, skip={
        "spec": "the value decides", "replay": "the value decides"}),
    row("radians",          np.radians),
    row("degrees",          np.degrees),
    row("abs",              np.abs, kinked_at_zero, ALL),
    row("sign",             np.sign, kinked_at_zero, ALL),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


def traced(fun, *args):
    """The value that fun has while it is traced, in every way there is."""
    values = [autodiff.vjp(fun, *args)[0], autodiff.jvp(fun, args, args)[0]]
    return [*values, autodiff.eval_tape(autodiff.make_tape(fun)(*args), *args)]


SPECIALS = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5, 1e30])
PARTS = np.array([complex(np.nan, 1), complex(np.inf, -np.inf), complex(-np.inf, np.nan), 1 + 2j, 0j])

# fmt: off
VALUES = [
    (lambda x: np.nan_to_num(x),                          SPECIALS),
    (lambda x: np.nan_to_num(x, nan=5, posinf=1.0),       SPECIALS.astype("float32")),
    (lambda x: np.nan_to_num(x, neginf=-1.0),             PARTS),
    (lambda x: np.modf(x),                                SPECIALS),
    (lambda x: np.frexp(x),                               SPECIALS),
    (lambda x: np.divmod(x, 2.0),                         SPECIALS),
    (lambda x: np.fix(x),                                 SPECIALS),
    (lambda x: np.round(x, -1),                           SPECIALS),
    (lambda x: np.isclose(x, x + 1e-9),                   SPECIALS),
    (lambda x: np.isclose(x, 0, 1e-3, atol=2.0, equal_nan=True), SPECIALS),
    (lambda x: np.isposinf(x),                            SPECIALS),
    (lambda x: np.isneginf(x),                            SPECIALS),
    (lambda x: np.iscomplex(x),                           PARTS),
    (lambda x: np.isreal(x),                              PARTS),
    (lambda x: np.isreal(x),                              SPECIALS),
    (lambda x: np.iscomplexobj(x),                        PARTS),
    (lambda x: np.isrealobj(x),                           PARTS),
    (lambda x: np.clip(x, 0, 1),                          SPECIALS),
    (lambda x: np.clip(x, None, 1),                       SPECIALS),
    (lambda x: np.sign(x),                                SPECIALS),
    (lambda x: np.sign(x),                                PARTS),
    (lambda x: np.angle(x),                               PARTS),
    (lambda x: np.sinc(x),                                SPECIALS[:3]),
    (lambda x: np.signbit(x),                             SPECIALS),
    (lambda x: np.heaviside(x, 0.5),                      SPECIALS),
    (lambda x: np.float_power(x, 2),                      SPECIALS.astype("float32")),
    (lambda x: np.where(x > 0, x, True),                  SPECIALS.astype("float32")),
    (lambda x: np.where(x > 0, x, 1),                     SPECIALS.astype("float32")),
    (lambda x: np.where(True, x, 1),                      np.float32(1)),
]
# fmt: on


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("fun", "x"), VALUES)
def test_tracing_changes_no_value(fun, x):
    expected = fun(x)
    for found in traced(fun, x):
        for a, b in zip(leaves(found), leaves(expected), strict=True):
            assert (type(a), getattr(a, "dtype", None)) == (type(b), getattr(b, "dtype", None))
            np.testing.assert_array_equal(a, b)


def leaves(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_that_decide_need_values():
    x = np.array([1.0, np.inf])
    assert autodiff.vjp(lambda x: x * np.allclose(x, x), x)[0].tolist() == [1.0, np.inf]
    assert autodiff.vjp(lambda x: x * np.array_equal(x, x + 1), x[:1])[0].tolist() == [0.0]
    assert autodiff.vjp(lambda x: x * np.isin(x, [1.0]), x[:1])[0].tolist() == [1.0]
    assert autodiff.vjp(np.real_if_close, x + 1e-20j)[0].dtype == np.float64


def test_one_traced_operand_broadcasts_against_a_constant():
    y = np.array([1.0, 2.0, 3.0])
    for x in (np.array([2.0]), np.array(2.0), np.array([[2.0], [3.0]]), 2.0):
        check_laws(lambda x: x + y, (x,))
        check_laws(lambda x: y / x, (x,))
        check_laws(lambda x: x * np.ones(0), (np.array([2.0]),))


def test_ufunc_keywords():
    x, y = np.array([1.0, 4.0]), np.array([3.0, 5.0])
    mask = np.array([True, False])
    single = autodiff.vjp(lambda x: np.add(x, 1.0, dtype=np.float32), x)[0]
    assert single.dtype == np.float32
    assert autodiff.vjp(lambda x: x * np.greater(x, 2.0, dtype=bool), x)[0].tolist() == [0.0, 4.0]

    def into(x):
        out = np.zeros_like(x)
        assert np.sqrt(x, out=out) is out
        return out

    def masked(x, y):
        out = y * 1.0
        np.sqrt(x, out=out, where=mask)
        return out

    def in_two(x):
        fraction, whole = np.zeros_like(x), np.zeros_like(x)
        np.modf(x, out=(fraction, whole))
        return fraction * whole

    check_laws(into, (x,))
    check_laws(masked, (x, y), batch=False)  # a batch of x cannot be written into one y

    def in_two_masked(x):
        fraction, whole = x * 2.0, x * 3.0
        np.modf(x, out=(fraction, whole), where=mask)
        return fraction * whole

    check_laws(in_two, (x + 0.25,))
    check_laws(in_two_masked, (x + 0.25,))
    assert masked(x, y).tolist() == [1.0, 5.0]


def test_out_of_functions_that_are_no_ufuncs():
    def into(x):
        out = np.zeros_like(x)
        assert np.clip(x, 0.0, 2.0, out=out) is out
        rounded = np.zeros_like(x)
        np.round(x, 0, rounded)
        return out * rounded

    check_laws(into, (np.array([1.3, 4.4]),))


def test_nan_to_num_in_place():
    def cleaned(x):
        y = x * 1.0
        assert np.nan_to_num(y, copy=False) is y
        return y

    value, pullback = autodiff.vjp(cleaned, np.array([np.nan, 2.0]))
    assert value.tolist() == [0.0, 2.0]
    assert pullback(np.ones(2))[0].tolist() == [0.0, 1.0]


def test_nan_to_num_by_its_replacements():
    fun = lambda x, nan, inf: np.sum(np.nan_to_num(x, nan=nan, posinf=inf))  # noqa: E731
    found = autodiff.grad(fun, argnums=(0, 1, 2))(np.array([np.nan, np.inf, np.inf, 3.0]), 1.0, 2.0)
    assert_close(found, (np.array([0.0, 0.0, 0.0, 1.0]), 1.0, 2.0))


def message(error, fun, *args):
    with pytest.raises(error) as raised:
        autodiff.vjp(fun, *args)
    return str(raised.value)


def test_what_cannot_be_done_is_said():
    x = np.array([1.0])
    assert "np.sqrt(where=...) without out= leaves elements uninitialised" in message(
        DifferentiationError, lambda x: np.sqrt(x, where=np.array([True])), x
    )
    assert message(DifferentiationError, lambda x: np.clip(x, 0, 1, where=np.array([True])), x).startswith(
        "np.clip with where= cannot be called with a traced value (test_elementwise.py:"
    )
    assert message(TypeError, lambda x: np.clip(x, 0), x) == ("clip() missing 1 required positional argument: 'a_max'")
    assert message(ValueError, lambda x: np.clip(x, 0, 1, min=0), x) == (
        "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden."
    )
    assert message(ValueError, lambda x: np.where(x > 0, x), x) == ("either both or neither of x and y should be given")


def test_whole_numbers_that_are_finite_anyway_are_copied():
    x = np.arange(3)
    found = autodiff.jit(np.nan_to_num)(x)
    found[0] = 9
    assert x.tolist() == [0, 1, 2]
