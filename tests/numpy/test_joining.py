"""Joining, splitting, inserting, padding, choosing, mapping: NumPy's functions, by all laws."""

import numpy as np
import pytest

import autodiff
from autodiff.numpy.arrays.padding import pad
from autodiff.testing import Case, check_case, check_laws, domains

MASK = np.array([True, False, True])
SQUARE = [((2, 3), (2, 3))]
PAIR = [((2, 3), (2, 2)), ((0, 3), (0, 2))]

JOINED = {
    "concatenate": (lambda x, y: np.concatenate([x, y], axis=1), PAIR),
    "concatenate flat": (lambda x, y: np.concatenate((x, y), axis=None), [((2, 3), ()), ((2,), (0,))]),
    "concatenate constants": (lambda x, y: np.concatenate([x, np.ones((2, 1)), y], axis=-1), PAIR[:1]),
    "concatenate in a dtype": (lambda x, y: np.concatenate([x, y], axis=1, dtype=np.complex128), PAIR),
    "concatenate lists": (lambda x, y: np.concatenate([[x, y], x * np.ones(1), y * np.ones(1)]), [((), ())]),
    "stack": (lambda x, y: np.stack([x, 2 * y, x], axis=1), SQUARE),
    "stack numbers": (lambda x, y: np.stack([x, y, 1.0]), [((), ())]),
    "vstack": (lambda x, y: np.vstack([x, y]), [((3,), (2, 3))]),
    "hstack": (lambda x, y: np.hstack([x, y]), PAIR),
    "hstack of vectors": (lambda x, y: np.hstack([x, y]), [((), (3,))]),
    "dstack": (lambda x, y: np.dstack([x, y]), [((2, 3), (2, 3, 2)), ((3,), (3,))]),
    "column_stack": (lambda x, y: np.column_stack([x, y]), [((2,), (2, 3))]),
    "append": (lambda x, y: np.append(x, y), [((2, 3), (2,)), ((), ())]),
    "append along an axis": (lambda x, y: np.append(x, y, axis=1), PAIR),
    "block": (lambda x, y: np.block([[x, y], [np.ones((1, 5))]]), PAIR[:1]),
    "block of one row": (lambda x, y: np.block([x, y]), [((), (3,)), ((2, 1), (2, 2))]),
    "insert": (lambda x, y: np.insert(x, 1, y, axis=1), [((2, 3), ()), ((2, 3), (2,))]),
    "insert a slice": (lambda x, y: np.insert(x, [1], y, axis=1), [((2, 3), (2, 2))]),
    "insert many": (lambda x, y: np.insert(x, [1, 1, -1], y), [((2, 3), (3,)), ((4,), ())]),
    "insert columns": (lambda x, y: np.insert(x, slice(0, 2), y, axis=1), [((2, 3), (2, 2))]),
    "insert by a mask": (lambda x, y: np.insert(x, MASK, y, axis=1), [((2, 3), ())]),
    "choose": (lambda x, y: np.choose(np.array([0, 1, 1]), [x, y]), SQUARE),
    "choose a number": (lambda x, y: np.choose(1, [x, y]), [((), ())]),
    "choose, wrapped": (lambda x, y: np.choose(np.array([[3], [-1]]), [x, y], mode="wrap"), SQUARE),
    "choose, clipped": (lambda x, y: np.choose(np.array([[3], [-1]]), [x, y], mode="clip"), SQUARE),
    "select": (lambda x, y: np.select([MASK, ~MASK[:, None]], [x, 2 * y], default=7.0), [((3,), ())]),
    "select, none holds": (lambda x, y: np.select([MASK & False, MASK], [x, y], default=y), [((3,), (3,)), ((3,), ())]),
}  # fmt: skip

