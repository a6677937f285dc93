"""``pure_callback``: functions of Python on plain arrays, under every transformation, with the user's rules."""

import math
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import (
    checkpoint,
    custom_jvp,
    grad,
    hessian,
    jacobian,
    jit,
    jvp,
    make_tape,
    pure_callback,
    scan,
    vjp,
    vmap,
)
from autodiff.trace.errors import DifferentiationError, RuleError

from .raised import raised

X = np.linspace(0.1, 1.0, 4)
MATRIX = np.arange(12.0).reshape(4, 3) / 7


def plain_product(w: Any, x: Any) -> Any:
    assert (type(w), type(x)) == (np.ndarray, np.ndarray)
    return {"y": np.tanh(x @ w), "size": np.float64(x.size)}


def product(w: Any, x: Any, vectorized: bool = False) -> Any:
    """A function of two arrays with two results, and with both rules."""

    def pull(ct: Any, out: Any, w: Any, x: Any) -> Any:
        inner = ct["y"] * (1 - out["y"] ** 2)
        return x[..., :, None] * inner[..., None, :], np.einsum("...ij,...j->...i", w, inner)

    def push(tangents: Any, out: Any, w: Any, x: Any) -> Any:
        dw, dx = tangents
        inner = np.einsum("...i,...ij->...j", x, dw) + np.einsum("...i,...ij->...j", dx, w)
        return {"y": inner * (1 - out["y"] ** 2), "size": None}

    def batched(w: Any, x: Any) -> Any:
        return {"y": np.tanh(np.einsum("...i,...ij->...j", x, w)), "size": np.full(x.shape[:-1], float(x.shape[-1]))}

    spec = {"y": np.empty(3), "size": np.float64(0)}
    return pure_callback(
        batched if vectorized else plain_product, spec, w, x, vjp=pull, jvp=push, vectorized=vectorized
    )


def model(call: Any) -> Any:
    def loss(w: Any, x: Any) -> Any:
        out = call(w, np.sin(x))
        return np.sum(out["y"] ** 2) * out["size"]

    return loss


def reference(w: Any, x: Any) -> Any:
    return {"y": np.tanh(x @ w), "size": 4.0}


FORMS = {
    "looped": model(product),
    "vectorized": model(lambda w, x: product(w, x, True)),
    "in a loop": lambda w, x: scan(lambda c, _: (c + model(product)(w, x) / 2, None), 0.0, None, length=2)[0],
}
EVERY = pytest.mark.parametrize("form", FORMS)
WRAPPERS = {"plain": lambda f: f, "jit": jit, "checkpoint": checkpoint}


