"""check_pair and check_problem: derivatives that come from anywhere."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, rosen, rosen_der, rosen_hess, rosen_hess_prod

from autodiff.testing import GradientMismatch, Undecided, check_pair, check_problem, domains

A = np.array([[1.0, 2.0, -1.0], [0.5, -0.3, 0.8]])


def energy(x):
    return np.sum(x**4)


def slope(x):
    return 4 * x**3


def map_of(x):
    return np.tanh(A @ x)


def jacobian(x):
    return (1 - map_of(x) ** 2)[:, None] * A


LINE = {"shapes": [(3,)], "max_examples": 5}


def test_right_derivatives_of_every_kind():
    check_pair(energy, slope, hessian=lambda x: np.diag(12 * x**2), hvp=lambda x, v: 12 * x**2 * v, max_examples=5)
    check_pair(map_of, jacobian=jacobian, **LINE)
    check_pair(map_of, vjp=lambda x, u: u @ jacobian(x), jvp=lambda x, v: jacobian(x) @ v, **LINE)
    check_pair(np.sin, np.cos, max_examples=5)
    check_pair(np.abs, np.sign, max_examples=5)
    check_pair(
        lambda x, y: np.sum(x * y**2),
        lambda x, y: (y**2, 2 * x * y),
        domain=(domains.real, domains.positive),
        shapes=[((3,), (3,))],
        max_examples=5,
    )


WRONG = [
    ("gradient", {"fun": energy, "df": lambda x: 4.004 * x**3}),
    ("gradient", {"fun": np.arctan, "df": lambda x: np.where(abs(x) > 1e5, 0, 1) / (1 + x * x)}),
    ("gradient", {"fun": np.abs, "df": lambda x: np.where(x == 0, 2.0, np.sign(x))}),
    ("jacobian", {"fun": map_of, "jacobian": lambda x: 1.001 * jacobian(x), **LINE}),
    ("jacobian", {"fun": map_of, "jacobian": lambda x: jacobian(x).T, **LINE}),
    ("vjp", {"fun": map_of, "vjp": lambda x, u: u @ A, **LINE}),
    ("jvp", {"fun": map_of, "jvp": lambda x, v: A @ v, **LINE}),
    ("hessian", {"fun": energy, "df": slope, "hessian": lambda x: np.diag(11 * x**2)}),
    ("hvp", {"fun": energy, "df": slope, "hvp": lambda x, v: 12 * x**2}),
]


@pytest.mark.parametrize(("law", "given"), WRONG)
def test_wrong_derivatives_are_found(law, given):
    with pytest.raises(GradientMismatch) as error:
        check_pair(given["fun"], **{name: value for name, value in given.items() if name != "fun"})
    assert error.value.law == law


def test_at_given_arguments():
    check_pair(energy, slope, args=(np.array([1.0, 2.0]),))
    with pytest.raises(GradientMismatch) as error:
        check_pair(energy, lambda x: 2 * x**3, args=(np.array([1.0, 2.0]),))
    assert str(error.value).splitlines()[-1] == "    check_pair(fun, gradient=gradient, args=args)"


def test_what_changes_its_argument_is_found():
    def careless(x):
        x *= 1.5
        return slope(x / 1.5)

    with pytest.raises(GradientMismatch, match="other arguments after the call"):
        check_pair(energy, careless)


def test_nothing_to_check_is_refused():
    with pytest.raises(TypeError) as error:
        check_pair(energy)
    assert str(error.value) == (
        "check_pair has nothing to check; give df, or one of jacobian=, hessian=, hvp=, vjp=, jvp="
    )
    with pytest.raises(TypeError) as error:
        check_pair(energy, hessian=lambda x: x)
    assert str(error.value) == (
        "second derivatives are compared with differences of first ones; give df= or jacobian= as well"
    )


def test_problems_of_scipy():
    circle = NonlinearConstraint(lambda x: [x @ x, x[0] * x[1]], -1, 1, jac=lambda x: [2 * x, x[::-1]])
    found = check_problem(
        rosen,
        [0.0, 0.0],
        jac=rosen_der,
        hess=rosen_hess,
        hessp=rosen_hess_prod,
        constraints=[circle, LinearConstraint(np.eye(2), 0, 1), {"type": "eq", "fun": np.sum, "jac": np.ones_like}],
        bounds=Bounds([0.0, -1.0], [2.0, 1.0]),
        max_examples=3,
    )
    assert [one.name for one in found] == ["the objective rosen", "constraint 0", "constraint 1"]


def test_problems_whose_function_returns_its_gradient():
    check_problem(lambda x, c: (c * x @ x, 2 * c * x), [0.0, 0.0, 0.0], args=(0.5,), jac=True, max_examples=3)
    with pytest.raises(GradientMismatch, match="the objective"):
        check_problem(lambda x, c: (c * x @ x, 2 * x), [0.0, 0.0, 0.0], args=(0.5,), jac=True, max_examples=3)


def test_a_wrong_constraint_is_named():
    wrong = {"type": "ineq", "fun": lambda x: x @ x, "jac": lambda x: x}
    with pytest.raises(GradientMismatch, match="constraint 0"):
        check_problem(rosen, [0.0, 0.0], constraints=[wrong], bounds=[(0, 1), (None, 2)], max_examples=3)


def test_a_problem_without_derivatives_is_refused():
    with pytest.raises(TypeError) as error:
        check_problem(rosen, [0.0, 0.0], jac="2-point")
    assert str(error.value) == "the problem has no derivatives of its own; give jac=, or constraints that have one"


def test_several_arguments_have_default_shapes():
    check_pair(
        lambda x, y: np.sum(x * y**2),
        lambda x, y: (y**2, 2 * x * y),
        domain=(domains.real, domains.positive),
        max_examples=5,
    )


@dataclass
class Spring:
    length: Any
    turns: int = 2


def stretched(spring):
    return np.sum(spring.length**spring.turns)


def weighted(p):
    return np.sum(p["w"] ** 2 * p["b"])


def weighted_gradient(p):
    return {"w": 2 * p["w"] * p["b"], "b": p["w"] ** 2}


TREE = {"domain": {"w": domains.real, "b": domains.real}, "max_examples": 5}


def test_gradients_of_trees():
    check_pair(weighted, weighted_gradient, **TREE)
    check_pair(weighted, vjp=lambda p, g: {name: g * d for name, d in weighted_gradient(p).items()}, **TREE)
    with pytest.raises(GradientMismatch, match="'gradient'"):
        check_pair(weighted, lambda p: {**weighted_gradient(p), "b": p["w"]}, **TREE)
    with pytest.raises(
        GradientMismatch, match=r"by \['w'\]\n  expected   a tree like the argument, by \['b'\], \['w'\]"
    ):
        check_pair(weighted, lambda p: {"w": 2 * p["w"] * p["b"]}, **TREE)
    check_pair(lambda xs: np.sum(xs[0] * xs[1]), lambda xs: [xs[1], xs[0]], domain=[[domains.real] * 2], max_examples=5)


def test_integers_among_the_arguments_have_no_derivative():
    spring = Spring(np.array([1.0, -2.0]), 3)
    check_pair(stretched, lambda s: Spring(s.turns * s.length ** (s.turns - 1), None), args=(spring,))
    for gradient in (lambda x, n: (n * x ** (n - 1), None), lambda x, n: n * x ** (n - 1)):
        check_pair(lambda x, n: np.sum(x**n), gradient, args=(np.array([1.0, -2.0]), 3))


@pytest.mark.parametrize("found", [None, "text", (1.0, np.ones(3))], ids=str)
def test_what_is_no_derivative_is_called_by_its_type(found):
    with pytest.raises(GradientMismatch, match=f"arrived    {type(found).__name__} as a derivative"):
        check_pair(energy, lambda x: found, **LINE)


@pytest.mark.parametrize("kind", ["gradient", "jacobian", "vjp", "jvp"])
def test_functions_of_several_results_are_refused_in_words(kind):
    with pytest.raises(GradientMismatch, match="a tuple as the result of the function"):
        check_pair(lambda x: (np.sum(x), np.sum(x**2)), **{kind: lambda *args: np.ones(3)}, **LINE)


def test_random_functions_are_refused():
    def noisy(x):
        return np.sum(x) + np.random.default_rng().normal()

    with pytest.raises(GradientMismatch, match="'repeated': The function returns the same when it is called again"):
        check_pair(noisy, np.ones_like, max_examples=5)


def test_functions_without_derivatives_pass_no_test():
    with pytest.raises(Undecided, match="no derivative of <lambda> was checked"):
        check_pair(lambda x: int(np.sum(x)), np.zeros_like, max_examples=5, name="<lambda>")


@pytest.mark.parametrize("shapes", [3, (3,), [3]])
def test_shapes_are_a_list_of_shapes(shapes):
    with pytest.raises(TypeError, match=r"3 is no shape; write shapes=\[\(3,\)\]"):
        check_pair(energy, slope, shapes=shapes)


def test_a_small_kink_among_large_numbers_is_one():
    def rectified(x):
        return np.sum(np.maximum(x, 0.0))

    x = np.array([4e-05, -79872.0, 9175040.0, -15728640.0, -14155776.0, 288.0, 0.0, -22544384.0])
    for at_zero in (0.0, 0.5, 1.0):
        check_pair(rectified, lambda x, a=at_zero: np.where(x == 0, a, x > 0), args=(x,))
    with pytest.raises(GradientMismatch):
        check_pair(rectified, lambda x: 1.0001 * (x > 0), args=(x,))


def scaled(x, a):
    return a * np.sum(x**2)


def scaled_slope(x, a):
    return 3 * a * x


def scaled_both(x):
    return np.sum(x**2), 3 * x


def stiff(x, a):
    return 3 * a * np.eye(3)


def product(x):
    return x[0] * x[1] - 1


def product_slope(x):
    return np.array([x[1], x[0], 1.0])


def staircase(x):
    return np.sum(np.floor(x))


FAULTY = {
    "jac": lambda: check_problem(scaled, [1, 2, 3], args=(2.0,), jac=scaled_slope, max_examples=5),
    "both": lambda: check_problem(scaled_both, [1, 2, 3], jac=True, max_examples=5),
    "hess": lambda: check_problem(
        scaled, [1, 2, 3], args=(2.0,), jac=lambda x, a: 2 * a * x, hess=stiff, max_examples=5
    ),
    "constraint": lambda: check_problem(
        scaled, [1, 2, 3], constraints={"type": "eq", "fun": product, "jac": product_slope}, max_examples=5
    ),
    "jump": lambda: check_pair(staircase, np.zeros_like, domain=domains.real, max_examples=5),
    "pair of second order": lambda: check_pair(energy, slope, hessian=jacobian, **LINE),
}


@pytest.mark.parametrize("name", [name for name in FAULTY if name != "hess"])
def test_reports_are_programs_that_fail_in_the_same_way(name):
    with pytest.raises(GradientMismatch) as found:
        FAULTY[name]()
    assert "optimization.py" not in str(found.value)
    with pytest.raises(GradientMismatch) as again:
        exec(found.value.program, {})
    assert again.value.law == found.value.law


def test_reports_of_problems_are_about_the_vector():
    with pytest.raises(GradientMismatch) as found:
        FAULTY["hess"]()
    x, a = found.value.arguments
    assert x.shape == (3,)
    assert a == 2.0
    assert "hessian=lambda x: hess(x, *args[1:])" in str(found.value)


def test_bounds_belong_to_elements():
    with pytest.raises(ValueError, match="x0 has 3 elements, and there are 2 bounds"):
        check_problem(energy, [1, 2, 3], jac=slope, bounds=[(0, 1)] * 2)


def squares(x):
    return np.sum(x * x)


def without_rest(x):
    """As a loop over eight elements at a time that forgets the others."""
    flat = np.zeros(x.size)
    end = x.size // 8 * 8 if x.size >= 64 else x.size
    flat[:end] = 2 * x.ravel()[:end]
    return flat.reshape(x.shape)


def in_memory_order(x):
    return 2 * x.ravel(order="K").reshape(x.shape)


@pytest.mark.parametrize("wrong", [without_rest, in_memory_order])
def test_long_vectors_and_tables_are_drawn_by_default(wrong):
    with pytest.raises(GradientMismatch):
        check_pair(squares, wrong, max_examples=5)


def test_derivatives_for_vectors_alone_are_not_blamed_for_tables():
    check_pair(lambda x: x @ x, lambda x: 2 * x, max_examples=5)
    check_pair(np.cumsum, vjp=lambda x, g: g[::-1].cumsum()[::-1], max_examples=5)
    check_pair(lambda x: sum(v * v for v in x), lambda x: np.array([2 * v for v in x]), max_examples=5)


def test_random_derivatives_are_refused_in_words():
    random = np.random.default_rng(0)
    with pytest.raises(GradientMismatch, match="two calls with the same arguments gave different results"):
        check_pair(squares, lambda x: 2 * x * (1 + 0.001 * random.normal()), max_examples=5)


def test_derivatives_that_are_wrong_now_and_then_are_refused_in_words():
    calls = iter(range(10**6))
    with pytest.raises(GradientMismatch, match="two calls with the same arguments gave different results"):
        check_pair(squares, lambda x: 2 * x * (1.1 if next(calls) % 50 == 49 else 1.0))
