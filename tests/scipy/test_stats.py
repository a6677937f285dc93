"""Distributions of scipy.stats: all of SciPy's own list, each method against differences of SciPy's, and laws of a few."""

import warnings

import numpy as np
import pytest
import scipy.stats
from scipy.stats._distr_params import distcont, distdiscrete

import autodiff
from autodiff.scipy import stats
from autodiff.scipy.stats import sampling
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError
from tests.scipy.rows import between, check_row, row

# fmt: off
TOO_SLOW = {
    "levy_stable", "studentized_range",  # a value is an integral of a second
    "ksone", "kstwo",                    # the distribution function is summed in Python
}
METHODS = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
LOC, SCALE = 0.1, 1.3
CONTINUOUS = {name: tuple(map(float, shapes)) for name, shapes in reversed(distcont) if isinstance(name, str)}
CONTINUOUS["kappa4"] = (0.5, 0.5)  # at (0, 0) SciPy has the formula of the limit, which knows nothing of its neighbours
DISCRETE = {name: shapes for name, shapes in reversed(distdiscrete) if isinstance(name, str)}
# fmt: on


def weighted(values):
    return np.sum(values * np.array([1.0, 0.7]))


def differences(fun, args, place):
    """Central differences by one argument."""
    found = []
    for k in range(np.size(args[place])):
        step = 1e-5 * max(1.0, abs(np.ravel(args[place])[k]))
        ends = []
        for sign in (1, -1):
            moved = list(args)
            moved[place] = np.array(args[place], float)
            moved[place].reshape(-1)[k] += sign * step
            ends.append(fun(*moved))
        found.append((ends[0] - ends[1]) / (2 * step))
    return np.reshape(found, np.shape(args[place]))


