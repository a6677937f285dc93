"""Laws over one program for each of NumPy's functions: directions with zeros, and rules that are made of derivatives."""

import numpy as np
import pytest

import autodiff
from autodiff import tree
from tests.numpy.programs import PROGRAMS

INTO_PLAIN = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
"""Programs that write into their argument, which a rule's is not: it is of an older recording, or plain."""


def like(values, args):
    """Values in the dtypes of arguments."""
    return tree.map(lambda v, x: np.asarray(v).astype(x.dtype) if hasattr(x, "dtype") else float(v), values, args)


def smooth(result):
    return [leaf for leaf in map(np.asarray, tree.leaves(result)) if leaf.dtype.kind in "fc"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_direction_is_the_sum_of_its_parts(name):
    program, args = PROGRAMS[name]
    rng = np.random.default_rng(3)
    whole = like(tree.map(lambda x: rng.normal(size=np.shape(x)), tuple(args)), tuple(args))
    chosen = tree.map(lambda x: rng.random(np.shape(x)) < 0.5, whole)
    parts = [like(tree.map(lambda v, m, k=k: v * (m == k), whole, chosen), tuple(args)) for k in (True, False)]
    along, one, other = (smooth(autodiff.jvp(program, tuple(args), v)[1]) for v in (whole, *parts))
    for total, first, second in zip(along, one, other, strict=True):
        np.testing.assert_allclose(first + second, total, rtol=1e-9, atol=1e-12)


def total(program):
    """The sum of all smooth results, each with a weight of its own."""

    def loss(*args):
        leaves = [x for x in tree.leaves(program(*args)) if np.result_type(getattr(x, "dtype", float)).kind in "fc"]
        return sum((np.sum(np.real(x)) * (k + 1.0) for k, x in enumerate(leaves)), start=np.float64(0.0))

    return loss


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in INTO_PLAIN])
def test_a_custom_rule_that_is_the_derivative(name):
    program, args = PROGRAMS[name]
    forward, reverse = autodiff.custom_jvp(total(program)), autodiff.custom_vjp(total(program))
    forward.defjvp(lambda primals, tangents: autodiff.jvp(total(program), primals, tangents))
    reverse.defvjp(
        lambda *args: (total(program)(*args), args), lambda args, g: autodiff.vjp(total(program), *args)[1](g)
    )
    places = tuple(range(len(args)))
    expected = autodiff.grad(total(program), places)(*args)
    for function in (forward, reverse):
        found = autodiff.grad(function, places)(*args)
        for ours, theirs in zip(smooth(found), smooth(expected), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    directions = like(tree.map(np.ones_like, tuple(args)), tuple(args))
    moved = autodiff.jvp(total(program), tuple(args), directions)[1]
    np.testing.assert_allclose(autodiff.jvp(reverse, tuple(args), directions)[1], moved, rtol=1e-9, atol=1e-12)
