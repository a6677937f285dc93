"""Shapes, orders of axes, turning, shifting, repeating, diagonals: NumPy's functions, by all laws."""

import numpy as np
import pytest

import autodiff
from autodiff.testing import Case, check_case, check_laws

FLOATS = ("float64", "complex128")
BOX = [(2, 3, 4)]
FLAT = [(2, 3), (1, 1), (0, 3)]
ANY = [(), (3,), (2, 3), (0, 2)]

ROWS = {
    "reshape": (lambda x: np.reshape(x, (3, -1)), [(2, 3), (6,)]),
    "reshape in order F": (lambda x: np.reshape(x, (4, -1), order="F"), BOX),
    "reshape, a copy": (lambda x: np.reshape(x, (3, 2), copy=True), [(2, 3)]),
    "method reshape": (lambda x: np.asarray(x).reshape(3, 2) if isinstance(x, np.ndarray) else x.reshape(3, 2), [(6,)]),
    "ravel": (np.ravel, ANY),
    "ravel in order F": (lambda x: np.ravel(x, order="F"), [(2, 3), ()]),
    "transpose": (np.transpose, ANY),
    "transpose of axes": (lambda x: np.transpose(x, (1, -1, 0)), BOX),
    "matrix_transpose": (np.matrix_transpose, BOX),
    "linalg.matrix_transpose": (np.linalg.matrix_transpose, [(2, 3)]),
    "swapaxes": (lambda x: np.swapaxes(x, 0, -1), BOX),
    "moveaxis": (lambda x: np.moveaxis(x, (0, 1), (-1, 0)), BOX),
    "rollaxis": (lambda x: np.rollaxis(x, 2, 1), BOX),
    "expand_dims": (lambda x: np.expand_dims(x, (0, -1)), ANY),
    "squeeze": (np.squeeze, [(1, 3, 1), (1, 1), (), (2, 3)]),
    "squeeze one axis": (lambda x: np.squeeze(x, -1), [(1, 3, 1), (1,)]),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 3)), [(), (3,), (2, 1), (2, 3)]),
    "atleast_1d": (np.atleast_1d, ANY),
    "atleast_2d": (np.atleast_2d, ANY),
    "atleast_3d": (np.atleast_3d, ANY),
    "copy": (np.copy, ANY),
    "astype": (lambda x: np.astype(x, np.complex128), ANY),
    "flip": (np.flip, ANY),
    "flip of axes": (lambda x: np.flip(x, (0, -1)), BOX),
    "flipud": (np.flipud, FLAT),
    "fliplr": (np.fliplr, FLAT),
    **{f"rot90, {k} times": (lambda x, k=k: np.rot90(x, k, (2, 0)), BOX) for k in (0, 1, 2, -1)},
    "roll": (lambda x: np.roll(x, 2), ANY),
    "roll along axes": (lambda x: np.roll(x, (1, -4), (0, -1)), FLAT),
    "roll twice along one axis": (lambda x: np.roll(x, (1, 1), (0, 0)), FLAT),
    "roll all alike": (lambda x: np.roll(x, 1, (0, 1)), FLAT),
    "tile": (lambda x: np.tile(x, 2), ANY),
    "tile along new axes": (lambda x: np.tile(x, (2, 1, 3)), ANY),
    "tile once": (lambda x: np.tile(x, (1, 1)), FLAT),
    "tile never": (lambda x: np.tile(x, 0), FLAT),
    "repeat": (lambda x: np.repeat(x, 2), ANY),
    "repeat along an axis": (lambda x: np.repeat(x, 3, axis=0), FLAT),
    "repeat unequally": (lambda x: np.repeat(x, [1, 0, 2], axis=1), [(2, 3)]),
    "repeat never": (lambda x: np.repeat(x, 0, axis=1), FLAT),
    "resize to more": (lambda x: np.resize(x, (3, 5)), ANY),
    "resize to less": (lambda x: np.resize(x, 2), [(2, 3)]),
    "resize to nothing": (lambda x: np.resize(x, (0, 2)), FLAT),
    "diag of a vector": (lambda x: np.diag(x, -2), [(3,), (0,)]),
    "diag of a matrix": (lambda x: np.diag(x, 1), [(2, 3), (3, 2), (1, 1)]),
    "diagflat": (lambda x: np.diagflat(x, 1), ANY),
    "diagonal": (lambda x: np.diagonal(x, -1, 2, 0), BOX),
    "diagonal outside": (lambda x: np.diagonal(x, 7), FLAT),
    "linalg.diagonal": (lambda x: np.linalg.diagonal(x, offset=1), BOX),
    "tril": (lambda x: np.tril(x, 1), [(2, 3), (2, 3, 4), (3,), (0, 2)]),
    "triu": (lambda x: np.triu(x, -1), [(2, 3), (2, 3, 4), (3,), (0, 2)]),
    "sliding_window_view": (lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2)), [(3, 4), (2, 2)]),
    "windows along one axis": (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, -1), [(2, 3), (4,)]),
}  # fmt: skip
if not hasattr(np, "astype"):  # NumPy before 2.1
    del ROWS["astype"], ROWS["reshape, a copy"]
