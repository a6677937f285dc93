"""Every decided case at the point itself, by every way to ask for a derivative: both modes, ``jit``, ``vmap``, Variables."""

from functools import partial
from itertools import product

import numpy as np
import pytest

import autodiff
from autodiff import grad, hessian, hvp, jacfwd, jacobian, jacrev, jit, jvp, linearize, vjp, vmap
from autodiff.ops.matrices.gauge import GaugeWarning
from autodiff.testing import assert_close
from tests.conventions import ROWS, one_each

WEIGHTS = np.array([[1.0, 2.0], [3.0, 4.0]])
POINTS = [row.args for row in ROWS]
quick_jit = partial(jit, backend="numpy")
by_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def units(args):
    """The unit vectors of all arguments together."""
    for place, x in enumerate(args):
        for element in range(np.size(x)):
            vectors = [np.zeros(np.shape(arg)) for arg in args]
            vectors[place].reshape(-1)[element] = 1
            yield tuple(vector[()] for vector in vectors)


def by_directions(push, args):
    """The gradient from the derivatives along all unit vectors."""
    slopes = iter([np.sum(push(direction)) for direction in units(args)])
    return tuple(np.reshape([next(slopes) for _ in range(np.size(x))], np.shape(x)) for x in args)


def by_jvp(fun, args):
    return by_directions(lambda direction: jvp(fun, args, direction)[1], args)


def by_jit_of_jvp(fun, args):
    pushed = quick_jit(lambda at, direction: jvp(fun, at, direction)[1])
    return by_directions(lambda direction: pushed(args, direction), args)


def by_batch_of_directions(fun, args):
    directions = tuple(map(np.stack, zip(*units(args), strict=True)))
    slopes = iter(vmap(lambda *direction: jvp(fun, args, direction)[1])(*directions))
    return by_directions(lambda _: next(slopes), args)


def by_linearize(fun, args):
    push = linearize(fun, *args)[1]
    return by_directions(lambda direction: push(*direction), args)


def by_vjp(fun, args):
    value, pullback = vjp(fun, *args)
    return pullback(np.ones_like(value))


def by_variables(fun, args):
    variables = [autodiff.Variable(np.array(arg)) for arg in args]
    out = fun(*variables)
    if isinstance(out, autodiff.Variable):
        out.backward()
    return tuple(np.zeros(x.shape) if x.grad is None else x.grad for x in variables)


def whole(transform, around=lambda fun: fun, inside=lambda fun: fun):
    """A transformation that gives the derivatives by all arguments at once."""
    return lambda fun, args: around(transform(inside(fun), tuple(range(len(args)))))(*args)


def of_batch(transform):
    """The same for a batch of two equal points."""

    def first(fun, args):
        found = vmap(transform(fun, tuple(range(len(args)))))(*(np.stack([arg, arg]) for arg in args))
        return tuple(one[0] for one in found)

    return first


WAYS = {
    "grad": whole(grad),
    "vjp": by_vjp,
    "jvp": by_jvp,
    "linearize": by_linearize,
    "jacrev": whole(jacrev),
    "jacfwd": whole(jacfwd),
    "jacobian": whole(jacobian),
    "Variables": by_variables,
    "jit of grad": whole(grad, quick_jit),
    "jit of jacrev": whole(jacrev, quick_jit),
    "jit of jacfwd": whole(jacfwd, quick_jit),
    "jit of jvp": by_jit_of_jvp,
    "grad of jit": whole(grad, inside=quick_jit),
    "jvp of jit": lambda fun, args: by_jvp(quick_jit(fun), args),
    "jacfwd of jit": whole(jacfwd, inside=quick_jit),
    "vmap of grad": of_batch(grad),
    "vmap of jacrev": of_batch(jacrev),
    "vmap of jacfwd": of_batch(jacfwd),
    "vmap of directions": by_batch_of_directions,
}


@pytest.mark.parametrize("way", WAYS)
@by_row
def test_first_derivative(row, way):
    assert_close(WAYS[way](row.total, row.args), one_each(row.gradient, row.args))