@EVERY
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_value_and_derivatives(form: str, wrapper: str) -> None:
    fun, wanted = WRAPPERS[wrapper](FORMS[form]), model(reference)
    np.testing.assert_allclose(fun(MATRIX, X), wanted(MATRIX, X))
    for one, other in zip(grad(fun, (0, 1))(MATRIX, X), grad(wanted, (0, 1))(MATRIX, X), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    change = (np.ones((4, 3)), np.zeros(4))
    np.testing.assert_allclose(jvp(fun, (MATRIX, X), change), jvp(wanted, (MATRIX, X), change))
    np.testing.assert_allclose(jit(grad(fun))(MATRIX, X), grad(wanted)(MATRIX, X))


@EVERY
def test_batches(form: str) -> None:
    fun, wanted = FORMS[form], model(reference)
    xs, ws = np.stack([X, 2 * X, -X]), np.stack([MATRIX, MATRIX + 1, MATRIX * 3])
    for axes, args in (((None, 0), (MATRIX, xs)), ((0, None), (ws, X)), ((0, 0), (ws, xs))):
        np.testing.assert_allclose(vmap(fun, axes)(*args), vmap(wanted, axes)(*args))
        for argnum in (0, 1):
            found, other = vmap(grad(fun, argnum), axes)(*args), vmap(grad(wanted, argnum), axes)(*args)
            np.testing.assert_allclose(found, other, rtol=1e-12)
    nested = vmap(vmap(fun, (None, 0)), (0, None))
    np.testing.assert_allclose(nested(ws, xs), vmap(vmap(wanted, (None, 0)), (0, None))(ws, xs))
    turned = jit(vmap(vmap(fun, (0, None)), (None, 0)))
    np.testing.assert_allclose(turned(ws, xs), nested(ws, xs).T)
    np.testing.assert_allclose(jacobian(fun, 1)(MATRIX, X), jacobian(wanted, 1)(MATRIX, X))
    np.testing.assert_allclose(grad(lambda w: np.sum(vmap(fun, (None, 0))(w, xs)))(MATRIX),
                               grad(lambda w: np.sum(vmap(wanted, (None, 0))(w, xs)))(MATRIX))  # fmt: skip


def test_calls() -> None:
    seen = []

    def noted(x: Any) -> Any:
        seen.append(np.shape(x))
        return np.asarray(x) ** 2

    batch = np.ones((5, 2))
    vmap(lambda x: pure_callback(noted, np.empty(2), x))(batch)
    assert seen == [(2,)] * 5
    seen.clear()
    vmap(lambda x: pure_callback(noted, np.empty(2), x, vectorized=True))(batch)
    assert seen == [(5, 2)]
    seen.clear()
    fun = jit(lambda x: pure_callback(noted, x, x) + 1)
    np.testing.assert_array_equal([fun(X), fun(2 * X)], [X**2 + 1, 4 * X**2 + 1])
    assert seen == [(4,), (4,)]
    assert vmap(lambda x: pure_callback(noted, np.empty(2), x))(np.ones((0, 2))).shape == (0, 2)
    assert "pure_callback" in str(make_tape(fun.fun)(X))
    assert pure_callback(math.erf, autodiff.eval_shape(math.fabs, 1.0) if False else np.float64(0), 0.5) == math.erf(
        0.5
    )


def test_integers_and_no_arguments() -> None:
    def counted(x: Any, n: Any) -> Any:
        return np.int64(np.count_nonzero(x > 0.2) + n), x * n

    def both(x: Any) -> Any:
        return pure_callback(counted, (np.int64(0), x), x, 3, vjp=lambda g, out, x, n: (g[1] * n, None))

    assert jit(both)(X)[0] == 6
    np.testing.assert_array_equal(grad(lambda x: np.sum(both(x)[1]))(X), np.full(4, 3.0))
    np.testing.assert_array_equal(jit(lambda x: x + pure_callback(lambda: np.ones(4), np.empty(4)))(X), X + 1)


def test_rules_may_return_other_precisions_and_one_mode_is_enough() -> None:
    short = X.astype(np.float32)
    fun = lambda x: pure_callback(np.sin, x, x, vjp=lambda g, y, x: (g * np.cos(x.astype(float)),))  # noqa: E731
    assert grad(lambda x: np.sum(fun(x)))(short).dtype == np.float32
    along = lambda x: pure_callback(np.sin, x, x, jvp=lambda t, y, x: t[0] * np.cos(x))  # noqa: E731
    np.testing.assert_allclose(jvp(along, (X,), (X,))[1], X * np.cos(X))
    np.testing.assert_allclose(jacobian(along, mode="forward")(X), np.diag(np.cos(X)))


def test_second_derivatives_by_a_rule_of_numpy() -> None:
    @custom_jvp
    def sine(x: Any) -> Any:
        return pure_callback(np.sin, x, x)

    @sine.defjvp
    def push(primals: Any, tangents: Any) -> Any:
        return sine(*primals), np.cos(primals[0]) * tangents[0]

    np.testing.assert_allclose(hessian(lambda x: np.sum(sine(x) ** 2))(X), np.diag(2 * np.cos(2 * X)), atol=1e-15)


def test_values_do_not_change_behind_the_tape() -> None:
    kept = np.zeros(4)

    def reused(x: Any) -> Any:
        kept[:] = x
        return kept

    rule = {"vjp": lambda g, y, x: (g * y,)}
    value, pull = vjp(lambda x: pure_callback(reused, x, x, **rule), X)
    reused(np.full(4, 9.0))
    np.testing.assert_array_equal(value, X)
    np.testing.assert_array_equal(pull(np.ones(4))[0], X)
    with pytest.raises(ValueError, match="read-only"):
        pure_callback(lambda x: np.multiply(x, 2, out=x), X, X)


def identity(x: Any) -> Any:
    return x


LINE = identity.__code__.co_firstlineno
WHO = f"pure_callback of identity (test_pure_callback.py:{LINE})"


def test_missing_rules() -> None:
    text, line = raised(DifferentiationError, lambda: grad(lambda x: np.sum(pure_callback(identity, x, x)))(X))
    assert text == (
        f"{WHO} has no derivative in reverse mode (test_pure_callback.py:{line}). Give pure_callback vjp=, a function "
        "(cotangent, result, *args) that returns the cotangents; or call it with autodiff.stop_gradient(x), where none is "
        "wanted"
    )
    text, line = raised(DifferentiationError, lambda: jvp(lambda x: pure_callback(identity, x, x), (X,), (X,)))
    assert text == (
        f"{WHO} has no derivative in forward mode (test_pure_callback.py:{line}). Give pure_callback jvp=, a function "
        "(tangents, result, *args) that returns the result's tangent; or call it with autodiff.stop_gradient(x), where "
        "none is wanted"
    )
    once = lambda x: np.sum(pure_callback(identity, x, x, vjp=lambda g, y, x: (g * x,)))  # noqa: E731
    text, line = raised(DifferentiationError, lambda: grad(lambda x: np.sum(grad(once)(x)))(X))
    assert text == (
        f"the vjp of {WHO} is a function of Python itself, and has no derivative in reverse mode "
        f"(test_pure_callback.py:{line}). For derivatives of any order give the rules in NumPy's functions, by custom_vjp "
        "or custom_jvp around pure_callback"
    )
    assert grad(lambda x: np.sum(x * pure_callback(identity, x, autodiff.stop_gradient(x))))(X) is not None


def test_results_are_checked() -> None:
    wrong = (
        (np.empty(3), f"{WHO} returned float64[4], but float64[3] was declared; return that shape and dtype, or declare "
                      "the other ones in result_spec"),
        (np.empty(4, np.float32), f"{WHO} returned float64[4], but float32[4] was declared; return that shape and dtype, "
                                  "or declare the other ones in result_spec"),
        ((np.empty(4),), f"{WHO} returned *, but (*,) was declared; they must be alike"),
    )  # fmt: skip
    for spec, wanted in wrong:
        assert raised(RuleError, lambda spec=spec: pure_callback(identity, spec, X))[0] == wanted
        assert raised(RuleError, lambda spec=spec: jit(lambda x: pure_callback(identity, spec, x))(X))[0].endswith(
            wanted
        )
    for rule, told in (
        (lambda g, y, x: g, f"the vjp of {WHO} must return a tuple of 1, a cotangent for each argument, got float64[4]"),
        (lambda g, y, x: (g[:2],), f"the vjp of {WHO} returned float64[2], but float64[4] was declared; return that shape "
                                   "and dtype, or declare the other ones in result_spec"),
    ):  # fmt: skip
        once = lambda x, rule=rule: np.sum(pure_callback(identity, x, x, vjp=rule))  # noqa: E731
        assert raised(RuleError, lambda once=once: grad(once)(X))[0] == told
    text, line = raised(TypeError, lambda: pure_callback(3, X, X))
    assert text == (
        f"pure_callback needs a function as its function, got int (test_pure_callback.py:{line}); write "
        "pure_callback(f, result_spec, x)"
    )
    assert raised(TypeError, lambda: pure_callback(identity, "float64", X))[0] == (
        f"{WHO}: result_spec must be a tree of arrays or of what autodiff.eval_shape returns, got str; write "
        "np.empty(shape, dtype) for what the function returns"
    )
