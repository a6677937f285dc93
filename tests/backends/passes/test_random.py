"""Random programs: simplified, they give the same bits, or nearly the same numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff import grad, make_tape
from autodiff.backends.passes import simplify
from autodiff.backends.reference import run_equation
from autodiff.trace.tape import Tape, check_tape
from tests.backends.passes.tapes import SPECIALS, run, same_bits

SHAPES = [(2, 3), (3,), (2, 1), (1, 3), (1,), ()]
LITERALS = [0, 1, 2, -1, 4, 0.0, -0.0, 1.0, 0.5, -3.0, np.inf, np.nan, np.float32(2), np.float64(1)]


def shares(x: Any, y: Any) -> Any:
    grown = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True)


def normalized(x: Any, y: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 1e-3)


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "negative": lambda x, y: -x,
    "square": lambda x, y: x**2,
    "cube": lambda x, y: x**3,
    "inverse": lambda x, y: x**-1,
    "exp": lambda x, y: np.exp(x),
    "log": lambda x, y: np.log(1 + x),
    "logarithms of sums": lambda x, y: np.log(np.sum(np.exp(x), axis=-1)),
    "root": lambda x, y: np.sqrt(x * x),
    "tanh": lambda x, y: np.tanh(x),
    "logistic": lambda x, y: 1 / (1 + np.exp(-x)),
    "softplus": lambda x, y: np.log1p(np.exp(x)),
    "softmax": shares,
    "normalized": normalized,
    "maximum": np.maximum,
    "where": lambda x, y: np.where(x > y, x, y),
    "not less": lambda x, y: np.where(np.logical_not(x < y), x, 0.0),
    "sum": lambda x, y: np.sum(x, axis=-1),
    "sum of all": lambda x, y: np.sum(x),
    "sum, kept": lambda x, y: np.sum(x, axis=-1, keepdims=True),
    "largest": lambda x, y: np.max(x, axis=-1, keepdims=True),
    "reshape": lambda x, y: np.reshape(x, (-1,)),
    "new axis": lambda x, y: x[..., None],
    "swap": lambda x, y: np.transpose(x),
    "repeat": lambda x, y: np.broadcast_to(x, (2, 3)),
    "first": lambda x, y: x[..., :1],
    "narrow": lambda x, y: x.astype(np.float32),
    "wide": lambda x, y: x.astype(np.float64),
}

Step = tuple[str, int, int, Any]


def program(steps: list[Step], constant: Any) -> Callable[..., Any]:
    """A function that takes the steps which NumPy allows, and returns the last three values."""

    def fun(*args: Any) -> tuple[Any, ...]:
        values = [*args, constant]
        for name, first, second, literal in steps:
            x = values[first % len(values)]
            y = values[second % len(values)] if literal is None else literal
            try:
                value = STEPS[name](x, y)
            except (ValueError, IndexError):
                continue  # shapes that do not go together
            if value.ndim <= 3 and value.size <= 100:
                values.append(value)
        return tuple(values[-3:])

    return fun


def total(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of what a function returns."""
    return lambda *args: sum(np.sum(value) for value in fun(*args))


steps = st.lists(
    st.tuples(
        st.sampled_from(list(STEPS)), st.integers(0, 20), st.integers(0, 20), st.none() | st.sampled_from(LITERALS)
    ),
    min_size=1,
    max_size=12,
)
elements = st.sampled_from(SPECIALS) | st.floats(-3, 3, width=32)
arrays = st.sampled_from(SHAPES).flatmap(
    lambda shape: st.lists(elements, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))).map(
        lambda values: np.array(values, np.float64).reshape(shape)
    )
)


@settings(max_examples=250, deadline=None)
@given(steps, arrays, arrays, arrays, st.booleans(), st.sampled_from([np.float16, np.float32, np.float64]))
def test_every_bit_stays(taken, x, y, constant, differentiated, dtype):
    with np.errstate(all="ignore"):
        args = (x.astype(dtype), y.astype(dtype))
        fun = program(taken, constant.astype(dtype))
        tape = make_tape(grad(total(fun)) if differentiated else fun)(*args)
    after = simplify(tape, exact=True)
    check_tape(after)
    assert after.output_specs == tape.output_specs
    assert after.inputs[:2] == tape.inputs[:2]
    assert simplify(after, exact=True) == after
    for one, other in zip(run(tape, args), run(after, args), strict=True):
        assert same_bits(one, other), f"{one!r} became {other!r}\n{tape}\n{after}"


def largest(tape: Tape, args: tuple[Any, ...]) -> float:
    """The largest finite number that a tape comes by."""
    slots: list[Any] = [*args, *tape.constants]
    with np.errstate(all="ignore"):
        for equation in tape.equations:
            out = run_equation(equation, [slots[o] if isinstance(o, int) else o.value for o in equation.operands])
            slots.extend(out if isinstance(out, tuple) else (out,))
    finite = [np.abs(np.asarray(slot, float)[np.isfinite(slot)]).max(initial=0) for slot in slots]
    return float(max(finite))


@pytest.mark.parametrize("seed", range(150))
def test_numbers_stay_nearly_the_same(seed):
    random = np.random.default_rng(seed)
    names = [name for name in STEPS if name not in ("narrow", "wide")]
    taken = [
        (random.choice(names), *map(int, random.integers(0, 20, 2)), [None, 2, 1.0, 0.5][random.integers(4)])
        for _ in range(random.integers(2, 13))
    ]
    args = tuple(random.normal(size=SHAPES[k]) for k in random.integers(0, 5, 2))
    fun = program(taken, np.ones(3))
    with np.errstate(all="ignore"):
        tape = make_tape(grad(total(fun)) if seed % 2 else fun)(*args)
    olds = run(tape, args)
    far = 1e-9 * (1 + largest(tape, args))
    for stable in (False, True):
        after = simplify(tape, stable=stable)
        check_tape(after)
        assert after.output_specs == tape.output_specs
        for old, new in zip(olds, run(after, args), strict=True):
            if not stable:
                np.testing.assert_array_equal(np.isfinite(old), np.isfinite(new))
            finite = np.isfinite(old)
            assert (np.abs(np.asarray(new)[finite] - np.asarray(old)[finite]) <= far).all(), f"{tape}\n{after}"