@pytest.mark.parametrize("around", [lambda fun: fun, quick_jit])
@pytest.mark.parametrize("transform", [jacrev, jacfwd, jacobian])
@by_row
def test_whole_jacobians_have_nothing_but_the_gradient_in_them(row, transform, around):
    """No element of the result meets the infinite derivative of another one."""
    found = around(transform(row.fun, row.argnums))(*row.args)
    axes = tuple(range(np.ndim(row.fun(*row.args))))
    assert_close(tuple(np.sum(block, axis=axes) for block in found), one_each(row.gradient, row.args))


@pytest.mark.parametrize("transform", [grad, jacfwd])
def test_kernels_of_all_rows_at_once(transform):
    """Compiling takes a while, so all rows are one program."""
    compiled = jit(lambda points: [transform(r.total, r.argnums)(*at) for r, at in zip(ROWS, points, strict=True)])
    for row, found in zip(ROWS, compiled(POINTS), strict=True):
        assert_close(found, one_each(row.gradient, row.args))


SMOOTH = [row for row in ROWS if row.second is not None]
by_smooth_row = pytest.mark.parametrize("row", SMOOTH, ids=lambda row: row.name)


@pytest.mark.parametrize(("outer", "inner"), list(product([jacrev, jacfwd], [grad, jacrev, jacfwd])))
@by_smooth_row
def test_second_derivative(row, outer, inner):
    def slope(*args):
        return sum(np.sum(one) for one in inner(row.total, row.argnums)(*args))

    assert_close(outer(slope, row.argnums)(*row.args), one_each(row.second, row.args))


def reverse_hessian(fun, argnums):
    return jacrev(jacfwd(fun, argnums), argnums)


@pytest.mark.parametrize("transform", [hessian, reverse_hessian])
@pytest.mark.parametrize("around", [lambda fun: fun, quick_jit, vmap])
@by_smooth_row
def test_hessians(row, around, transform):
    args = tuple(np.stack([arg, arg]) for arg in row.args) if around is vmap else row.args
    blocks = around(transform(row.total, row.argnums))(*args)
    if around is vmap:
        blocks = [[block[0] for block in line] for line in blocks]
    found = tuple(
        sum(np.sum(line[k], axis=tuple(range(np.ndim(arg)))) for line, arg in zip(blocks, row.args, strict=True))
        for k in row.argnums
    )
    assert_close(found, one_each(row.second, row.args))


@pytest.mark.parametrize("around", [lambda fun: fun, quick_jit])
@by_smooth_row
def test_products_with_hessians(row, around):
    product_with = around(lambda args, direction: hvp(row.total, args, direction))

    def push(direction):
        found = product_with(row.args, direction)
        return sum(map(np.sum, found if len(row.args) > 1 else (found,)))

    assert_close(by_directions(push, row.args), one_each(row.second, row.args))


MODES = [by_jvp, by_vjp]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("fun", "name"),
    [
        (lambda x: np.sum(WEIGHTS * np.linalg.eigh(x)[1]), "eigh"),
        (lambda x: np.sum(WEIGHTS * np.linalg.svd(x)[0]), "svd"),
    ],
)
def test_vectors_of_equal_values_have_no_derivative_and_a_warning_says_so(fun, name, mode):
    with pytest.warns(
        GaugeWarning, match=rf"^a derivative of {name} \(test_conventions.py:\d+\) meets equal or zero values"
    ):
        found = mode(fun, (np.eye(2),))
    assert np.isfinite(found).all()
    if name == "eigh":
        assert_close(found, (np.zeros((2, 2)),))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "fun", "matrix"),
    [
        ("inv", np.linalg.inv, np.ones((2, 2))),
        ("cholesky", np.linalg.cholesky, np.zeros((2, 2))),
    ],
)
def test_what_numpy_refuses_is_refused_with_the_operation_and_the_line(name, fun, matrix, mode):
    with pytest.raises(np.linalg.LinAlgError, match=rf"^{name}\(float64\[2,2\]\) \(test_conventions.py:\d+\): "):
        mode(lambda x: np.sum(fun(x)), (matrix,))
