"""Random numbers with traced parameters: NumPy's numbers, reparametrized, or a refusal by name."""

import warnings

import numpy as np
import pytest
import scipy.stats

import autodiff
from autodiff.programs.drawing import DRAWS, OTHERS, PICKS, WHOLE, draw
from autodiff.programs.rewriting import DRAWN
from autodiff.trace.errors import ConcretizationError, DifferentiationError
from tests.transforms.raised import raised

# fmt: off
ELEMENTARY = {
    "normal": (0.3, 1.4), "lognormal": (0.3, 0.6), "uniform": (-0.5, 2.0), "exponential": (1.7,), "laplace": (0.3, 1.4),
    "logistic": (0.3, 1.4), "gumbel": (0.3, 1.4), "rayleigh": (1.7,), "weibull": (1.7,), "pareto": (2.5,), "power": (1.7,),
    "triangular": (-1.0, 0.5, 2.0),
}
BY_QUANTILE = {
    "standard_gamma": ((1.7,), lambda a: scipy.stats.gamma(a)), "gamma": ((0.8, 2.0), lambda a, s: scipy.stats.gamma(a, scale=s)),
    "chisquare": ((3.0,), lambda df: scipy.stats.chi2(df)), "beta": ((1.5, 2.5), lambda a, b: scipy.stats.beta(a, b)),
    "f": ((4.0, 6.0), lambda m, n: scipy.stats.f(m, n)),
}
MAKERS = {"Generator": np.random.default_rng, "RandomState": np.random.RandomState}
# fmt: on


def written(p, rng):
    return np.sum(rng.normal(p[0], scale=p[1], size=3)) + np.random.default_rng(1).exponential(p[1])


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", [*ELEMENTARY, *BY_QUANTILE])
def test_the_numbers_are_numpys_and_move_with_their_parameters(name, maker):
    p = ELEMENTARY[name] if name in ELEMENTARY else BY_QUANTILE[name][0]
    rng, own = (MAKERS[maker](5) for _ in range(2))
    expected = getattr(own, name)(*p, size=(2, 3))

    def draws(*p):
        return draw(getattr(rng, name))(*p, size=(2, 3))

    value, *_ = autodiff.vjp(draws, *p)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    assert rng.normal() == own.normal()  # both generators have come as far

    def at(*p):
        nonlocal rng
        rng = MAKERS[maker](5)
        return draws(*p)

    found = autodiff.jacfwd(at, tuple(range(len(p))))(*p)
    for k, by in enumerate(found):
        ends = []
        for step in (1e-5, -1e-5):
            moved = tuple(x + step * (j == k) for j, x in enumerate(p))
            if name in ELEMENTARY:
                ends.append(getattr(MAKERS[maker](5), name)(*moved, size=(2, 3)))
            else:
                law = BY_QUANTILE[name][1]
                ends.append(law(*moved).ppf(law(*p).cdf(expected)))
        np.testing.assert_allclose(by, (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-8)


def test_normal_vectors():
    mean, root = np.array([0.5, -1.0]), np.array([[1.0, 0.0], [0.4, 0.8]])

    @autodiff.differentiable
    def draws(mean, root):
        return np.random.default_rng(3).multivariate_normal(mean, root @ root.T, size=4)

    value, pull = autodiff.vjp(draws, mean, root)
    np.testing.assert_allclose(value, np.random.default_rng(3).multivariate_normal(mean, root @ root.T, size=4))
    by_mean, _ = pull(np.ones((4, 2)))
    assert by_mean.tolist() == [4.0, 4.0]
    many = autodiff.differentiable(
        lambda s: np.mean(np.random.default_rng(3).multivariate_normal(np.zeros(2), s * np.eye(2), size=4000) ** 2)
    )
    assert autodiff.grad(many)(2.0) == pytest.approx(1.0, abs=0.05)


def test_programs_as_they_are_written():
    f = autodiff.differentiable(written)
    assert f(np.ones(2), np.random.default_rng(0)) == written(np.ones(2), np.random.default_rng(0))
    gradient = autodiff.grad(lambda p: f(p, np.random.default_rng(0)))(np.ones(2))
    rng = np.random.default_rng(0)
    expected = [3.0, np.sum(rng.standard_normal(3)) + np.random.default_rng(1).standard_exponential()]
    np.testing.assert_allclose(gradient, expected)


def test_the_shape_is_that_of_the_parameters():
    @autodiff.differentiable
    def draws(m):
        return np.random.default_rng(0).normal(m, np.ones((2, 1)))

    value, _ = autodiff.vjp(draws, np.zeros(3))
    assert value.tolist() == np.random.default_rng(0).normal(np.zeros(3), np.ones((2, 1))).tolist()


def test_what_has_no_derivative_says_so_by_name():
    @autodiff.differentiable
    def count(rate):
        return np.random.default_rng(0).poisson(rate)

    @autodiff.differentiable
    def around(kappa):
        return np.random.RandomState(0).vonmises(0.0, kappa)

    text, _ = raised(DifferentiationError, lambda: autodiff.grad(count)(2.0))
    assert text.startswith("np.random.Generator.poisson cannot be called with a traced value (test_drawing.py:")
    assert "it draws whole numbers, which jump. Compose it" in text
    text, _ = raised(DifferentiationError, lambda: autodiff.grad(around)(2.0))
    assert text.startswith("np.random.RandomState.vonmises cannot be called with a traced value (test_drawing.py:")
    shaped = autodiff.differentiable(lambda a: np.random.default_rng(0).gamma(a))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ConcretizationError, match=r"by jit traces with shapes only"):
            autodiff.jit(shaped)(2.0)