CASES = [Case(name, fun, shapes=shapes, dtypes=FLOATS) for name, (fun, shapes) in ROWS.items()]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case, max_examples=3)


def test_several_arrays():
    x, y = np.array([1.5, -2.0, 0.5]), np.array([[2.0], [3.0]])
    check_laws(lambda x, y: np.broadcast_arrays(x, y, 1.0)[:2], (x, y))
    arrays = autodiff.grad(lambda s: np.sum(np.stack([a[...] for a in np.broadcast_arrays(s, 1.5, np.float64(2.0))])))
    assert arrays(3.0) == 1.0  # numbers become arrays without axes
    check_laws(lambda x, y: np.atleast_2d(x, y, 2.0)[:2], (x, y))


@pytest.mark.parametrize("order", ["A", "K", "C", "F"])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, lambda x: np.moveaxis(x, 0, 1)])
def test_orders_of_memory(order, layout):
    x = layout(np.arange(24.0).reshape(2, 3, 4))
    value, pull = autodiff.vjp(lambda x: np.ravel(x, order=order), x)
    assert np.array_equal(value, np.ravel(x, order=order))
    assert np.array_equal(pull(value)[0], x)
    if order != "K":
        value, pull = autodiff.vjp(lambda x: np.reshape(x, (4, 6), order=order), x)
        assert np.array_equal(value, np.reshape(x, (4, 6), order=order))
        assert np.array_equal(pull(value)[0], x)


def test_the_order_of_memory_must_be_known():
    with pytest.raises(RuntimeError) as caught:
        autodiff.eval_shape(lambda x: np.ravel(x, order="K"), np.ones((2, 3)))
    assert str(caught.value) == (
        f"np.ravel(order='K') depends on the memory of a traced float64[2,3] ({here(caught)}), of which only the "
        "shape is known; choose order 'C' or 'F'"
    )
    assert autodiff.eval_shape(lambda x: np.ravel(x, order="K"), np.ones((1, 3))).shape == (3,)


def here(caught):
    """The line of this file that the error came through last."""
    entries = [entry for entry in caught.traceback if entry.path.name == "test_shapes.py"]
    return f"test_shapes.py:{entries[-1].lineno + 1}"


ERRORS = {
    "squeeze": (lambda x: np.squeeze(x, 0), "cannot select an axis to squeeze out which has size not equal to one"),
    "reshape": (lambda x: np.reshape(x, (4, 2)), "cannot reshape array of size 6 into shape (4,2)"),
    "moveaxis": (lambda x: np.moveaxis(x, 2, 0), "source: axis 2 is out of bounds for array of dimension 2"),
    "transpose": (lambda x: np.transpose(x, (0, 0)), "repeated axis in transpose"),
    "broadcast_to": (
        lambda x: np.broadcast_to(x, (3, 3)),
        "operands could not be broadcast together with remapped shapes [original->remapped]: (2,3)  and requested "
        "shape (3,3)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_numpy(name):
    fun, reason = ERRORS[name]
    with pytest.raises((ValueError, IndexError)) as caught:
        autodiff.vjp(fun, np.ones((2, 3)))
    assert str(caught.value) == f"np.{name}(float64[2,3]) ({here(caught)}): {reason}"
    with pytest.raises((ValueError, IndexError)) as plain:
        fun(np.ones((2, 3)))
    assert isinstance(caught.value, ValueError) == isinstance(plain.value, ValueError)


def test_trim_zeros_cuts_at_the_known_zeros():
    x = np.array([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    for options in ({}, {"trim": "f"}, {"trim": "b"}, {"axis": 0}):
        value, pull = autodiff.vjp(lambda x, o=options: np.trim_zeros(x, **o), x)
        assert np.array_equal(value, np.trim_zeros(x, **options))
        assert np.array_equal(pull(value)[0], x)
    assert autodiff.vjp(np.trim_zeros, np.zeros(3))[0].shape == (0,)
    with pytest.raises(RuntimeError) as caught:
        autodiff.eval_shape(np.trim_zeros, x)
    assert str(caught.value).startswith(
        "np.trim_zeros gives a shape that depends on the elements of a traced float64[3,3]"
    )


def test_triangles_select_and_never_multiply():
    gradient = autodiff.grad(lambda x: np.sum(np.tril(np.sqrt(x))))(np.array([[1.0, 0.0], [4.0, 1.0]]))
    assert gradient.tolist() == [[0.5, 0.0], [0.25, 0.5]]


def test_results_own_their_memory_where_numpys_do():
    x = np.ones((1, 3))
    for fun in (lambda x: np.tile(x, (4, 1)), lambda x: np.repeat(x, 4, axis=0), np.copy, lambda x: np.tile(x, 1)):
        value, _ = autodiff.vjp(fun, x)
        assert value.flags.writeable
        assert not np.shares_memory(value, x)
