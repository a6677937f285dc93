"""Functions with one planted fault each: the right law finds it, alone, and other laws still hold."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff.testing import LAWS, GradientMismatch, domains, laws
from autodiff.trace.primitive import Primitive, find_primitive
from autodiff.trace.spec import Spec, result_spec, spec_of
from autodiff.trace.tracer import Tracer


@dataclass(frozen=True)
class Plant:
    """A faulty function of `arity` arrays, and the laws that each find the fault on their own."""

    name: str
    fun: Callable[..., Any]
    found_by: tuple[str, ...]
    not_by: tuple[str, ...] = ()
    arity: int = 1
    dtypes: tuple[str, ...] = ("float64", "float32")


def primitive(family: Any, evaluate: Callable[..., Any], rules: dict[str, Any], **options: Any) -> Primitive:
    def spec(*specs: Spec, **params: Any) -> Spec:
        ones = [1.0 if s.kind == "python" else np.ones(s.shape, s.dtype) for s in specs]
        return spec_of(np.asarray(evaluate(*ones, **params))[()])

    options = {"spec": spec, "register": False, **options}
    return Primitive("planted", family, tuple(rules), evaluate, rules=rules, **options)


def elementwise(evaluate: Callable[..., Any], **rules: Any) -> Primitive:
    return primitive("elementwise", evaluate, rules)


def doubling_in_place(g: Any, out: Any) -> Any:
    plain = g.primal if isinstance(g, Tracer) else g
    if isinstance(plain, np.ndarray):
        plain *= 2
    return g * (1 - out * out)


def different_when_traced(x: Any) -> Any:
    return np.tanh(x) + (0.25 if isinstance(x, Tracer) else 0.0)


def array_when_traced(x: Any) -> Any:
    return np.reshape(np.tanh(x), (1, *np.shape(x))) if isinstance(x, Tracer) else np.tanh(x)


def wider_when_traced(x: Any) -> Any:
    return np.tanh(x) * np.float64(1) if isinstance(x, Tracer) else np.tanh(x)


right_slope_of_sin = elementwise(np.cos, x=lambda g, x: g * np.sin(x))  # the sign of the second derivative is wrong
memory: list[Any] = []


def plain(x: Any) -> Any:
    while isinstance(x, Tracer):
        x = x.primal
    return x


def slope_in_memory_order(g: Any, x: Any) -> Any:
    return g * np.ravel(2 * plain(x), order="K").reshape(np.shape(plain(x)))


def slope_unless_empty(g: Any, x: Any) -> Any:
    return g * (2 * x if np.size(plain(x)) else np.max(plain(x)))


def slope_unless_scalar(g: Any, x: Any) -> Any:
    return g * (2 * x if isinstance(plain(x), np.ndarray) else 1)


def slope_in_half_precision(g: Any, x: Any) -> Any:
    value = plain(x)
    return g * (2 * np.float16(value).astype(np.float32) if np.asarray(value).dtype == np.float32 else 2 * x)


def remembering(x: Any) -> Any:
    """Multiplies by a number that another call before has left behind."""
    memory.append(len(memory))
    return x * float(len(memory))


PLANTS = [
    Plant(
        "wrong sign",
        elementwise(np.tanh, x=lambda g, out: -g * (1 - out * out)),
        ("forward", "reverse"),
        ("value", "adjoint", "dtype", "batch"),
    ),
    Plant(
        "wrong factor",
        elementwise(np.tanh, x=lambda g, out: 1.001 * g * (1 - out * out)),
        ("forward", "reverse"),
        ("value", "adjoint", "dtype", "batch"),
    ),
    Plant(
        "wrong factor of one operand",
        elementwise(np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x * 2),
        ("forward", "reverse"),
        ("value", "adjoint"),
        arity=2,
    ),
    Plant(
        "missing sum of what was broadcast",
        primitive("general", np.multiply, {"x": lambda g, y: g * y, "y": lambda g, x: g * x}),
        ("reverse", "adjoint", "untouched", "dtype"),
        ("spec", "replay"),
        arity=2,
    ),
    Plant(
        "wrong forward rule only",
        primitive(
            "general",
            np.tanh,
            {"x": lambda g, out: g * (1 - out * out)},
            forward=lambda tangents, values, out, params: tangents[0] * (1 + out * out),
        ),
        ("forward", "adjoint"),
        ("reverse", "value"),
    ),
    Plant(
        "wrong reverse rule only",
        primitive(
            "general",
            np.tanh,
            {"x": lambda g, out: g * (1 + out * out)},
            forward=lambda tangents, values, out, params: tangents[0] * (1 - out * out),
        ),
        ("reverse", "adjoint"),
        ("forward", "value"),
    ),
    Plant(
        "wrong second derivative only",
        elementwise(np.sin, x=lambda g, x: g * right_slope_of_sin(x)),
        ("forward over reverse", "forward over forward"),
        ("forward", "reverse", "adjoint", "value", "dtype"),
    ),
    Plant(
        "second derivative lost",
        elementwise(np.sin, x=lambda g, x: g * np.cos(x.primal if isinstance(x, Tracer) else x)),
        ("forward over reverse", "forward over forward"),
        ("forward", "reverse", "adjoint"),
    ),
    Plant(
        "cotangent written to",
        elementwise(np.tanh, x=doubling_in_place),
        ("untouched",),
        ("value", "replay"),
    ),
    Plant(
        "wrong batching",
        primitive(
            "general",
            np.tanh,
            {"x": lambda g, out: g * (1 - out * out)},
            batch=lambda values, batched, params: np.tanh(values[0][::-1]),
        ),
        ("batch",),
        ("forward", "reverse", "adjoint", "replay"),
    ),
    Plant(
        "wrong at zero only",
        elementwise(np.square, x=lambda g, x: g * np.where(plain(x) == 0, 1.0, 2 * x)),
        ("forward", "reverse"),
        ("value", "adjoint"),
    ),
    Plant(
        "wrong conjugation only",
        elementwise(np.square, x=lambda g, x: g * 2 * np.conj(x)),
        ("forward", "reverse"),
        ("value", "adjoint"),
        dtypes=("float64", "complex128"),
    ),
    Plant(
        "memory order taken for the order of indices",
        elementwise(np.square, x=slope_in_memory_order),
        ("forward", "reverse"),
        ("value", "spec"),
    ),
    Plant("empty arrays refused", elementwise(np.square, x=slope_unless_empty), ("untouched", "dtype"), ("spec",)),
    Plant("scalars forgotten", elementwise(np.square, x=slope_unless_scalar), ("forward", "reverse"), ("value",)),
    Plant(
        "precision lost",
        elementwise(np.square, x=slope_in_half_precision),
        ("precision",),
        ("value", "forward", "reverse", "dtype"),
    ),
    Plant("another value under tracing", different_when_traced, ("value", "replay"), ("dtype", "adjoint")),
    Plant("another shape under tracing", array_when_traced, ("value", "spec", "replay")),
    Plant("another dtype under tracing", wider_when_traced, ("value", "spec", "replay")),
    Plant(
        "wrong spec",
        primitive(
            "elementwise",
            np.tanh,
            {"x": lambda g, out: g * (1 - out * out)},
            spec=lambda x: result_spec(x.shape, np.float64),
        ),
        ("spec",),
        ("value", "forward", "reverse"),
    ),
    Plant("a value that depends on earlier calls", remembering, ("value", "replay")),
]


def laws_with(plant: Plant, only: tuple[str, ...]) -> None:
    laws(
        plant.fun,
        domain=[domains.real] * plant.arity,
        dtypes=plant.dtypes,
        only=only,
        name=plant.name,
        max_examples=25,
    )


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_each_fault_is_found(plant: Plant) -> None:
    with pytest.raises(GradientMismatch):
        laws_with(plant, tuple(LAWS))


@pytest.mark.parametrize(
    ("plant", "law"), [pytest.param(p, law, id=f"{p.name}-{law}") for p in PLANTS for law in p.found_by]
)
def test_the_right_law_finds_it_alone(plant: Plant, law: str) -> None:
    with pytest.raises(GradientMismatch) as error:
        laws_with(plant, (law,))
    assert error.value.law == law


@pytest.mark.parametrize(
    ("plant", "law"), [pytest.param(p, law, id=f"{p.name}-{law}") for p in PLANTS for law in p.not_by]
)
def test_other_laws_still_hold(plant: Plant, law: str) -> None:
    laws_with(plant, (law,))


def test_the_gradient_s_dtype_is_checked_even_where_the_core_would_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = autodiff.vjp

    def widened(fun: Any, *primals: Any) -> Any:
        out, pullback = right(fun, *primals)
        return out, lambda cotangents: tuple(np.asarray(g) * np.float64(1) for g in pullback(cotangents))

    monkeypatch.setattr(autodiff, "vjp", widened)
    with pytest.raises(GradientMismatch, match="expected   array of float32"):
        laws(np.tanh, only=["dtype"], max_examples=25, scalars=False)


def test_modes_that_differ_at_a_kink_are_found_where_no_numerical_derivative_exists() -> None:
    absolute = primitive(
        "general",
        np.abs,
        {"x": lambda g, x: g * np.where(plain(x) > 0, 1.0, -1.0)},
        forward=lambda tangents, values, out, params: tangents[0] * np.sign(plain(values[0])),
    )
    laws(absolute, domain=domains.kinked_at_zero, only=["forward", "reverse"])
    with pytest.raises(GradientMismatch) as error:
        laws(absolute, domain=domains.kinked_at_zero, only=["adjoint"])
    assert 0.0 in np.asarray(error.value.arguments[0])


SPOILED = [
    ("tanh", np.tanh, 1),
    ("exp", np.exp, 1),
    ("multiply", np.multiply, 2),
    ("divide", lambda x, y: x / (2.5 + np.sin(y)), 2),
    ("sum", np.sum, 1),
    ("matmul", lambda x: x[..., None, :] @ x[..., :, None], 1),
    ("transpose", lambda x: np.transpose(x) * 2.0, 1),
]


@pytest.mark.parametrize(("name", "fun", "arity"), SPOILED, ids=[row[0] for row in SPOILED])
def test_a_spoiled_rule_of_the_library_itself_is_found(
    name: str, fun: Any, arity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    laws(fun, arity=arity, shapes=[(3,)] if arity == 1 else [((3,), (3,))])
    found = find_primitive(name)

    def spoiled(rule: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(rule).parameters)
        source = f"lambda {', '.join(parameters)}: 1.001 * rule({', '.join(parameters)})"
        return eval(source, {"rule": rule})  # type: ignore[no-any-return]

    monkeypatch.setattr(found, "rules", tuple(rule and spoiled(rule) for rule in found.rules))
    monkeypatch.setattr(found, "links", {})
    with pytest.raises(GradientMismatch):
        laws(fun, arity=arity, shapes=[(3,)] if arity == 1 else [((3,), (3,))])


@pytest.mark.parametrize(("low", "high"), [(3.5, 4), (5, 6), (10, 12), (20, 24), (56, 64), (64, 80), (112, 128)])
def test_a_slope_that_is_wrong_in_a_quarter_of_an_octave_is_found(low: float, high: float) -> None:
    def slope(g: Any, x: Any) -> Any:
        size = abs(plain(x))
        return g * np.where((size >= low) & (size < high), 2.002, 2.0) * x

    with pytest.raises(GradientMismatch):
        laws(elementwise(np.square, x=slope), only=["forward", "reverse"])


def test_the_argument_whose_derivative_is_wrong_is_named() -> None:
    first = elementwise(np.multiply, x=lambda g, y: 1.01 * g * y, y=lambda g, x: g * x)
    second = elementwise(np.multiply, x=lambda g, y: g * y, y=lambda g, x: 1.01 * g * x)
    both = elementwise(np.multiply, x=lambda g, y: 1.01 * g * y, y=lambda g, x: 1.01 * g * x)
    texts = []
    for wrong in (first, second, both):
        with pytest.raises(GradientMismatch) as error:
            laws(wrong, arity=2, shapes=[((3,), (3,))], only=["forward"])
        texts.append(error.value.detail)
    assert texts[0].endswith("\n  by         args[0]; by the others alone it is right")
    assert texts[1].endswith("\n  by         args[1]; by the others alone it is right")
    assert "\n  by " not in texts[2]


@pytest.mark.parametrize("shapes", [[(3,)], [(2, 2), (4,)], None], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_rule_that_is_wrong_at_zero_vectors_alone_is_found(shapes, seed):
    @autodiff.custom_vjp
    def norm(x):
        return np.sqrt(np.sum(x * x))

    norm.defvjp(lambda x: (norm(x), x), lambda x, g: (g * x / np.sqrt(np.sum(x * x)),))
    with pytest.raises(GradientMismatch, match="nan"):
        laws(norm, shapes=shapes, seed=seed, max_examples=5)


def test_singular_matrices_that_nobody_asked_for_blame_nobody():
    def apart(x):
        return x + x.T + np.diag([0.0, 20.0, 40.0])

    for fun in (lambda x: np.linalg.eigh(apart(np.tanh(x)))[1] ** 2, lambda x: np.linalg.inv(apart(np.tanh(x)) + x)):
        laws(fun, shapes=[(3, 3)], order=1, max_examples=5)


def test_a_rule_that_keeps_random_residuals_is_found():
    random = np.random.default_rng(0)

    @autodiff.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (square(x), x * (1 + 1e-8 * random.normal())), lambda x, g: (2 * g * x,))
    with pytest.raises(GradientMismatch, match="two calls with the same arguments gave different results"):
        laws(square, max_examples=5)