TAKEN = {
    "split": (lambda x: np.split(x, 2, axis=1), [(3, 4), (0, 2)]),
    "split at places": (lambda x: np.split(x, [1, 3], axis=-1), [(2, 4)]),
    "split at places that do not ascend": (lambda x: np.split(x, [3, 1, 9, -1]), [(5,)]),
    "array_split": (lambda x: np.array_split(x, 3), [(5,), (2, 2), (0,)]),
    "hsplit": (lambda x: np.hsplit(x, 2), [(4,), (3, 2)]),
    "vsplit": (lambda x: np.vsplit(x, [1]), [(3, 2)]),
    "dsplit": (lambda x: np.dsplit(x, 2), [(2, 1, 4)]),
    "unstack": (lambda x: np.unstack(x, axis=1), [(2, 3)]),
    "unstack to numbers": (lambda x: np.unstack(x)[1:], [(3,)]),
    "concatenate the rows": (np.concatenate, [(2, 3), (2, 0, 3)]),
    "stack the rows": (lambda x: np.stack(x, axis=1), [(2, 3)]),
    "delete one": (lambda x: np.delete(x, 1, axis=1), [(2, 3)]),
    "delete some": (lambda x: np.delete(x, [0, -1]), [(2, 3), (4,)]),
    "delete a slice": (lambda x: np.delete(x, slice(None, None, 2), axis=1), [(2, 3)]),
    "delete by a mask": (lambda x: np.delete(x, MASK, axis=-1), [(3,), (2, 3)]),
    "delete nothing": (lambda x: np.delete(x, []), [(3,)]),
    "compress": (lambda x: np.compress(MASK, x, axis=1), [(2, 3)]),
    "compress the flattened": (lambda x: np.compress([True, False, True], x), [(2, 3)]),
    "extract": (lambda x: np.extract(MASK, x), [(3,)]),
    "piecewise": (lambda x: np.piecewise(x, [MASK], [np.sin, lambda x: x**2]), [(3,)]),
    "piecewise with numbers": (lambda x: np.piecewise(x, [MASK, ~MASK], [3.0, np.exp]), [(3,)]),
    "apply_along_axis": (lambda x: np.apply_along_axis(lambda r: r * np.sum(r), 1, x), [(2, 3), (2, 3, 2)]),
    "apply_along_axis to numbers": (lambda x: np.apply_along_axis(np.sum, 0, x), [(2, 3)]),
    "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x, [0, -1]), [(2, 3, 2)]),
}  # fmt: skip

if not hasattr(np, "unstack"):  # NumPy before 2.1
    del TAKEN["unstack"], TAKEN["unstack to numbers"]

ONE_D_AND_TWO_D = [(3,), (2, 3), (1, 2)]
PADDED = {
    "zeros": ({}, [(), (3,), (2, 3), (0, 2)]),
    "constants": ({"constant_values": (1.5, -0.0)}, [(), (3,), (2, 3), (0, 2)]),
    **{mode: ({"mode": mode}, ONE_D_AND_TWO_D) for mode in (
        "edge", "linear_ramp", "maximum", "mean", "minimum", "median", "reflect", "symmetric", "wrap",
    )},
    "odd reflect": ({"mode": "reflect", "reflect_type": "odd"}, ONE_D_AND_TWO_D),
    "odd symmetric": ({"mode": "symmetric", "reflect_type": "odd"}, ONE_D_AND_TWO_D),
    "ramp to values": ({"mode": "linear_ramp", "end_values": (2.0, -1.0)}, ONE_D_AND_TWO_D),
    "mean of the ends": ({"mode": "mean", "stat_length": (1, 2)}, ONE_D_AND_TWO_D),
    "maximum of the ends": ({"mode": "maximum", "stat_length": 2}, ONE_D_AND_TWO_D),
}  # fmt: skip

