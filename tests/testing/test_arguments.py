"""Arguments that are trees: a domain in each place, messages and files with the user's own classes."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import autodiff
from autodiff.testing import Case, GradientMismatch, domains, laws
from autodiff.testing.draws.arguments import places
from autodiff.testing.draws.literal import imports_of, literal


@dataclass(frozen=True)
class Layer:
    weights: Any
    bias: Any

    def __post_init__(self) -> None:
        if isinstance(self.weights, domains.Domain):
            raise TypeError("no array")


class Pair(NamedTuple):
    first: Any
    second: Any


def layer(weights: Any, bias: Any) -> Layer:
    """A layer as a tree is built: without a look at what is in it."""
    made = object.__new__(Layer)
    object.__setattr__(made, "weights", weights)
    object.__setattr__(made, "bias", bias)
    return made


def dense(params: Layer, x: Any) -> Any:
    return np.tanh(params.weights * x + params.bias)


TREES = [
    (lambda p: p["a"] * np.log(p["b"]), ({"a": domains.real, "b": domains.positive},)),
    (lambda p: p["a"] * np.log(p["b"]), {"a": domains.real, "b": domains.positive}),
    (lambda xs, y: xs[0] * xs[1] + y, ([domains.real, domains.real], domains.unit)),
    (lambda p: p[0] * p[1][0], ((domains.real, (domains.unit,)),)),
    (lambda p: np.sqrt(p.first) * p.second, (Pair(domains.positive, domains.real),)),
    (dense, (layer(domains.unit, domains.real), domains.real)),
]


@pytest.mark.parametrize(("fun", "domain"), TREES)
def test_functions_of_trees_are_tested_by_all_laws(fun: Any, domain: Any) -> None:
    found = laws(fun, domain=domain, max_examples=5, name="fun")
    assert found.points > 20
    assert {"forward", "reverse", "batch", "compiled", "forward over reverse"} <= set(found.decided)


@autodiff.custom_vjp
def scaled(params: Layer, x: Any) -> Any:
    return dense(params, x)


def pull(residuals: Any, g: Any) -> Any:
    params, x = residuals
    _, pullback = autodiff.vjp(dense, params, x)
    found, slope = pullback(g)
    return Layer(found.weights * 1.01, found.bias), slope


scaled.defvjp(lambda params, x: (dense(params, x), (params, x)), pull)


def test_a_wrong_leaf_is_named_and_shown_in_the_users_own_class() -> None:
    with pytest.raises(GradientMismatch) as error:
        laws(scaled, domain=(layer(domains.unit, domains.real), domains.real), only=("reverse",), shapes=[((), (), ())])
    assert error.value.detail.startswith("  in         the gradient by args[0].weights\n")
    assert "args = (Layer(weights=" in str(error.value)
    assert f"from {__name__} import Layer\n" in error.value.program
    assert isinstance(error.value.arguments[0], Layer)


def test_dtypes_and_shapes_are_given_leaf_by_leaf() -> None:
    case = Case(
        "fun",
        lambda p: p["a"] @ p["b"],
        ({"a": domains.real, "b": domains.unit},),
        dtypes=(("float64",), ("float32",)),
        shapes=[((2, 3), (3,))],
    )
    assert case.arity == 2
    (tree,) = case.arguments((np.ones((2, 3)), np.ones(3)))
    assert list(tree) == ["a", "b"]
    assert case.of_operands(np.ones((2, 3)), np.ones(3)).tolist() == [3.0, 3.0]


def test_something_else_than_a_domain_is_refused() -> None:
    with pytest.raises(TypeError) as error:
        places((domains.real, {"n": 3}))
    assert str(error.value) == (
        "3 stands where a domain should; give an autodiff.testing.Domain for each array that the function takes, and "
        "let the function itself say what is fixed"
    )


def test_literals_of_classes_are_read_back() -> None:
    tree = {"p": Pair(1.0, [Layer(np.arange(2.0), 3.0)])}
    scope: dict[str, Any] = {"np": np}
    exec("\n".join(imports_of(tree)), scope)
    assert imports_of(tree) == [f"from {__name__} import Pair", f"from {__name__} import Layer"]
    again = eval(literal(tree), scope)
    assert literal(again) == literal(tree)
    assert literal(tree) == (
        "{'p': Pair(first=1.0, second=[Layer(weights=np.array([0.0, 1.0], dtype='float64'), bias=3.0)])}"
    )
