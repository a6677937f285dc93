"""Selecting arguments, passing on aux, trees of every kind, names and signatures; and the errors of each."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from autodiff import (
    checkpoint,
    custom_jvp,
    custom_vjp,
    eval_shape,
    eval_tape,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    linearize,
    make_tape,
    register_tree,
    scan,
    stop_gradient,
    value_and_grad,
    value_and_jacobian,
    vjp,
    vmap,
)
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.tape import TapeError
from autodiff.transforms.control.carry import ControlError

from .raised import raised

X = np.array([0.3, -0.8, 1.1])


def f(x: Any, y: Any = 2.0, *, z: Any = 1.0) -> Any:
    """A function of three arguments."""
    return np.sum(x) * y * z


# What is selected.


def test_positions_and_names() -> None:
    assert grad(f, 1)(X, 2.0) == pytest.approx(np.sum(X))
    assert grad(f, -1)(X, 2.0) == pytest.approx(np.sum(X))
    by_x, by_y = grad(f, (0, 1))(X, 2.0)
    np.testing.assert_array_equal(by_x, np.full(3, 2.0))
    assert by_y == pytest.approx(np.sum(X))
    assert grad(f, argnames="z")(X, 2.0, z=3.0) == pytest.approx(2 * np.sum(X))
    assert grad(f, argnames=["y", "z"])(X, 2.0, z=3.0) == pytest.approx((3 * np.sum(X), 2 * np.sum(X)))
    assert grad(f, argnames="y")(X, 2.0) == pytest.approx(np.sum(X))


def test_aux_is_passed_on_without_traces() -> None:
    def with_aux(x: Any) -> Any:
        return np.sum(x**2), {"double": x * 2, "text": "aux"}

    gradient, aux = grad(with_aux, has_aux=True)(X)
    np.testing.assert_array_equal(gradient, 2 * X)
    assert type(aux["double"]) is np.ndarray
    (value, aux), _ = value_and_grad(with_aux, has_aux=True)(X)
    assert (value, aux["text"]) == (np.sum(X**2), "aux")
    assert type(vjp(with_aux, X, has_aux=True)[2]["double"]) is np.ndarray
    assert type(jvp(with_aux, (X,), (X,), has_aux=True)[2]["double"]) is np.ndarray
    assert type(linearize(lambda x: (x, {"double": x * 2}), X, has_aux=True)[2]["double"]) is np.ndarray


def cubes(a: Any, x: Any) -> Any:
    return a * x**3, {"double": 2 * x}


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_value_and_jacobian_run_the_function_once(mode: Any) -> None:
    calls = []

    def counted(a: Any, x: Any) -> Any:
        calls.append(1)
        return {"y": cubes(a, x)[0], "same": x}, cubes(a, x)[1]

    (value, aux), found = value_and_jacobian(counted, (0, 1), mode, has_aux=True)(2.0, X)
    assert len(calls) == 1
    np.testing.assert_allclose(value["y"], 2 * X**3)
    np.testing.assert_array_equal(aux["double"], 2 * X)
    assert not np.shares_memory(value["same"], X)
    wanted = jacobian(counted, (0, 1), has_aux=True)(2.0, X)[0]
    for out in wanted:
        for one, other in zip(found[out], wanted[out], strict=True):
            np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(value_and_jacobian(np.sin)(X)[1], np.diag(np.cos(X)))
    with pytest.raises(ValueError, match="value_and_jacobian: mode must be 'auto', 'forward' or 'reverse', got 'both'"):
        value_and_jacobian(np.sin, mode="both")  # type: ignore[arg-type]


def test_aux_of_products_with_the_hessian() -> None:
    product, aux = hvp(lambda x: (np.sum(x**3), {"double": 2 * x}), (X,), (np.ones(3),), has_aux=True)
    np.testing.assert_allclose(product, 6 * X)
    assert type(aux["double"]) is np.ndarray


def test_options_alone_make_decorators() -> None:
    @grad(argnums=1)
    def slope(a: Any, x: Any) -> Any:
        """A parabola."""
        return a * x**2

    assert slope(3.0, 1.0) == 6.0
    assert (slope.__name__, slope.__doc__) == ("slope", "A parabola.")

    @jit(static_argnums=1)
    @value_and_grad(has_aux=True)
    def power(x: Any, n: int) -> Any:
        return x**n, n * x

    assert power(2.0, 3) == ((8.0, 6.0), 12.0)
    for transform in (jacobian, jacfwd, jacrev):
        np.testing.assert_allclose(transform(argnames="x", has_aux=True)(cubes)(2.0, x=X)[0], np.diag(6 * X**2))
    np.testing.assert_allclose(value_and_jacobian(argnums=1, has_aux=True)(cubes)(2.0, X)[1], np.diag(6 * X**2))
    np.testing.assert_allclose(hessian(argnums=-1)(lambda a, x: a * np.sum(x**2))(2.0, X), 4 * np.eye(3))
    np.testing.assert_allclose(vmap(in_axes=(None, 0))(np.dot)(X, np.eye(3)), X)

    @custom_vjp(nondiff_argnums=(0,))
    def scaled(n: int, x: Any) -> Any:
        return n * x

    scaled.defvjp(lambda n, x: (n * x, None), lambda n, residuals, g: (10 * n * g,))
    assert grad(lambda x: scaled(2, x))(1.0) == 20.0

    @custom_jvp(nondiff_argnums=(0,))
    def shifted(n: int, x: Any) -> Any:
        return x + n

    shifted.defjvp(lambda n, primals, tangents: (primals[0] + n, 5 * tangents[0]))
    assert grad(lambda x: shifted(2, x))(1.0) == 5.0
    with pytest.raises(TypeError, match="grad needs a function, got"):
        grad(None)  # type: ignore[arg-type]


TRANSFORMS: list[Callable[..., Any]] = [
    grad, value_and_grad, jacfwd, jacrev, jacobian, value_and_jacobian, hessian, vmap, checkpoint, make_tape,
]  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_name_documentation_and_signature_are_kept(transform: Any) -> None:
    transformed = transform(f)
    assert (transformed.__name__, transformed.__doc__) == ("f", "A function of three arguments.")
    assert inspect.signature(transformed) == inspect.signature(f)
    assert transformed.__wrapped__ is f


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_functions_without_a_name(transform: Any) -> None:
    argument = X if transform is vmap else 2.0

    class Callable_:
        def __call__(self, x: Any) -> Any:
            return x * x

    transform(Callable_())(argument)
    transform(functools.partial(lambda a, x: a * x, 2.0))(argument)
    transform(np.sin)(argument)


# Trees.


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass(frozen=True)
class Layer:
    weight: Any
    bias: Any = None

    def __post_init__(self) -> None:
        assert not isinstance(self.weight, str)


class Box:
    def __init__(self, content: Any, label: str) -> None:
        self.content = content
        self.label = label


register_tree(Box, lambda box: ((box.content,), box.label), lambda label, children: Box(children[0], label))

TREES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "list": ([X, 2.0], lambda t: np.sum(t[0]) * t[1]),
    "tuple": ((X, 2.0), lambda t: np.sum(t[0]) * t[1]),
    "dict": ({"b": X, "a": 2.0}, lambda t: np.sum(t["b"]) * t["a"]),
    "named tuple": (Point(X, 2.0), lambda t: np.sum(t.x) * t.y),
    "dataclass": (Layer(X, 2.0), lambda t: np.sum(t.weight) * t.bias),
    "registered": (Box((X, 2.0), "box"), lambda t: np.sum(t.content[0]) * t.content[1]),
    "nested": (
        {"layers": [Layer(X, Point(2.0, None))], "none": None},
        lambda t: np.sum(t["layers"][0].weight) * t["layers"][0].bias.x,
    ),
}  # fmt: skip


def leaves(tree: Any) -> list[Any]:
    from autodiff.trace.trees.tree import flatten

    return flatten(tree)[0]


@pytest.mark.parametrize("kind", TREES)
def test_trees_go_in_and_come_out(kind: str) -> None:
    tree, fun = TREES[kind]
    found = grad(fun)(tree)
    assert type(found) is type(tree)
    by_x, by_y = sorted(leaves(found), key=np.ndim, reverse=True)
    np.testing.assert_array_equal(by_x, np.full(3, 2.0))
    assert by_y == pytest.approx(np.sum(X))
    assert jvp(fun, (tree,), (tree,))[1] == pytest.approx(2 * 2 * np.sum(X))
    assert linearize(fun, tree)[1](tree) == pytest.approx(2 * 2 * np.sum(X))
    assert checkpoint(fun)(tree) == fun(tree)
    tape = make_tape(fun)(tree)
    assert eval_tape(tape, tree) == fun(tree)
    assert repr(eval_shape(lambda t: (fun(t), t), tree)[0]) == "float64[]"
    copy = make_tape(lambda t: t)(tree)
    assert type(eval_tape(copy, tree)) is type(tree)


@pytest.mark.parametrize("kind", TREES)
def test_second_order_on_trees(kind: str) -> None:
    tree, fun = TREES[kind]
    second = hessian(lambda t: fun(t) ** 2)(tree)
    total = sum(np.sum(leaf) for leaf in leaves(second))
    s = np.sum(X)
    assert total == pytest.approx(9 * 2 * 4 + 2 * s * s + 2 * 3 * 4 * 2 * s)


def test_stop_gradient() -> None:
    assert grad(lambda x: x * stop_gradient(x))(3.0) == 3.0
    assert jvp(lambda x: x * stop_gradient(x), (3.0,), (1.0,)) == (9.0, 3.0)
    found = stop_gradient({"a": X, "b": [1.0, "text"]})
    assert found["a"] is X
    assert found["b"] == [1.0, "text"]
    assert grad(lambda t: t["x"] * stop_gradient(t)["x"])({"x": 3.0}) == {"x": 3.0}
    np.testing.assert_array_equal(vmap(grad(lambda x: x * stop_gradient(x)))(X), X)
    tape = make_tape(lambda x: x * stop_gradient(x))(3.0)
    assert [equation.primitive.name for equation in tape.equations] == ["stop_gradient", "multiply"]
    assert grad(lambda x: eval_tape(tape, x))(3.0) == 3.0
    assert grad(checkpoint(lambda x: x * stop_gradient(x)))(3.0) == 3.0


def test_stop_gradient_gives_a_plain_value_that_may_be_changed() -> None:
    x = X.copy()

    def fun(x: Any) -> Any:
        fixed = stop_gradient(x)
        assert type(fixed) is np.ndarray
        assert float(fixed[0]) == X[0]
        fixed[:] = 100.0
        return np.sum(x * fixed)

    np.testing.assert_array_equal(grad(fun)(x), np.full(3, 100.0))
    np.testing.assert_array_equal(x, X)


def test_stop_gradient_inside_stops_the_inner_derivative_only_where_it_stands() -> None:
    assert grad(lambda x: grad(lambda y: y * stop_gradient(y) * x)(x))(3.0) == 3.0
    assert grad(lambda x: x * stop_gradient(grad(lambda y: y * y * x)(x)))(3.0) == 18.0


# Errors.


def test_position_that_is_not_there() -> None:
    text, line = raised(ValueError, lambda: grad(f, 2)(X, 2.0))
    assert text == (
        f"grad: argnums=2 but f was called with 2 positional arguments (test_arguments.py:{line}); select keyword "
        "arguments with argnames"
    )


def test_name_that_is_not_there() -> None:
    text, line = raised(ValueError, lambda: jacrev(f, argnames="w")(X))
    assert text == (
        f"jacrev: argnames='w' but f was called without an argument of that name (test_arguments.py:{line})"
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"argnums": 1.5}, "grad: argnums must be an int or a sequence of ints, got 1.5"),
        ({"argnums": ()}, "grad: argnums must be an int or a sequence of ints, got ()"),
        ({"argnums": "x"}, "grad: argnums must be an int or a sequence of ints, got 'x'"),
        ({"argnames": 0}, "grad: argnames must be a str or a sequence of strs, got 0"),
        ({"argnames": [0]}, "grad: argnames must be a str or a sequence of strs, got [0]"),
    ],
)
def test_wrong_selections(options: Any, text: str) -> None:
    with pytest.raises(TypeError) as error:
        grad(f, **options)(X, 2.0)
    assert str(error.value) == text


def test_the_same_argument_twice() -> None:
    text, _ = raised(ValueError, lambda: grad(f, (0, -2))(X, 2.0))
    assert text == "grad: the same argument is selected twice: (0, -2)"


def test_what_is_no_function() -> None:
    with pytest.raises(TypeError) as error:
        grad(3.0)  # type: ignore[arg-type]
    assert str(error.value) == "grad needs a function, got float; write grad(f)(x), not grad(f(x))"


@pytest.mark.parametrize("name", ["grad", "value_and_grad", "vjp", "jvp", "linearize", "jacfwd"])
def test_aux_that_is_missing(name: str) -> None:
    uses: dict[str, Callable[[], Any]] = {
        "grad": lambda: grad(np.sum, has_aux=True)(X),
        "value_and_grad": lambda: value_and_grad(np.sum, has_aux=True)(X),
        "vjp": lambda: vjp(np.sum, X, has_aux=True),
        "jvp": lambda: jvp(np.sum, (X,), (X,), has_aux=True),
        "linearize": lambda: linearize(np.sum, X, has_aux=True),
        "jacfwd": lambda: jacfwd(np.sum, has_aux=True)(X),
    }  # fmt: skip
    with pytest.raises(TypeError) as error:
        uses[name]()
    line = uses[name].__code__.co_firstlineno
    assert str(error.value) == (
        f"{name} with has_aux=True needs a function that returns a pair (value, aux), "
        f"got Tracer (test_arguments.py:{line})"
    )


def test_tangents_that_do_not_fit() -> None:
    _, push = linearize(np.sin, X)
    text, line = raised(ValueError, lambda: push(np.ones(2)))
    assert text == (
        f"a tangent has shape (2,) but its primal has shape (3,) (test_arguments.py:{line}); they must be equal"
    )
    text, line = raised(ValueError, lambda: push(X, X))
    assert text == (f"the tangents are (*, *) but the primals are (*,) (test_arguments.py:{line}); they must be alike")


def test_integers_have_no_derivative() -> None:
    for use, name in ((lambda: linearize(np.sin, 3), "linearize"), (lambda: hessian(np.sin)(3), "hessian")):
        with pytest.raises(DifferentiationError) as error:
            use()
        assert str(error.value).startswith(f"{name} differentiates with respect to real")
        assert "but argument 0 is int (test_arguments.py:" in str(error.value)


def test_a_tape_for_other_arguments() -> None:
    tape = make_tape(lambda t: t["a"])({"a": X})
    text, line = raised(TapeError, lambda: eval_tape(tape, X))
    assert text == (f"the tape was made for arguments ({{'a': *}},), got (*,) (test_arguments.py:{line})")


def test_a_tape_of_a_function_that_closes_over_a_traced_value() -> None:
    text, line = raised(TapeError, lambda: grad(lambda x: make_tape(lambda y: x * y)(1.0))(2.0))
    assert text == (
        f"make_tape: <lambda> closes over a value that is being traced (test_arguments.py:{line}); pass it as an "
        "argument"
    )


def test_axes_of_vmap_in_a_list_and_too_few() -> None:
    np.testing.assert_array_equal(vmap(np.multiply, in_axes=[0, None])(X, 2.0), 2 * X)
    np.testing.assert_array_equal(vmap(lambda p: p[0] * p[1], in_axes=[0, None])([X, 2.0]), 2 * X)
    with pytest.raises(ValueError, match=r"in_axes=\(0,\) has 1 entries, but multiply was called with 2 positional"):
        vmap(np.multiply, in_axes=(0,))(X, X)


def test_leaves_of_an_argument_are_left_out_by_partition() -> None:
    with pytest.raises(DifferentiationError, match=r"leave other leaves out by autodiff\.tree\.partition"):
        grad(lambda p: np.sum(p["w"]))({"w": X, "n": 3})
    with pytest.raises(DifferentiationError, match="leave other arguments out by argnums"):
        grad(np.sum)(3)


def test_a_carry_that_begins_as_an_integer() -> None:
    with pytest.raises(ControlError, match=r"give init the dtypes .* 0\.0 in place of 0"):
        scan(lambda c, x: (c + x, c), 0, X)
