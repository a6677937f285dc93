"""Nothing recurses over the length of a program, the depth of a tree or the number of axes."""

import numpy as np
import pytest

from autodiff import grad, jit, value_and_grad, vmap
from autodiff.trace.spec import broadcast_shapes
from autodiff.trace.trees.tree import flatten, paths

DEEP = 3000


def total(*xs):
    found = xs[0]
    for x in xs[1:]:
        found = found + x
    return found


def nested(depth, leaf):
    tree = leaf
    for k in range(depth):
        tree = [tree] if k % 3 else ({"a": tree} if k % 2 else (tree,))
    return tree


def innermost(tree):
    while isinstance(tree, list | tuple | dict):
        tree = tree["a"] if isinstance(tree, dict) else tree[0]
    return tree


@pytest.mark.parametrize("size", [3, 50_000])
def test_sums_of_hundreds_of_arrays(size):
    xs = [np.full(size, k / 7) for k in range(600)]
    np.testing.assert_allclose(jit(total)(*xs), total(*xs), rtol=1e-14)
    for each in jit(grad(lambda xs: np.sum(total(*xs) ** 2)))(xs)[::150]:
        np.testing.assert_allclose(each, 2 * total(*xs), rtol=1e-13)


def test_a_value_that_is_used_hundreds_of_times():
    def f(x):
        return total(*[x * (x + k) for k in range(500)])

    value, gradient = jit(value_and_grad(f))(1.5)
    assert value == pytest.approx(f(1.5), rel=1e-13)
    assert gradient == pytest.approx(grad(f)(1.5), rel=1e-13)


def test_hundreds_of_steps_in_place():
    def f(x):
        for _ in range(200):
            x = x * 1
            x[1:-1] = x[1:-1] + 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
        return np.sum(x**2)

    x = np.linspace(0, 1, 20) ** 2
    np.testing.assert_allclose(jit(grad(f))(x), grad(f)(x), rtol=1e-12)


def test_trees_of_any_depth():
    tree = nested(DEEP, 1.5)
    leaves, structure = flatten(tree)
    assert (leaves, structure.count, structure.depth) == ([1.5], 1, DEEP)
    assert structure == flatten(nested(DEEP, 2.5))[1]
    assert hash(structure) == hash(flatten(nested(DEEP, 2.5))[1])
    assert structure != flatten(nested(DEEP - 1, 2.5))[1]
    assert repr(structure) == f"<a tree of 1 leaves, {DEEP} deep>"
    assert len(paths(tree)) == 1
    assert innermost(structure.unflatten([4.0])) == 4.0
    assert innermost(grad(lambda t: innermost(t) ** 2)(tree)) == 3.0
    assert innermost(jit(grad(lambda t: innermost(t) ** 2))(tree)) == 3.0
    assert innermost(vmap(lambda t: nested(DEEP, innermost(t) * 2))(nested(DEEP, np.ones(3)))).tolist() == [2.0] * 3


def test_arrays_of_as_many_axes_as_numpy_has():
    x = np.full((1,) * 60 + (2, 1, 3, 1), 0.5)
    assert jit(grad(lambda x: np.sum(np.sin(x) * x)))(x).shape == x.shape
    assert vmap(lambda x: np.sin(x) * x)(x).shape == x.shape
    assert grad(lambda x: np.sum(x * x[..., :1]))(x).shape == x.shape


def test_shapes_of_many_axes_broadcast():
    many = (1,) * 40
    assert broadcast_shapes((*many, 3), (5, 1)) == (*many[:-1], 5, 3)
    assert broadcast_shapes((), many) == many
    with pytest.raises(ValueError, match="do not broadcast"):
        broadcast_shapes((*many, 3), (2,))