def check(ours, own, args, places, rtol=2e-4):
    """Reverse and forward mode against differences of SciPy's function."""

    def total(*each):
        return weighted(ours(*each))

    value, gradient = autodiff.value_and_grad(total, places)(*args)
    np.testing.assert_allclose(value, weighted(own(*args)), rtol=1e-9)
    direction = [np.ones_like(np.asarray(args[k], float)) for k in places]
    pushed = 0.0
    for k, one, found in zip(places, direction, gradient, strict=True):
        np.testing.assert_allclose(found, differences(lambda *each: weighted(own(*each)), args, k), rtol, 1e-5)
        pushed += np.sum(one * found)

    def along(*moving):
        each = list(args)
        for k, x in zip(places, moving, strict=True):
            each[k] = x
        return total(*each)

    primals = tuple(np.asarray(args[k], float) for k in places)
    np.testing.assert_allclose(autodiff.jvp(along, primals, tuple(direction))[1], pushed, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", sorted(CONTINUOUS.keys() - TOO_SLOW))
def test_continuous(name):
    shapes, own, ours = CONTINUOUS[name], getattr(scipy.stats, name), getattr(stats, name)
    integral = [1 + k for k, info in enumerate(own._shape_info()) if info.integrality]
    for method in METHODS:
        q = np.array([0.3, 0.6])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = q if method in ("ppf", "isf") else own.ppf(q, *shapes) * SCALE + LOC
            args = [x, *shapes, LOC, SCALE]
            places = tuple(k for k in range(len(args)) if k not in integral)
            check(getattr(ours, method), getattr(own, method), args, places)


def gradient_by_argument(method, k, shapes):
    return autodiff.grad(lambda k: np.sum(method(k, *shapes)))(k)


@pytest.mark.parametrize("name", sorted(DISCRETE))
def test_discrete(name):
    shapes, own, ours = DISCRETE[name], getattr(scipy.stats, name), getattr(stats, name)
    smooth = tuple(1 + k for k, info in enumerate(own._shape_info()) if not info.integrality)
    shapes = tuple(float(p) if 1 + k in smooth else p for k, p in enumerate(shapes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        k = own.ppf([0.3, 0.6], *shapes)
        for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
            args = [k, *shapes]
            if smooth and np.isfinite(getattr(own, method)(*args)).all():
                check(getattr(ours, method), getattr(own, method), args, smooth)
            assert gradient_by_argument(getattr(ours, method), k, shapes).tolist() == [0.0, 0.0]


real, scale, shape, unit = between(-1.5, 1.5), between(0.5, 2.0), between(1.2, 3.0), between(0.1, 0.9)

# fmt: off
ROWS = [
    row("norm.logpdf", stats.norm.logpdf, real, real, scale), row("norm.cdf", stats.norm.cdf, real, real, scale),
    row("norm.logcdf", stats.norm.logcdf, real, real, scale), row("norm.ppf", stats.norm.ppf, unit, real, scale),
    row("t.logpdf", stats.t.logpdf, real, shape), row("t.cdf", stats.t.cdf, real, shape), row("t.ppf", stats.t.ppf, unit, shape),
    row("gamma.logpdf", stats.gamma.logpdf, shape, shape), row("gamma.cdf", stats.gamma.cdf, shape, shape),
    row("gamma.ppf", stats.gamma.ppf, unit, shape), row("gamma.entropy", stats.gamma.entropy, shape), row("gamma.mean", stats.gamma.mean, shape),
    row("beta.logpdf", stats.beta.logpdf, unit, shape, shape), row("beta.pdf", stats.beta.pdf, unit, shape, shape),
    row("beta.cdf", stats.beta.cdf, unit, shape, shape), row("beta.ppf", stats.beta.ppf, unit, shape, shape),
    row("weibull_min.logsf", stats.weibull_min.logsf, shape, shape), row("lognorm.logpdf", stats.lognorm.logpdf, shape, shape),
    row("expon.logpdf", lambda x, s: stats.expon.logpdf(x, scale=s), shape, scale), row("cauchy.logpdf", stats.cauchy.logpdf, real, real, scale),
    row("laplace.cdf", stats.laplace.cdf, between(0.2, 1.5)), row("logistic.sf", stats.logistic.sf, real, real, scale),
    row("genextreme.logpdf", stats.genextreme.logpdf, real, between(-0.3, -0.1)), row("truncnorm.logpdf", lambda x: stats.truncnorm.logpdf(x, -2.0, 2.0), real),
    row("poisson.logpmf", lambda mu: stats.poisson.logpmf(2, mu), shape), row("binom.logpmf", lambda p: stats.binom.logpmf(2, 5, p), unit),
    row("nbinom.pmf", lambda p: stats.nbinom.pmf(2, 5, p), unit), row("poisson.cdf", lambda mu: stats.poisson.cdf(2, mu), shape),
    row("frozen", lambda x, s: stats.norm(0.5, s).logpdf(x), real, scale), row("norm.var", stats.norm.var, real, scale),
]
# fmt: on


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", ROWS, ids=str)
def test_laws(case):
    check_row(case)


def test_outside_of_the_support_and_of_the_parameters():
    for x, expected in ((-1.0, -np.inf), (np.nan, np.nan)):
        value, (by_x, by_shape) = autodiff.value_and_grad(stats.gamma.logpdf, (0, 1))(x, 2.0)
        np.testing.assert_equal((value, by_x, by_shape), (expected, 0.0, 0.0))
    assert np.isnan(autodiff.value_and_grad(stats.gamma.logpdf)(1.0, -2.0)[0])
    assert autodiff.grad(lambda s: stats.norm.logpdf(1.0, 0.0, s))(-1.0) == 0.0
    assert autodiff.jvp(lambda q: stats.norm.ppf(q), (0.0,), (1.0,)) == (-np.inf, 0.0)


ENDS = {
    "gamma(1)": (stats.gamma, 0.0, (1.0,), -1.0), "gamma(2)": (stats.gamma, 0.0, (2.0,), 1.0),
    "gamma(3)": (stats.gamma, 0.0, (3.0,), 0.0), "gamma(1.5)": (stats.gamma, 0.0, (1.5,), np.inf),
    "gamma(0.5)": (stats.gamma, 0.0, (0.5,), -np.inf), "erlang(2)": (stats.erlang, 0.0, (2.0,), 1.0),
    "chi2(2)": (stats.chi2, 0.0, (2.0,), -0.25), "chi2(4)": (stats.chi2, 0.0, (4.0,), 0.25),
    "chi(2)": (stats.chi, 0.0, (2.0,), 1.0), "f(4,3)": (stats.f, 0.0, (4.0, 3.0), 20 / 3),
    "beta(1,2)": (stats.beta, 0.0, (1.0, 2.0), -2.0), "beta(1,2) above": (stats.beta, 1.0, (1.0, 2.0), -2.0),
    "beta(2,3)": (stats.beta, 0.0, (2.0, 3.0), 12.0), "beta(2,3) above": (stats.beta, 1.0, (2.0, 3.0), 0.0),
    "expon": (stats.expon, 0.0, (), -1.0), "uniform": (stats.uniform, 0.0, (), 0.0),
    "uniform above": (stats.uniform, 1.0, (), 0.0), "pareto(2)": (stats.pareto, 1.0, (2.0,), -6.0),
    "weibull_min(1)": (stats.weibull_min, 0.0, (1.0,), -1.0), "weibull_min(2)": (stats.weibull_min, 0.0, (2.0,), 2.0),
    "powerlaw(0.5)": (stats.powerlaw, 0.0, (0.5,), 0.0), "powerlaw(2)": (stats.powerlaw, 0.0, (2.0,), 2.0),
    "powerlaw(3) above": (stats.powerlaw, 1.0, (3.0,), 6.0),
    "truncnorm": (stats.truncnorm, -1.0, (-1.0, 2.0), scipy.stats.truncnorm.pdf(-1.0, -1.0, 2.0)),
    "truncnorm above": (stats.truncnorm, 2.0, (-1.0, 2.0), -2 * scipy.stats.truncnorm.pdf(2.0, -1.0, 2.0)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("end", ENDS)
def test_densities_at_the_ends_of_their_support(end):
    """The value is SciPy's, the derivative the one from inside, also beside points that are inside."""
    distribution, x, shapes, expected = ENDS[end]
    points = np.array([x, 0.9 * x + 0.1 * distribution.own.median(*shapes)])

    def density(x):
        return distribution.pdf(x, *shapes)

    own = distribution.own.pdf(points, *shapes)
    for fun in (density, autodiff.jit(density, backend="numpy"), autodiff.vmap(density)):
        value, pull = autodiff.vjp(fun, points)
        np.testing.assert_allclose(value, own, rtol=1e-13)
        found = pull(np.ones(2))[0]
        np.testing.assert_allclose(found[0], expected, rtol=1e-12)
        np.testing.assert_allclose(found, autodiff.jvp(fun, (points,), (np.ones(2),))[1], rtol=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "x"),
    [(-1, 2, 0.5), (-1, 2, 2), (3, 5, 4), (-9, -7, -8), (-np.inf, 1, 0), (-np.inf, np.inf, 0.3), (30, 31, 30)],
)
def test_the_truncated_normal_distribution_by_its_ends(a, b, x):
    """The derivatives by the ends are the densities there."""
    point = float(x), float(a), float(b)
    mass = scipy.stats.norm.logpdf(x) - scipy.stats.truncnorm.logpdf(*point)
    ends = np.exp(scipy.stats.norm.logpdf([a, b]) - mass)
    value, found = autodiff.value_and_grad(stats.truncnorm.logpdf, (0, 1, 2))(*point)
    np.testing.assert_allclose(value, scipy.stats.truncnorm.logpdf(*point), rtol=1e-13)
    np.testing.assert_allclose(found, [-x, ends[0], -ends[1]], rtol=1e-11, atol=1e-300)


def test_plain_arguments_are_left_to_scipy():
    assert stats.norm.logpdf(1.0) == scipy.stats.norm.logpdf(1.0)
    assert stats.describe is scipy.stats.describe or callable(stats.describe)
    assert stats.norm(1.0, 2.0).rvs(random_state=0) == scipy.stats.norm(1.0, 2.0).rvs(random_state=0)


def test_a_likelihood_is_maximal_at_the_closed_form():
    data = np.random.default_rng(0).normal(2.0, 3.0, 200)

    def likelihood(parameters):
        return np.sum(stats.norm.logpdf(data, parameters[0], np.exp(parameters[1])))

    best = np.array([data.mean(), np.log(data.std())])
    np.testing.assert_allclose(autodiff.grad(likelihood)(best), 0, atol=1e-9)
    np.testing.assert_allclose(autodiff.hessian(likelihood)(best), np.diag([-200 / data.var(), -400]), atol=1e-6)


def test_the_normal_distribution_of_vectors():
    x, mean = np.array([[0.5, -1.0], [1.0, 2.0], [0.0, 0.3]]), np.array([0.2, 0.1])
    root = np.array([[1.5, 0.3], [0.2, 0.8]])

    def program(x, mean, root, normal=stats.multivariate_normal):
        cov = root @ root.T
        return normal.logpdf(x, mean, cov), normal(mean, cov).pdf(x), normal(mean, cov).entropy()

    check_laws(program, (x, mean, root), skip=("value", "replay", "compiled", "batch", "spec", "digits", "continuous"))
    for ours, own in zip(
        autodiff.vjp(program, x, mean, root)[0], program(x, mean, root, scipy.stats.multivariate_normal), strict=True
    ):
        np.testing.assert_allclose(ours, own, rtol=1e-12)
    batched = autodiff.vmap(stats.multivariate_normal.logpdf, in_axes=(0, None, None))(x, mean, root @ root.T)
    np.testing.assert_allclose(batched, scipy.stats.multivariate_normal.logpdf(x, mean, root @ root.T), rtol=1e-12)
    assert autodiff.grad(lambda s: stats.multivariate_normal.logpdf(x[0], mean, s))(2.0) == pytest.approx(
        -0.5 + np.sum((x[0] - mean) ** 2) / 8
    )
    assert stats.multivariate_normal(mean, np.eye(2)).rvs(random_state=0).shape == (2,)
    with pytest.raises(
        DifferentiationError, match=r"^multivariate_normal with traced parameters has no cdf \(test_stats.py:\d+\); it"
    ):
        autodiff.grad(lambda m: stats.multivariate_normal(m, np.eye(2)).cdf(x[0]))(mean)


def test_a_singular_covariance_matrix():
    mean, root, z = np.array([0.1, 0.2, 0.3]), np.array([[1.0, 0.0], [0.5, 0.2], [0.3, -0.7]]), np.array([0.3, 0.4])

    def inside(root, normal=stats.multivariate_normal):
        return normal.logpdf(mean + root @ z, mean, root @ root.T, allow_singular=True)

    def own(root):
        return inside(root, scipy.stats.multivariate_normal)

    value, gradient = autodiff.value_and_grad(inside)(root)
    assert value == pytest.approx(own(root), rel=1e-12)
    np.testing.assert_allclose(gradient, differences(own, (root,), 0), rtol=1e-6, atol=1e-8)
    compiled = autodiff.jit(autodiff.value_and_grad(inside))(root)
    np.testing.assert_allclose(compiled[0], value, rtol=1e-12)
    np.testing.assert_allclose(compiled[1], gradient, rtol=1e-10)
    off = mean + np.array([root @ z, root @ z + 1.0])
    fixed = stats.multivariate_normal(mean, root @ root.T, allow_singular=True)
    np.testing.assert_allclose(autodiff.vjp(fixed.logpdf, off)[0], fixed.logpdf(off), rtol=1e-12)
    scalar = autodiff.grad(lambda a: stats.multivariate_normal(None, a, True).logpdf(0.0))(2.0)
    assert scalar == pytest.approx(-0.25, rel=1e-14)

    def indefinite(a):
        return stats.multivariate_normal.logpdf(mean, mean, a * np.eye(3), True)

    with pytest.raises(ValueError, match="positive semidefinite"):
        autodiff.grad(indefinite)(-1.0)
    assert np.isnan(autodiff.jit(indefinite)(-1.0))  # where only shapes are known


@pytest.mark.parametrize("singular", [True, False])
def test_one_number_is_every_coordinate_where_no_mean_is_given(singular):
    for x in (np.array([0.3]), np.ones((4, 1))):
        value, gradient = autodiff.value_and_grad(
            lambda x: np.sum(stats.multivariate_normal.logpdf(x, cov=np.eye(2), allow_singular=singular))
        )(x)
        assert value == pytest.approx(np.sum(scipy.stats.multivariate_normal.logpdf(x, cov=np.eye(2))))
        np.testing.assert_allclose(gradient, -2 * x)


@pytest.mark.parametrize("name", ["pmf", "logpmf", "cdf", "sf", "logcdf", "logsf", "mean", "var", "std", "entropy"])
def test_a_vector_of_probabilities(name):
    p, k = np.array([0.2, 0.5, 0.8]), np.array([0, 1, 3])
    own, ours = (getattr(m.poisson_binom, name) for m in (scipy.stats, stats))
    if name not in ("mean", "var", "std", "entropy"):
        beyond = np.array([-1.0, 1.5, 4.0])
        np.testing.assert_allclose(autodiff.vjp(lambda p: ours(beyond, p), p)[0], own(beyond, p), atol=1e-14)
        own, ours = (lambda p, of=of: np.sum(of(k, p)[: 3 - (name == "logsf")]) for of in (own, ours))
    np.testing.assert_allclose(autodiff.grad(ours)(p), differences(own, (p,), 0), rtol=1e-6, atol=1e-9)


def test_differences_stay_between_the_seams_of_a_distribution():
    x = np.array([0.2093, 0.2676])
    near = (scipy.stats.kstwo.logpdf(x + 1e-5, 10) - scipy.stats.kstwo.logpdf(x - 1e-5, 10)) / 2e-5
    np.testing.assert_allclose(autodiff.grad(lambda x: np.sum(stats.kstwo.logpdf(x, 10)))(x), near, rtol=1e-5)


@pytest.mark.parametrize(("name", "shapes"), [
    ("invgauss", (0.7,)), ("norm", ()), ("t", (3.0,)), ("cauchy", ()), ("skewnorm", (1.0,)), ("johnsonsu", (1.0, 2.0)), ("lognorm", (1.0,)),
])  # fmt: skip
def test_densities_at_infinity_are_flat(name, shapes):
    for x in (-np.inf, np.inf):
        for method in ("pdf", "logpdf", "cdf", "sf"):
            found, pullback = autodiff.vjp(lambda *args: getattr(getattr(stats, name), method)(*args), x, *shapes)  # noqa: B023
            assert found == getattr(getattr(scipy.stats, name), method)(x, *shapes)
            assert pullback(1.0) == (0.0,) * (1 + len(shapes))


@pytest.mark.parametrize(("name", "shapes"), [
    ("betabinom", (5.0, 1.0, 2.0)), ("betanbinom", (5.0, 1.0, 2.0)), ("logser", (0.5,)), ("zipf", (3.0,)), ("skellam", (1.0, 2.0)),
])  # fmt: skip
def test_counts_that_are_infinite_or_no_numbers(name, shapes):
    for k in (-np.inf, np.inf, np.nan):
        for method in ("cdf", "sf"):
            own = getattr(getattr(scipy.stats, name), method)
            found, pullback = autodiff.vjp(lambda *args: getattr(getattr(stats, name), method)(k, *args), *shapes)  # noqa: B023
            np.testing.assert_equal(found, own(k, *shapes))
            assert pullback(1.0) == (0.0,) * len(shapes)


IMPOSSIBLE = {
    "truncnorm": (1.5, 1.2),  # SciPy's own methods of these fail, or call each other without end
    "truncpareto": (-1.0, 0.5),
    "geninvgauss": (0.0, 0.0),
    "irwinhall": (-1.3,),
    "skewnorm": (np.nan,),
    "nct": (-2.0, 0.3),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("method", ["logpdf", "cdf", "logcdf", "sf", "ppf"])
def test_impossible_parameters_give_nan(name, method):
    parameters = IMPOSSIBLE[name]
    wanted = getattr(getattr(scipy.stats, name), method)([0.3, 0.8], *parameters)
    assert np.isnan(wanted).all()
    for position in range(len(parameters)):

        def value(p, position=position):
            now = [p if k == position else own for k, own in enumerate(parameters)]
            return getattr(getattr(stats, name), method)(np.array([0.3, 0.8]), *now)

        np.testing.assert_array_equal(autodiff.jvp(value, (parameters[position],), (1.0,))[0], wanted)


def test_possible_parameters_beside_impossible_ones():
    low = np.array([1.5, -1.0, np.nan])
    found, moved = autodiff.jvp(lambda a: stats.truncnorm.cdf(0.4, a, 1.2), (low,), (np.ones(3),))
    np.testing.assert_allclose(found, scipy.stats.truncnorm.cdf(0.4, low, 1.2), rtol=1e-14)
    assert list(moved != 0) == [False, True, False]


@pytest.mark.parametrize("name", [name for name in CONTINUOUS if name not in TOO_SLOW])
def test_each_argument_alone(name):
    args = (np.array([0.4, 0.6]), *CONTINUOUS[name])
    directions = np.eye(len(args))
    for k, own in enumerate(args):

        def value(p, k=k):
            return getattr(stats, name).logpdf(*(p if j == k else other for j, other in enumerate(args)))

        together = autodiff.jvp(
            getattr(stats, name).logpdf, args, [d * np.ones_like(a) for d, a in zip(directions[k], args)]
        )
        alone = autodiff.jvp(value, (own,), (np.ones_like(own),))
        np.testing.assert_allclose(alone, together, rtol=1e-7, atol=1e-9)


def test_scipy_is_given_its_own_distributions():
    x = scipy.stats.norm.rvs(size=30, random_state=1)

    def of(module):
        found = module.goodness_of_fit(module.norm, x, n_mc_samples=9, rng=1).pvalue
        return found, module.ppcc_max(x, dist=module.tukeylambda), module.make_distribution(module.gamma)(a=2.0).mean()

    assert of(stats) == of(scipy.stats)
    assert autodiff.grad(lambda y: y * of(stats)[2])(1.0) == 2.0
    own = scipy.stats.sampling.FastGeneratorInversion(scipy.stats.norm(), random_state=1).rvs()
    assert sampling.FastGeneratorInversion(stats.norm(), random_state=1).rvs() == own
    with pytest.raises(DifferentiationError, match=r"FastGeneratorInversion cannot be called with a traced value"):
        autodiff.grad(lambda s: sampling.FastGeneratorInversion(stats.norm(scale=s)).rvs())(1.0)


def test_points_between_traced_bounds():
    points = np.array([[0.25, 0.5], [1.0, 0.0]])
    lower, upper = np.array([-1.0, 0.0]), np.array([1.0, 3.0])
    for reverse in (False, True):
        x = scipy.stats.qmc.scale(points, lower, upper) if reverse else points
        found = autodiff.jit(lambda u, x=x, r=reverse: stats.qmc.scale(x, lower, u, reverse=r))(upper)
        np.testing.assert_allclose(found, scipy.stats.qmc.scale(x, lower, upper, reverse=reverse))
    slope = autodiff.jacfwd(lambda u: stats.qmc.scale(points, lower, u))(upper)
    np.testing.assert_array_equal(slope, points[:, :, None] * np.eye(2))
    assert np.isnan(autodiff.vmap(lambda x: stats.qmc.scale(x, lower, upper))(np.full((1, 2, 2), 1.5))).all()
    assert np.isnan(autodiff.jvp(lambda u: stats.qmc.scale(points, lower, u), (lower,), (lower,))[0]).all()