def test_every_method_with_parameters_is_decided():
    drawing = {*DRAWS, *PICKS, *WHOLE, *OTHERS, "shuffle"}
    for kind in (np.random.Generator, np.random.RandomState):
        own = {name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}
        without = {
            "bytes",
            "random",
            "rand",
            "randn",
            "random_sample",
            "seed",
            "spawn",
            "get_state",
            "set_state",
            "tomaxint",
        }
        assert own - drawing - without <= {"standard_normal", "standard_exponential", "standard_cauchy"}
    assert {*DRAWS, *PICKS, *OTHERS, "shuffle"} <= DRAWN


def moved(rng, x, v):
    """Rows of arrays, traced and filled ones, in other orders."""
    rng.shuffle(x)  # NumPy would exchange views, and have one row twice
    filled = np.zeros(x.shape)
    filled[0] = x[1]
    rng.shuffle(filled)
    names = [1.0, 2.0, 3.0]
    rng.shuffle(names)
    return x + filled * names[0] + rng.permutation(x), rng.choice(v, (2, 2)), rng.choice(v, 2, False, np.ones(4) / 4)


@pytest.mark.parametrize("maker", MAKERS)
def test_orders_and_choices_are_numpys(maker):
    x, v = np.arange(6.0).reshape(3, 2), np.arange(4.0)
    wanted, again = moved(MAKERS[maker](5), x.copy(), v), MAKERS[maker](5)
    found, tangents = autodiff.jvp(lambda x, v: autodiff.differentiable(moved)(again, x, v), (x, v), (x, v))
    for value, tangent, plain in zip(found, tangents, wanted, strict=True):
        np.testing.assert_array_equal(value, plain)
        np.testing.assert_array_equal(tangent, plain)  # it is linear
    own = MAKERS[maker](5)
    moved(own, x.copy(), v)
    assert again.random() == own.random()  # both generators have come as far
    jumping = autodiff.differentiable(lambda p: MAKERS[maker](5).choice(3, p=p))
    with pytest.raises(
        DifferentiationError, match=r"np.random.choice cannot be called with a traced value .*: it draws"
    ):
        autodiff.grad(jumping)(np.ones(3) / 3)
    if maker == "RandomState":
        with pytest.raises(ValueError, match="a must be 1-dimensional"):
            autodiff.grad(autodiff.differentiable(lambda x: np.sum(again.choice(x))))(x)
        with pytest.raises(TypeError, match=r"permutation\(\) of np.random.RandomState takes no axis"):
            autodiff.grad(autodiff.differentiable(lambda x: np.sum(again.permutation(x, axis=1))))(x)
