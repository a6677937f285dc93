"""Products of vectors, matrices and arrays keep all laws."""

import numpy as np
import pytest

from autodiff import grad, make_tape, vjp, vmap
from autodiff.testing import Case, check_case, check_laws
from autodiff.testing.draws.domains import real
from autodiff.trace.errors import DifferentiationError, OperandError
from tests.ops.matrices import ALL, draw

ROUNDED = ("value", "replay")
"""Laws that ask for equal bits: some products are composed of others, which round otherwise in their last place."""


def times(x, y):
    return x @ y


# fmt: off
EXACT = {
    "@ matrices":         (times, (2, 3), (3, 4)),
    "@ row":              (times, (3,), (3, 4)),
    "@ column":           (times, (2, 3), (3,)),
    "@ vectors":          (times, (3,), (3,)),
    "@ stacks":           (times, (2, 1, 2, 3), (4, 3, 2)),
    "@ stack by matrix":  (times, (2, 2, 3), (3, 2)),
    "@ matrix by stack":  (times, (2, 3), (2, 3, 2)),
    "@ stack by vector":  (times, (2, 2, 3), (3,)),
    "@ vector by stack":  (times, (3,), (2, 3, 2)),
    "matmul":             (np.matmul, (2, 3), (3, 4)),
    "linalg.matmul":      (np.linalg.matmul, (2, 3), (3, 4)),
    "dot matrices":       (np.dot, (2, 3), (3, 2)),
    "dot vectors":        (np.dot, (3,), (3,)),
    "dot row":            (np.dot, (3,), (3, 2)),
    "dot stacks":         (np.dot, (2, 2, 3), (2, 3, 2)),
    "dot one by stack":   (np.dot, (3,), (2, 3, 2)),
    "dot stack by one":   (np.dot, (2, 2, 3), (3,)),
    "inner matrices":     (np.inner, (2, 3), (4, 3)),
    "inner vectors":      (np.inner, (3,), (3,)),
    "outer":              (np.outer, (2, 2), (3,)),
    "linalg.outer":       (np.linalg.outer, (2,), (3,)),
    "kron":               (np.kron, (2, 2), (3,)),
    "kron of more axes":  (np.kron, (2,), (3, 2, 1)),
    "cross":              (np.cross, (2, 3), (3,)),
    "cross axes":         (lambda a, b: np.cross(a, b, axisa=0, axisc=0), (3, 2), (2, 3)),
    "linalg.cross":       (lambda a, b: np.linalg.cross(a, b, axis=0), (3, 2), (3, 2)),
    "tensordot":          (np.tensordot, (2, 3, 4), (3, 4, 2)),
    "tensordot 0":        (lambda a, b: np.tensordot(a, b, 0), (2, 3), (2,)),
    "tensordot all":      (lambda a, b: np.tensordot(a, b, 2), (2, 3), (2, 3)),
    "tensordot axes":     (lambda a, b: np.tensordot(a, b, axes=([0, 2], [1, -1])), (2, 3, 4), (3, 2, 4)),
    "linalg.tensordot":   (lambda a, b: np.linalg.tensordot(a, b, axes=1), (2, 3), (3, 2)),
}
CLOSE = {
    "dot number":         (np.dot, (), (2, 3)),
    "dot by number":      (np.dot, (2, 3), ()),
    "dot numbers":        (np.dot, (), ()),
    "inner number":       (np.inner, (2,), ()),
    "inner stacks":       (np.inner, (2, 2, 3), (2, 4, 3)),
    "vdot":               (np.vdot, (2, 2), (2, 2)),
    "vecdot":             (np.vecdot, (2, 3), (3,)),
    "vecdot vectors":     (np.vecdot, (3,), (3,)),
    "linalg.vecdot":      (lambda a, b: np.linalg.vecdot(a, b, axis=0), (3, 2), (3, 2)),
}
if hasattr(np, "matvec"):
    EXACT["matvec"] = (np.matvec, (2, 2, 3), (2, 3))
    CLOSE["vecmat"] = (np.vecmat, (2, 3), (2, 3, 2))
SHAPES = [((2, 3), (3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 2)), ((1, 1), (1, 3)), ((3,), (3, 2)), ((2, 3), (3,))]
# fmt: on


def arrays(name, dtype, *shapes):
    return tuple(draw(f"{name}{k}", shape, dtype)[()] for k, shape in enumerate(shapes))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", EXACT)
def test_products_keep_all_laws(name, dtype):
    fun, *shapes = EXACT[name]
    check_laws(fun, arrays(name, dtype, *shapes), name=name)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", CLOSE)
def test_composed_products_keep_all_laws(name, dtype):
    fun, *shapes = CLOSE[name]
    check_laws(fun, arrays(name, dtype, *shapes), name=name, skip=ROUNDED if dtype != "float64" else ())


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", EXACT)
def test_one_operand_may_be_constant(name, dtype):
    fun, *shapes = EXACT[name]
    a, b = arrays(name, dtype, *shapes)
    laws = ("value", "forward", "reverse", "adjoint", "batch of gradient", "reverse over reverse")
    check_laws(lambda x: fun(x, b), (a,), only=laws)
    check_laws(lambda y: fun(a, y), (b,), only=laws)


