"""check_pair and check_problem: derivatives that come from anywhere."""

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, rosen, rosen_der, rosen_hess, rosen_hess_prod

from autodiff.testing import GradientMismatch, check_pair, check_problem, domains

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
