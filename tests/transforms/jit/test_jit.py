"""``jit``: the values and derivatives of the function, which itself runs only to be recorded."""

import threading
from typing import NamedTuple

import numpy as np
import pytest

from autodiff import (
    Variable,
    checkpoint,
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
    vmap,
)
from autodiff.facade.settings.configuration import config, using_config
from autodiff.trace.errors import ConcretizationError
from autodiff.transforms.jit.function import jit

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # infinite slopes in branches that are not taken

X = np.array([[0.5, -1.0, 2.0], [0.0, 3.0, -0.25]])
W = np.linspace(-1, 1, 12).reshape(3, 4)


def layers(x, w):
    return np.sum(np.tanh(x @ w) ** 2) + np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0)) + np.max(np.abs(w))


PROGRAMS = [
    (layers, (X, W)),
    (lambda x: np.sum(x**3) / np.sum(np.exp(x)), (X,)),
    (lambda x: x[0] @ x[1] + x[:, 1].sum() * x.T[2, 0], (X,)),
    (lambda x: np.linalg.norm(x) + np.sort(x, axis=1)[0, 1], (X,)),
    (lambda x, k: k * np.sin(x), (0.5, 3)),
    (lambda tree: {"a": tree["p"][0] * 2, "b": (tree["p"][1], np.cumsum(tree["q"]))}, ({"p": (X, 2.0), "q": X[0]},)),
    (lambda x: (np.argmax(x), x.astype(np.float32), np.ones(3), 1.5), (X,)),
]