@pytest.mark.parametrize("fun", [times, np.dot])
def test_layouts_and_empty_arrays(fun):
    check_case(Case(fun.__name__, fun, (real, real), shapes=SHAPES, zero_dim=False), max_examples=12)


@pytest.mark.parametrize("dtype", ALL)
def test_traces_keep_all_laws(dtype):
    check_laws(np.trace, (draw("trace", (3, 2), dtype),))
    check_laws(lambda a: np.trace(a, 1, 0, 2), (draw("trace", (3, 2, 4), dtype),))
    check_laws(lambda a: np.linalg.trace(a, offset=-1), (draw("trace", (2, 3, 3), dtype),))


def test_trace_in_another_dtype():
    x = np.ones((2, 2), np.float32)
    assert grad(lambda a: np.trace(a, dtype=np.float64))(x).dtype == np.float32


def test_lists_and_whole_numbers():
    x = np.arange(4.0).reshape(2, 2)
    np.testing.assert_array_equal(grad(lambda a: np.sum([1.0, 2.0] @ a))(x), [[1, 1], [2, 2]])
    np.testing.assert_array_equal(grad(lambda a: np.sum(a @ [1, 2]))(x), [[1, 2], [1, 2]])
    np.testing.assert_array_equal(grad(lambda a: np.sum(np.array([[1, 2], [3, 4]]) @ a))(x), [[4, 4], [6, 6]])
    np.testing.assert_array_equal(grad(lambda a: np.dot([[1, 0], [0, 1]], a)[0, 1])(x), [[0, 1], [0, 0]])


def test_outs():
    def into(a):
        out = np.zeros_like(a)
        np.dot(a, a, out=out)
        np.matmul(out, a, out=out)
        return np.sum(out)

    x = draw("out", (2, 2), "float64")
    np.testing.assert_allclose(grad(into)(x), grad(lambda a: np.sum(a @ a @ a))(x), rtol=1e-13)


def test_one_matrix_times_many_vectors_is_one_product():
    tape = make_tape(vmap(lambda a, x: a @ x, in_axes=(None, 0)))(np.ones((2, 3)), np.ones((4, 3)))
    assert [equation.primitive.name for equation in tape.equations] == ["transpose", "matmul"]


def test_one_matrix_times_a_stack_has_one_product_as_its_gradient():
    x = np.ones((5, 2, 3))
    tape = make_tape(grad(lambda w: np.sum(x @ w)))(np.ones((3, 2)))
    assert all(spec.shape != (5, 3, 2) for spec in tape.specs)


def error_of(kind, fun, x):
    with pytest.raises(kind) as caught:
        grad(fun)(x)
    return str(caught.value), f"test_products.py:{fun.__code__.co_firstlineno + 1}"


def test_errors_say_what_is_needed():
    def number(a):
        return np.matmul(a, 2.0)

    def plane(a):
        return np.cross(a, a)

    def uneven(a):
        return np.tensordot(a, np.ones((2, 3)), 1)

    def fewer(a):
        return np.sum(np.tensordot(a, np.ones(2)))

    def unlike(a):
        return np.tensordot(a, a, ([0, 1], [0]))

    text, line = error_of(OperandError, number, np.ones(2))
    assert text == f"matmul got operands of 1 and 0 axes ({line}); both need one at least. Multiply numbers by *"
    text, line = error_of(DifferentiationError, plane, np.ones(2))
    assert text == (
        f"np.cross got traced vectors of 2 and 2 elements ({line}); both need three. For two write a[..., 0] * "
        "b[..., 1] - a[..., 1] * b[..., 0]"
    )
    text, line = error_of(ValueError, uneven, np.ones(3))
    assert (
        text
        == f"tensordot sums axes [0] of shape (3,) with axes [0] of shape (2, 3) ({line}); their lengths must be equal"
    )
    text, line = error_of(ValueError, fewer, np.ones((2, 2)))
    assert text == f"tensordot got axes=2 for arrays of 2 and 1 axes ({line}); neither may have fewer"
    text, line = error_of(ValueError, unlike, np.ones((2, 2)))
    assert text == f"tensordot got 2 axes of one operand and 1 of the other ({line}); give as many"

    def times_a_number(a):
        return np.sum(a @ 3)

    text, line = error_of(ValueError, times_a_number, np.ones(2))
    assert text == f"matmul got operands of 1 and 0 axes ({line}); both need one at least. Multiply numbers by *"


def test_products_of_vectors_along_an_axis():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(6.0, 12.0).reshape(2, 3)
    value, pull = vjp(lambda x: np.vecdot(x, y, axis=0), x)
    assert value.tolist() == np.vecdot(x, y, axis=0).tolist()
    assert pull(np.ones(3))[0].tolist() == y.tolist()