CASES = [
    *(Case(name, fun, shapes=shapes, arity=2) for name, (fun, shapes) in JOINED.items()),
    *(Case(name, fun, shapes=shapes) for name, (fun, shapes) in TAKEN.items()),
    *(
        Case(
            f"pad with {name}",
            lambda x, o=options: np.pad(x, (1, 5) if np.ndim(x) else 0, **o),
            domains.distinct,
            shapes=shapes,
        )
        for name, (options, shapes) in PADDED.items()
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case, max_examples=3)


def test_differentiable_constants_of_a_border():
    x, corners = np.array([[1.0, 2.0]]), np.array([3.0, 4.0])
    check_laws(lambda x, c: pad(x, ((1, 2), (0, 1)), constant_values=((c[0], c[1]), (7.0, x[0, 0]))), (x, corners))
    check_laws(lambda c: pad(np.ones((2, 2)), 1, constant_values=c), (corners,))
    check_laws(lambda x, c: pad(x, 2, mode="linear_ramp", end_values=(c[0], 0.0)), (x, corners))


def here(caught):
    """The line of this file that the error came through last."""
    entries = [entry for entry in caught.traceback if entry.path.name == "test_joining.py"]
    return f"test_joining.py:{entries[-1].lineno + 1}"


@pytest.mark.parametrize("options", [{"mode": "empty"}, {"mode": lambda *_: None}])
def test_borders_that_cannot_be_traced(options):
    with pytest.raises(TypeError) as caught:
        autodiff.vjp(lambda x: np.pad(x, 1, **options), np.ones(3))
    what = (
        "mode='empty' leaves elements uninitialised"
        if options["mode"] == "empty"
        else "a function as mode writes in place"
    )
    assert str(caught.value) == (
        f"np.pad cannot be traced this way ({here(caught)}): {what}. Use another mode, or np.concatenate"
    )


@pytest.mark.parametrize("width", [1, (1, 2), ((1, 2), (3, 0)), [[2], [0]], {-1: (1, 2), 0: 1}])
def test_widths_of_a_border(width):
    x = np.arange(6.0).reshape(2, 3)
    if isinstance(width, dict) and np.lib.NumpyVersion(np.__version__) < "2.2.0":
        pytest.skip("NumPy has no widths by axis before 2.2")
    assert np.array_equal(autodiff.vjp(lambda x: np.pad(x, width), x)[0], np.pad(x, width))


def test_integers_are_padded_as_numpy_pads_them():
    x = np.array([1, 2, 4, 8])
    for mode in ("mean", "linear_ramp", "median"):
        assert np.array_equal(pad(x, 2, mode=mode), np.pad(x, 2, mode=mode))
        assert pad(x, 2, mode=mode).dtype == x.dtype


def test_conditions_that_are_computed():
    x = np.array([-1.0, 0.5, 2.0])
    check_laws(lambda x: np.select([x > 1, x > 0], [x**2, np.sin(x)], default=x[0]), (x,))
    check_laws(lambda x: np.piecewise(x, x < 0, [lambda x: -x, np.sin]), (np.array(0.5),))
    assert autodiff.grad(lambda x: np.sum(np.extract(x > 0, x**2)))(x).tolist() == [0.0, 1.0, 4.0]
    assert autodiff.grad(lambda x: np.sum(np.piecewise(x, [x < 0, x > 1], [np.sin, lambda x: x**3])))(x).tolist() == [
        np.cos(-1.0), 0.0, 12.0
    ]  # fmt: skip
    by_shape = autodiff.make_tape(lambda x: np.piecewise(x, [x < 0], [np.sin, np.cos]))(x)
    assert np.array_equal(autodiff.eval_tape(by_shape, x), np.piecewise(x, [x < 0], [np.sin, np.cos]))


def test_selection_never_multiplies():
    gradient = autodiff.grad(lambda x: np.sum(np.select([x > 0], [np.sqrt(x)], 0.0)))(np.array([0.0, 4.0]))
    assert gradient.tolist() == [0.0, 0.25]


def test_choices_are_checked():
    with pytest.raises(ValueError, match=r"^invalid entry in choice array$"):
        autodiff.vjp(lambda x: np.choose(np.array([2]), [x, x]), np.ones(1))
    with pytest.raises(RuntimeError, match=r"only the shape is known; use mode 'clip' or 'wrap'$"):
        autodiff.eval_shape(lambda i, x: np.choose(i, [x, x]), np.array([0]), np.ones(1))


ERRORS = {
    "unequal shapes": (lambda x: np.stack([x, x[:1]]),
        "all input arrays must have the same shape, got (3,) (1,) ({line})"),
    "concatenate numbers": (lambda x: np.concatenate([x[0], x[1]]),
        "zero-dimensional arrays cannot be concatenated ({line}); use np.stack"),
    "a matrix and a vector": (lambda x: np.append(x[None], x, axis=0),
        "concatenate needs arrays with as many axes each, got shapes (1, 3), (3,) ({line})"),
    "unequal sections": (lambda x: np.split(x, 2),
        "array split does not result in an equal division: 3 elements in 2 sections ({line}); use np.array_split"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    fun, text = ERRORS[name]
    with pytest.raises(ValueError, match=r"\(test_joining\.py:") as caught:
        autodiff.vjp(fun, np.ones(3))
    assert str(caught.value) == text.format(line=here(caught))


def test_out_is_written_to():
    def fun(x):
        out = np.zeros_like(x, shape=(4,))
        assert np.concatenate([x, x], out=out) is out
        return out

    assert autodiff.vjp(fun, np.array([1.0, 2.0]))[0].tolist() == [1.0, 2.0, 1.0, 2.0]
