"""What custom_vjp and custom_jvp have in common: either rule serves both modes, all orders and all transformations."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from autodiff import (
    check_tape,
    checkpoint,
    custom_jvp,
    custom_vjp,
    eval_tape,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_tape,
    vjp,
    vmap,
)
from autodiff.testing import assert_close, check_grads
from autodiff.trace.errors import DifferentiationError, RuleError

X, Y = 0.3, 2.0
XS, YS = np.array([0.3, 0.4, 0.5]), np.array([1.0, 2.0, -3.0])


def plain(x: Any, y: Any) -> Any:
    return np.sin(x) * y


@custom_vjp
def backward(x: Any, y: Any) -> Any:
    """The sine, times y."""
    return np.sin(x) * y


backward.defvjp(
    lambda x, y: (backward(x, y), (np.cos(x), np.sin(x), y)), lambda kept, g: (kept[0] * g * kept[2], kept[1] * g)
)


@custom_jvp
def forward(x: Any, y: Any) -> Any:
    """The sine, times y."""
    return np.sin(x) * y


@forward.defjvp
def forward_rule(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return forward(x, y), np.cos(x) * dx * y + np.sin(x) * dy


@custom_jvp
def by_parts(x: Any, y: Any) -> Any:
    """The sine, times y."""
    return np.sin(x) * y


by_parts.defjvps(lambda t, out, x, y: np.cos(x) * t * y, lambda t, out, x, y: np.sin(x) * t)

EVERY = pytest.mark.parametrize("f", [backward, forward, by_parts], ids=["custom_vjp", "custom_jvp", "defjvps"])

USES: dict[str, Callable[[Any], Any]] = {
    "value": lambda f: f(X, Y),
    "grad": lambda f: grad(f, (0, 1))(X, Y),
    "grad of one": lambda f: grad(lambda y: f(0.3, y))(Y),
    "jvp": lambda f: jvp(f, (X, Y), (1.0, 0.5)),
    "jvp of one": lambda f: jvp(lambda y: f(X, y), (Y,), (1.0,)),
    "linearize": lambda f: linearize(f, X, Y)[1](1.0, 0.5),
    "grad grad": lambda f: grad(grad(f), (0, 1))(X, Y),
    "grad grad grad": lambda f: grad(grad(grad(f)), (0, 1))(X, Y),
    "jvp of grad": lambda f: jvp(grad(f), (X, Y), (1.0, 0.5)),
    "grad of jvp": lambda f: grad(lambda x, y: jvp(f, (x, y), (1.0, 0.5))[1], (0, 1))(X, Y),
    "jvp of jvp": lambda f: jvp(lambda x, y: jvp(f, (x, y), (1.0, 0.5))[1], (X, Y), (1.0, 1.0)),
    "hessian": lambda f: hessian(lambda x: np.sum(f(x, x)))(XS),
    "jacobians": lambda f: (jacfwd(f, (0, 1))(XS, YS), jacrev(f, (0, 1))(XS, YS)),
    "vmap": lambda f: vmap(f)(XS, YS),
    "vmap of grad": lambda f: vmap(grad(f, (0, 1)))(XS, YS),
    "vmap vmap grad": lambda f: vmap(vmap(grad(f)))(XS[None], YS[None]),
    "vmap of grad grad": lambda f: vmap(grad(grad(f)))(XS, YS),
    "checkpoint": lambda f: grad(checkpoint(f))(X, Y),
    "grad grad of checkpoint": lambda f: grad(grad(checkpoint(f)))(X, Y),
    "grad of a tape": lambda f: grad(partial(eval_tape, make_tape(f)(X, Y)), (0, 1))(X, Y),
    "tape of grad": lambda f: eval_tape(make_tape(grad(f))(X, Y), X, Y),
    "broadcast": lambda f: grad(lambda x, y: np.sum(f(x, y) * 1.0), (0, 1))(XS, YS),
}  # fmt: skip


@EVERY
@pytest.mark.parametrize("use", USES)
def test_it_is_as_if_there_were_no_rule(f: Any, use: str) -> None:
    assert_close(USES[use](f), USES[use](plain))


@EVERY
@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0)])
def test_derivatives_of_batches(f: Any, axes: Any) -> None:
    args = (XS if axes[0] == 0 else X, YS if axes[1] == 0 else Y)

    def total(fun: Any) -> Any:
        return lambda x, y: np.sum(vmap(fun, in_axes=axes)(x, y) * np.array([1.0, 2.0, 3.0]))

    assert_close(grad(total(f), (0, 1))(*args), grad(total(plain), (0, 1))(*args))
    assert_close(jvp(total(f), args, args), jvp(total(plain), args, args))
    assert_close(hessian(total(f), (0, 1))(*args), hessian(total(plain), (0, 1))(*args))


@EVERY
def test_gradients_are_right_in_both_modes(f: Any) -> None:
    check_grads(lambda x, y: f(x, y), (XS, YS))


@EVERY
def test_name_documentation_and_signature_are_kept(f: Any) -> None:
    assert (f.__name__ in ("backward", "forward", "by_parts"), f.__doc__) == (True, "The sine, times y.")
    assert str(inspect.signature(f)) == "(x: Any, y: Any) -> Any"


@EVERY
def test_keywords_and_defaults(f: Any) -> None:
    assert grad(lambda y: f(y=y, x=X))(Y) == np.sin(X)


def test_fwd_runs_in_place_of_the_function() -> None:
    ran = []

    @custom_vjp
    def f(x: Any) -> Any:
        ran.append("f")
        return x * 2

    f.defvjp(lambda x: (ran.append("fwd"), (x * 2, None))[1], lambda _, g: (ran.append("bwd"), (g * 2,))[1])
    assert grad(f)(1.0) == 2.0
    assert ran == ["fwd", "bwd"]


def test_the_rule_decides_and_not_the_function() -> None:
    seven = custom_vjp(lambda x: x)
    seven.defvjp(lambda x: (x, None), lambda _, g: (7 * g,))
    assert grad(seven)(1.0) == 7.0
    assert jvp(seven, (1.0,), (1.0,)) == (1.0, 7.0)
    np.testing.assert_array_equal(vmap(grad(seven))(XS), [7, 7, 7])
    nine = custom_jvp(lambda x: x)
    nine.defjvp(lambda primals, tangents: (primals[0], 9 * tangents[0]))
    assert grad(nine)(1.0) == 9.0
    assert grad(checkpoint(lambda x: vmap(nine)(x * XS).sum()))(1.0) == pytest.approx(9 * XS.sum())


def test_trees_none_and_integers() -> None:
    @custom_vjp
    def pick(p: Any, i: Any, scale: Any) -> Any:
        return {"y": p["w"][i] * scale, "i": i}

    def fwd(p: Any, i: Any, scale: Any) -> Any:
        return pick(p, i, scale), (p["w"].shape, i, scale, p["w"][i])

    def bwd(kept: Any, g: Any) -> Any:
        shape, i, scale, w = kept
        return {"w": np.eye(shape[0])[i] * g["y"] * scale, "b": None}, None, g["y"] * w

    pick.defvjp(fwd, bwd)
    p = {"w": XS, "b": np.ones(2)}
    for index in (1, np.int64(1), np.array(1)):
        gradient, by_scale = grad(lambda p, s, i=index: pick(p, i, s)["y"], (0, 1))(p, 3.0)
        np.testing.assert_array_equal(gradient["w"], [0, 3, 0])
        np.testing.assert_array_equal(gradient["b"], [0, 0])
        assert by_scale == XS[1]
    tangent = jvp(lambda p: pick(p, 1, 3.0)["y"], (p,), ({"w": YS, "b": np.ones(2)},))[1]
    assert tangent == pytest.approx(6.0)


def test_integers_have_no_tangent() -> None:
    seen = []

    @custom_jvp
    def power(x: Any, n: Any) -> Any:
        return x**n

    @power.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x, n), (t, dn) = primals, tangents
        seen.append(dn)
        return power(x, n), n * x ** (n - 1) * t

    assert grad(power)(2.0, 3) == 12.0
    assert grad(power)(2.0, np.int64(3)) == 12.0
    assert seen == [None, None]


def test_arguments_that_are_no_arrays() -> None:
    @partial(custom_vjp, nondiff_argnums=(0, 2))
    def apply(fun: Any, x: Any, name: str) -> Any:
        return fun(x)

    apply.defvjp(lambda fun, x, name: (fun(x), x), lambda fun, name, x, g: ((len(name) * g),))
    assert grad(lambda x: apply(np.sin, x, "four"))(1.0) == 4.0
    assert jvp(lambda x: apply(np.sin, x, "four"), (1.0,), (1.0,))[1] == 4.0
    assert apply(np.sin, 1.0, "four") == np.sin(1.0)

    @partial(custom_jvp, nondiff_argnums=(0,))
    def scaled(options: dict[str, float], x: Any) -> Any:
        return x * options["by"]

    scaled.defjvp(lambda options, primals, tangents: (primals[0] * 2, tangents[0] * options["by"]))
    assert grad(lambda x: scaled({"by": 5.0}, x))(1.0) == 5.0
    tape = make_tape(lambda x: scaled({"by": 5.0}, x))(1.0)
    assert hash(tape) != 0
    assert tape == tape


def test_equal_calls_make_equal_tapes() -> None:
    one, two = make_tape(backward)(X, Y), make_tape(backward)(X, Y)
    assert (one == two, hash(one) == hash(two)) == (True, True)
    assert one != make_tape(forward)(X, Y)
    check_tape(one)


def test_residuals_are_protected_against_later_changes() -> None:
    @custom_vjp
    def product(x: Any, b: Any) -> Any:
        return np.sum(x * b)

    product.defvjp(lambda x, b: (np.sum(x * b), (x, b)), lambda kept, g: (g * kept[1], g * kept[0]))
    for size in (3, 3000):
        buffer = np.ones(size)

        def loss(x: Any, buffer: Any = buffer) -> Any:
            total = 0.0
            for k in range(3):
                buffer[:] = k
                total = total + product(x, buffer)
            return total

        np.testing.assert_array_equal(grad(loss)(np.ones(size)), np.full(size, 3.0))


def test_exact_zero_division_at_the_zero_tangent_is_silent() -> None:
    root = custom_jvp(np.sqrt)
    root.defjvp(lambda primals, tangents: (np.sqrt(primals[0]), tangents[0] / (2 * np.sqrt(primals[0]))))
    assert grad(root)(np.float64(0.0)) == np.inf


# Errors.


@pytest.mark.parametrize("kind", [custom_vjp, custom_jvp])
def test_a_call_before_the_rule_is_given(kind: Any) -> None:
    @kind
    def f(x: Any) -> Any:
        return x

    line = f.fun.__code__.co_firstlineno
    usage = "defvjp(fwd, bwd)" if kind is custom_vjp else "defjvp(rule)"
    with pytest.raises(RuleError) as error:
        f(1.0)
    assert str(error.value) == (
        f"f (test_custom_rules.py:{line}) is a {kind.__name__} without a rule (test_custom_rules.py:{line + 7}); call "
        f"f.{usage} before the function"
    )


def closing_over(kind: Any, w: Any) -> Any:
    f = kind(lambda x: x * w)
    if kind is custom_vjp:
        f.defvjp(lambda x: (x * w, None), lambda _, g: (g * w,))
    else:
        f.defjvp(lambda primals, tangents: (primals[0] * w, tangents[0] * w))
    return f


@pytest.mark.parametrize("kind", [custom_vjp, custom_jvp])
@pytest.mark.parametrize(
    "use",
    [
        lambda f: grad(f)(2.0),
        lambda f: grad(lambda w: grad(lambda w: f(w))(w))(2.0),
        lambda f: jvp(f, (2.0,), (1.0,)),
        lambda f: vmap(f)(XS),
        lambda f: make_tape(f)(2.0),
        lambda f: grad(checkpoint(f))(2.0),
    ],
)
def test_closing_over_a_traced_value_is_refused(kind: Any, use: Any) -> None:
    line = closing_over.__code__.co_firstlineno + 1
    call = inspect.currentframe().f_lineno + 3  # type: ignore[union-attr]

    def user(w: Any) -> Any:
        return closing_over(kind, w)(3.0) if kind is custom_vjp else closing_over(kind, w)(w)

    with pytest.raises(DifferentiationError) as error:
        use(user)
    text = (
        f"<lambda> (test_custom_rules.py:{line}) has a derivative rule of its own, but closes over a traced KIND "
        f"(test_custom_rules.py:{call}), of which the rule knows nothing: its derivative would be lost. Pass the value as "
        "an argument."
    )
    kinds = ("float", "float64[]")  # a Python number, or an array of shape () inside vmap
    assert str(error.value) in {text.replace("KIND", kind) for kind in kinds}


def test_closing_over_an_outer_variable_is_no_loss_where_the_rule_itself_is_differentiated() -> None:
    assert grad(lambda w: grad(closing_over(custom_vjp, w))(3.0))(2.0) == 1.0
    assert grad(lambda w: grad(closing_over(custom_jvp, w))(3.0))(2.0) == 1.0


def test_a_traced_static_argument_is_refused() -> None:
    f = custom_vjp(plain, nondiff_argnums=(1,))
    f.defvjp(lambda x, y: (x, None), lambda y, _, g: (g,))
    with pytest.raises(DifferentiationError) as error:
        grad(lambda y: f(1.0, y))(2.0)
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    assert str(error.value) == (
        f"argument 1 of plain (test_custom_rules.py:{plain.__code__.co_firstlineno}) is traced but listed in "
        f"nondiff_argnums (test_custom_rules.py:{line}); take it out of nondiff_argnums, and return None as its "
        "cotangent if it has none"
    )


PLACE = f"plain (test_custom_rules.py:{plain.__code__.co_firstlineno})"


@pytest.mark.parametrize(
    ("fwd", "bwd", "text"),
    [
        (
            lambda x, y: x,
            lambda kept, g: (g, g),
            f"fwd of {PLACE} must return a pair (result, residuals), but returned float64[3]",
        ),
        (
            lambda x, y: (x, None),
            lambda kept, g: g,
            f"bwd of {PLACE} must return a tuple with one cotangent for each argument that is not in nondiff_argnums, "
            "2 in all, but returned float64[3]",
        ),
        (
            lambda x, y: (x, None),
            lambda kept, g: (g,),
            f"bwd of {PLACE} must return a tuple with one cotangent for each argument that is not in nondiff_argnums, "
            "2 in all, but returned a tuple of 1",
        ),
        (
            lambda x, y: (x, None),
            lambda kept, g: (g, g[:2]),
            f"bwd of {PLACE} returned the cotangents float64[2] for float64[3]; the shapes must be equal",
        ),
        (
            lambda x, y: (x, None),
            lambda kept, g: (g, {"y": g}),
            f"bwd of {PLACE} returned the cotangents (*, {{'y': *}}), but it belongs to (*, *); they must be alike",
        ),
        (
            lambda x, y: ("x", None),
            lambda kept, g: (g, g),
            f"fwd of {PLACE} must return arrays and numbers, but returned a str",
        ),
    ],
)
def test_wrong_backward_rules(fwd: Any, bwd: Any, text: str) -> None:
    f = custom_vjp(plain)
    f.defvjp(fwd, bwd)
    with pytest.raises(RuleError) as error:
        grad(lambda x, y: np.sum(f(x, y)), (0, 1))(XS, YS)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (
            lambda primals, tangents: primals[0],
            f"the rule of {PLACE} must return a pair (result, tangent), but returned float64[3]",
        ),
        (
            lambda primals, tangents: (primals[0], tangents[0][:2]),
            f"the rule of {PLACE} returned the tangent float64[2] for float64[3]; the shapes must be equal",
        ),
        (
            lambda primals, tangents: (primals[0], tangents),
            f"the rule of {PLACE} returned the tangent (*, *), but it belongs to *; they must be alike",
        ),
        (
            lambda primals, tangents: ([1.0, "x"], tangents[0]),
            f"the rule of {PLACE} must return arrays and numbers, but returned a str",
        ),
    ],
)
def test_wrong_forward_rules(rule: Any, text: str) -> None:
    f = custom_jvp(plain)
    f.defjvp(rule)
    for use in (grad(lambda x, y: np.sum(f(x, y)), (0, 1)), lambda x, y: jvp(f, (x, y), (x, y))):
        with pytest.raises(RuleError) as error:
            use(XS, YS)
        assert str(error.value) == text


def test_rules_must_agree_with_the_function() -> None:
    f = custom_vjp(plain)
    f.defvjp(lambda x, y: (x[:2], None), lambda kept, g: (None, None))
    tape = make_tape(f)(XS, YS)
    with pytest.raises(RuleError) as error:
        vjp(lambda x: eval_tape(tape, x, YS), XS)
    assert str(error.value) == (
        f"the rule of {PLACE} returned float64[2] but the function itself returns float64[3]; they must agree"
    )


def test_a_rule_that_is_not_linear_has_no_transpose() -> None:
    clipped = custom_vjp(plain)
    clipped.defvjp(lambda x, y: (x * y, None), lambda kept, g: (np.clip(g, -1, 1), None))
    assert grad(lambda x: 5 * clipped(x, 1.0))(2.0) == 1.0
    with pytest.raises(RuleError) as error:
        jvp(lambda x: clipped(x, 1.0), (2.0,), (1.0,))
    assert str(error.value) == (
        f"the backward rule of {PLACE} must be linear, so that its transpose can be derived, but it applies clip to "
        "what it must be linear in. Make it linear, or give the function a rule for the other mode, with custom_jvp "
        "for forward mode or custom_vjp for reverse mode."
    )
    squared = custom_jvp(plain)
    squared.defjvp(lambda primals, tangents: (primals[0] * 1.0, tangents[0] * tangents[0]))
    with pytest.raises(RuleError) as error:
        grad(lambda x: squared(x, 1.0))(2.0)
    assert "it applies multiply to what it must be linear in" in str(error.value)


def test_the_number_of_rules_must_be_that_of_the_arguments() -> None:
    f = custom_jvp(plain)
    f.defjvps(lambda t, out, x, y: t)
    with pytest.raises(RuleError) as error:
        grad(f)(1.0, 2.0)
    assert str(error.value) == f"defjvps of {PLACE} was given 1 rules for 2 arguments"
    g = custom_jvp(plain, nondiff_argnums=(0,))
    with pytest.raises(TypeError) as type_error:
        g.defjvps(None)
    assert str(type_error.value) == f"{PLACE}: defjvps does not go with nondiff_argnums; use defjvp"


def test_keyword_only_arguments_are_refused() -> None:
    @custom_vjp
    def f(x: Any, *, scale: Any) -> Any:
        return x * scale

    f.defvjp(lambda x, scale: (x, None), lambda kept, g: (g, None))
    with pytest.raises(TypeError) as error:
        f(1.0, scale=2.0)
    line = f.fun.__code__.co_firstlineno
    assert str(error.value) == (
        f"f (test_custom_rules.py:{line}) was called with the keyword-only arguments scale (test_custom_rules.py:"
        f"{line + 6}); rules get arguments by position: make them positional"
    )


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError) as error:
        custom_vjp(3)  # type: ignore[arg-type]
    assert str(error.value) == "custom_vjp needs a function, got int"


def test_static_positions_must_exist() -> None:
    f = custom_vjp(plain, nondiff_argnums=(2,))
    f.defvjp(lambda *a: a, lambda *a: a)
    with pytest.raises(TypeError) as error:
        f(1.0, 2.0)
    assert str(error.value) == f"nondiff_argnums of {PLACE} has 2, but it was called with 2 arguments"


def test_whole_numbers_are_no_derivative() -> None:
    rounded = custom_vjp(lambda x: np.sin(x))
    rounded.defvjp(lambda x: (np.sin(x), x), lambda x, g: ((g * np.cos(x)).astype(int),))
    with pytest.raises(RuleError, match=r"int64\[2\] for float64\[2\]; whole numbers are no derivative"):
        grad(lambda x: np.sum(rounded(x)))(np.ones(2))
    forward = custom_jvp(lambda x: np.sin(x))
    forward.defjvp(lambda primals, tangents: (np.sin(primals[0]), np.sign(tangents[0]).astype(int)))
    with pytest.raises(RuleError, match="whole numbers are no derivative"):
        jvp(forward, (np.ones(2),), (np.ones(2),))


def test_complex_numbers_are_no_derivative_where_everything_is_real() -> None:
    doubled = custom_vjp(lambda x: x * 2.0)
    doubled.defvjp(lambda x: (x * 2.0, None), lambda _, g: (g * (2.0 + 1j),))
    with pytest.raises(
        RuleError, match=r"complex128\[3\] for float64\[3\], though nothing that it was given is complex"
    ):
        grad(lambda x: np.sum(doubled(x)))(np.ones(3))
    forward = custom_jvp(lambda x: x * 2.0)
    forward.defjvp(lambda primals, tangents: (primals[0] * 2.0, tangents[0] * (2.0 + 1j)))
    with pytest.raises(RuleError, match="though nothing that it was given is complex"):
        jvp(forward, (np.ones(3),), (np.ones(3),))


def test_the_real_part_is_the_derivative_by_a_real_operand_where_results_are_complex() -> None:
    turned = custom_vjp(lambda x: x * (1.0 + 2.0j))
    turned.defvjp(lambda x: (x * (1.0 + 2.0j), None), lambda _, g: (g * (1.0 + 2.0j),))

    def by_hand(x):
        return x * (1.0 + 2.0j)

    for part in (np.real, np.imag):
        found, wanted = (grad(lambda x, f=f, part=part: np.sum(part(f(x))))(np.ones(3)) for f in (turned, by_hand))
        np.testing.assert_array_equal(found, wanted)


def test_zero_as_a_python_number_is_a_derivative() -> None:
    flat = custom_vjp(lambda x: np.floor(x))
    flat.defvjp(lambda x: (np.floor(x), None), lambda _, g: (0,))
    assert grad(flat)(1.5) == 0.0