def equal(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    alike = type(a) is type(b) and np.asarray(a).dtype == np.asarray(b).dtype and np.shape(a) == np.shape(b)
    return alike and np.allclose(a, b, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_values_are_those_of_the_function(function, arguments):
    jitted = jit(function)
    for _ in range(2):
        assert equal(jitted(*arguments), function(*arguments))


@pytest.mark.parametrize(
    "transform",
    [
        grad,
        value_and_grad,
        jacrev,
        jacfwd,
        hessian,
        lambda f: grad(lambda x, w: np.sum(grad(f)(x, w) ** 2)),
        lambda f: lambda x, w: jvp(lambda x: f(x, w), (x,), (np.ones_like(x),)),
        lambda f: lambda x, w: jvp(grad(f), (x, w), (np.ones_like(x), w)),
        lambda f: lambda x, w: vjp(f, x, w)[1](2.0),
        lambda f: lambda x, w: hvp(lambda x: f(x, w), (x,), (x,)),
        lambda f: lambda x, w: linearize(lambda x: f(x, w), x)[1](x),
        lambda f: lambda x, w: vmap(f, in_axes=(0, None))(x[:, None], w),
        lambda f: lambda x, w: vmap(grad(f), in_axes=(0, None))(x[:, None], w),
        lambda f: grad(lambda x, w: np.sum(vmap(f, in_axes=(0, None))(x[:, None], w) ** 2)),
        lambda f: grad(checkpoint(f)),
        lambda f: lambda x, w: grad(f)(x.astype(np.float32), w.astype(np.float32)),
    ],
)
def test_it_nests_with_every_transformation(transform):
    expected = transform(layers)(X, W)
    for jitted in (transform(jit(layers)), jit(transform(layers)), jit(transform(jit(layers)))):
        for _ in range(2):
            result = jitted(X, W)
            for a, b in zip(leaves(result), leaves(expected), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6 if a.dtype == np.float32 else 1e-12)
                assert a.dtype == b.dtype


def leaves(result):
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def test_the_function_runs_once_for_each_kind_of_arguments():
    calls = []

    @jit
    def f(x, y=1.0):
        calls.append((x.shape, x.dtype))
        return x * y

    for _ in range(3):
        f(np.ones(2))
    f(np.ones(3))
    f(np.ones(2, np.float32))
    f(np.ones(2), 2.0)
    f(np.ones(2), y=2.0)
    f(np.ones(2), 3.0)
    assert calls == [((2,), np.float64), ((3,), np.float64), ((2,), np.float32), ((2,), np.float64), ((2,), np.float64)]
    assert f(np.ones(2, np.float32), 2.0).dtype == np.float32


def test_derivatives_are_programs_too():
    calls = []

    def f(x):
        calls.append(1)
        return np.sum(x**3)

    jitted = jit(f)
    for _ in range(3):
        grad(jitted)(X)
        hessian(jitted)(X)
    assert len(calls) == 1


def test_static_arguments():
    @jit
    def never(x, flag):
        return x if flag else -x

    with pytest.raises(ConcretizationError):
        never(1.0, True)
    f = jit(lambda x, n, flag=True: x**n if flag else -x, static_argnums=1, static_argnames="flag")
    assert f(3.0, 2) == 9
    assert f(3.0, 2, flag=False) == -3
    assert f(3.0, 3) == 27
    assert type(jit(lambda x, one: x * one, static_argnums=1)(2, 1)) is int
    assert type(jit(lambda x, one: x * one, static_argnums=-1)(2, 1.0)) is float


def test_arrays_that_it_closes_over_are_taken_as_they_are():
    scale = np.array([1.0, 2.0])
    f = jit(lambda x: (x * scale, scale))
    first = f(np.ones(2))
    scale[0] = 100
    again = f(np.ones(2))
    assert first[0].tolist() == again[0].tolist() == [1, 2]
    again[1][...] = 7
    assert f(np.ones(2))[1].tolist() == [1, 2]


def test_traced_values_that_it_closes_over():
    @jit
    def outer(x):
        return grad(lambda y: jit(lambda z: np.sum(z * x * y))(y))(x)

    np.testing.assert_allclose(outer(X), 2 * X * X)
    assert grad(lambda x: jit(lambda y: x * y)(3.0))(2.0) == 3.0


def test_variables():
    jitted = jit(layers)
    x = Variable(X)
    y = jitted(x, W)
    assert y.creator.label == "jit"
    y.backward(enable_double_backprop=True)
    np.testing.assert_allclose(x.grad, grad(layers)(X, W), rtol=1e-12)
    gx = x.grad_var
    x.cleargrad()
    np.sum(gx * gx).backward()
    np.testing.assert_allclose(x.grad, grad(lambda x: np.sum(grad(layers)(x, W) ** 2))(X), rtol=1e-12)


def test_the_configuration_is_part_of_what_is_recorded():
    f = jit(lambda x: x * 2 if config.train else x)
    assert f(1.0) == 2
    with using_config("train", False):
        assert f(1.0) == 1
    assert f(1.0) == 2


class Pair(NamedTuple):
    first: object
    second: object


def test_rules_of_the_users_own_and_trees():
    @custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda residuals, g: (np.clip(g, -1.0, 1.0),))
    assert grad(jit(lambda x: 5.0 * clipped(x)))(2.0) == 1.0
    assert jit(lambda pair: Pair(pair.second, pair.first))(Pair(1.0, X[0])).second == 1.0


def test_threads():
    jitted, results = jit(grad(layers)), []
    threads = [threading.Thread(target=lambda: results.append(jitted(X, W))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, results[0]) for result in results)
    assert len(results) == 8


def test_what_it_shows():
    f = jit(lambda x: np.tanh(x) * 2, backend="numpy")
    assert [equation.primitive.name for equation in f.tape(X).equations] == ["tanh", "multiply"]
    assert f.source(0.5) == (
        "def run(a):\n    b = tanh_1(a)\n    del a\n    c = multiply_1(b, 2.0)\n    del b\n    return (c, )\n"
    )


def test_errors_say_where_the_operation_was_recorded():
    f = jit(lambda x: np.linalg.inv(x) * 2)
    line = f.__wrapped__.__code__.co_firstlineno
    with pytest.raises(np.linalg.LinAlgError) as raised:
        f(np.zeros((2, 2)))
    assert str(raised.value) == f"inv (test_jit.py:{line}): Singular matrix"
