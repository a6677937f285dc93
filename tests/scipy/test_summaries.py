"""scipy.stats: means, moments, scores and tests of samples; scipy.cluster.vq; what is refused by name."""

import numpy as np
import pytest
import scipy.stats

import autodiff
from autodiff.scipy import stats
from autodiff.scipy.cluster import vq
from autodiff.testing import check_laws
from autodiff.trace.errors import ConcretizationError, DifferentiationError

rng = np.random.default_rng(0)
x, y = rng.uniform(0.5, 2, size=(6, 2)), rng.uniform(0.5, 2, size=(6, 2))
u, v = x[:, 0].copy(), y[:, 1].copy()

# fmt: off
PROGRAMS = {
    **{name: (getattr(stats, name), (x,)) for name in ("gmean", "hmean", "skew", "kurtosis", "sem", "variation", "zscore", "entropy")},
    **{f"{name}, axis": (lambda x, name=name: getattr(stats, name)(x, axis=None), (x,)) for name in ("gmean", "skew", "zscore")},
    "weights":       (lambda x, w: stats.gmean(x, axis=1, weights=w) + stats.hmean(x, axis=1, weights=w), (x, y)),
    "unbiased":      (lambda x: stats.skew(x, bias=False) + stats.kurtosis(x, bias=False, fisher=False), (x,)),
    "pmean":         (lambda x, p: stats.pmean(x, p), (x, 1.7)),
    "moment":        (lambda x: stats.moment(x, 3, axis=1, center=0.3), (x,)),
    "relative entropy": (lambda p, q: stats.entropy(p, q, base=2), (x, y)),
    "ttest_1samp":   (lambda x, m: tuple(stats.ttest_1samp(x, m)), (x, 1.3)),
    "ttest_rel":     (lambda x, y: tuple(stats.ttest_rel(x, y)), (x, y)),
    "ttest_ind":     (lambda x, y: tuple(stats.ttest_ind(x, y[:4])), (x, y)),
    "Welch":         (lambda x, y: tuple(stats.ttest_ind(x, y[:4], equal_var=False)), (x, y)),
    "pearsonr":      (lambda x, y: tuple(stats.pearsonr(x, y)), (u, v)),
    "linregress":    (lambda x, y: tuple(stats.linregress(x, y)), (u, v)),
    "error of intercept": (lambda x, y: stats.linregress(x, y).intercept_stderr, (u, v)),
    "less":          (lambda x, m: tuple(stats.ttest_1samp(x, m, alternative="less")), (x, 1.3)),
    "keepdims":      (lambda x: stats.iqr(x, axis=0, keepdims=True) + stats.tvar(x, axis=0), (x,)),
    "all elements":  (lambda x: stats.differential_entropy(x, axis=None) + stats.circmean(x, axis=None), (x,)),
    "pearsonr, axis": (lambda x, y: tuple(stats.pearsonr(x, y, axis=0)), (x, y)),
    "lmoment":       (lambda x: stats.lmoment(x), (x,)),
    "powers":        (lambda x, p: stats.yeojohnson(x - 1, p) + stats.boxcox_llf(p, x, axis=0), (x, 0.4)),
    "at the power 0 and 2": (lambda x: stats.yeojohnson(x - 1, 0.0) + stats.yeojohnson(x - 1, 2.0), (x,)),
    "distances":     (lambda x, y: stats.wasserstein_distance(x, y) + stats.energy_distance(x, y), (u, v)),
    "scores of others": (lambda x, y: stats.zmap(x, y) + stats.gzscore(x), (x, y)),
    "normaltest":    (lambda x: tuple(stats.normaltest(x)), (np.tile(x, (3, 1)) + np.arange(36.0).reshape(18, 2) ** 2 / 300,)),
    "interval":      (lambda m, s: stats.norm(m, s).interval(0.9), (0.3, 1.2)),
    "whiten":        (vq.whiten, (x,)),
    "vq":            (lambda x, c: vq.vq(x, c)[1], (x, y[:3])),
}
# fmt: on


@pytest.mark.parametrize("sample", [[1e3, 1e4, 1e2, 5e5], [2003.0, 1950.0, 1997.0, 2000.0], [0.2, 0.7, 1.1, 3.0]])
@pytest.mark.parametrize("power", [-80.0, -8.0, 0.0, 0.5, 8.0, 80.0])
def test_likelihoods_of_large_powers_do_not_overflow(sample, power):
    """Nor do differences vanish beside 1 / power, as they do where x**power is computed as it is."""
    sample = np.array(sample)
    value, found = autodiff.value_and_grad(stats.boxcox_llf)(power, sample)
    np.testing.assert_allclose(value, scipy.stats.boxcox_llf(power, sample), rtol=1e-11)
    ends = [scipy.stats.boxcox_llf(power + step, sample) for step in (1e-4, -1e-4)]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-4, rtol=1e-5, atol=1e-6)
    one = autodiff.grad(lambda factor: stats.boxcox_llf(power, factor * sample))(
        1.0
    )  # a scale changes nothing but this
    np.testing.assert_allclose(one, -4.0, rtol=1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    check_laws(fun, args, skip=("value", "replay", "compiled", "batch", "spec"), order=1, name=name)
    value = np.ravel(fun(*args))
    np.testing.assert_allclose(np.ravel(autodiff.vjp(fun, *args)[0]), value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.ravel(autodiff.jit(fun)(*args)), value, rtol=1e-9, atol=1e-12)
    batched = autodiff.vmap(fun)(*(np.stack([z, z]) for z in args))
    batched = batched if isinstance(batched, tuple) else (batched,)
    np.testing.assert_allclose(np.ravel([part[1] for part in batched]), value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("fun", "words"), [
    (lambda x: stats.zscore(x, nan_policy="omit"), "zscore of traced values has no nan_policy='omit'"),
    (lambda x: stats.linregress(x[:, 0], u, nan_policy="omit").slope, "linregress of traced values has no nan_policy='omit'"),
    (lambda x: stats.power_divergence(x, lambda_=x[0, 0])[0], "power_divergence of traced values takes a constant lambda_"),
    (lambda x: stats.iqr(x, scale=x[0, 0]), "iqr of traced values takes a constant scale"),
    (lambda x: stats.hmean(x, nan_policy="omit"), "hmean of traced values has no nan_policy='omit'"),
    (lambda x: stats.boxcox_normmax(x[:, 0]), "boxcox_normmax of traced values takes method='mle' and no other option"),
    (lambda x: stats.gaussian_kde(x.T).resample(3), "gaussian_kde.resample cannot be called with traced values"),
    (lambda x: stats.wishart(5, x[:2]).rvs(), "wishart with traced parameters has no rvs"),
    (lambda x: stats.dirichlet.entropy(x[0]), "scipy.stats.dirichlet.entropy cannot be called with a traced value"),
    (lambda x: stats.vonmises.rvs(1.0, loc=x), "scipy.stats.vonmises.rvs cannot be called with a traced value"),
    (lambda x: stats.poisson(x).rvs(), "scipy.stats.poisson.rvs cannot be called with a traced value"),
    (lambda x: stats.mode(x), "scipy.stats.mode cannot be called with a traced value"),
])  # fmt: skip
def test_what_has_no_derivative_says_so(fun, words):
    with pytest.raises(DifferentiationError, match=rf"^{words} \(test_summaries.py:\d+\)"):
        autodiff.vjp(fun, x)


@pytest.mark.parametrize("fun", [
    lambda x: stats.rankdata(x[:, 0]), lambda x: stats.spearmanr(x[:, 0], u)[0], lambda x: stats.kendalltau(x[:, 0], v)[0],
    lambda x: stats.mannwhitneyu(x[:, 0], x[:, 1] + 1)[0], lambda x: stats.wilcoxon(x[:, 0], v)[1], lambda x: stats.kruskal(x[:, 0], v)[0],
])  # fmt: skip
def test_what_ranks_say_is_constant(fun):
    value, gradient = autodiff.value_and_grad(lambda x: np.sum(fun(x)) + 0 * x[0, 0])(x)
    assert value == np.sum(fun(x))
    assert not gradient.any()
    with pytest.raises(ConcretizationError, match=r"would become an argument of scipy\.stats\.[a-z]+ \("):
        autodiff.jit(fun)(x)


def test_powers_that_fit_best_move_with_the_sample():
    direction, step = np.cos(np.arange(6.0)), 1e-4

    def total(x):
        transformed, power = stats.boxcox(x)
        return np.sum(transformed * direction) + power

    change = (total(u + step * direction) - total(u - step * direction)) / (2 * step)
    assert np.sum(autodiff.grad(total)(u) * direction) == pytest.approx(change, rel=1e-4)


@pytest.mark.parametrize(
    "name",
    ["iqr", "median_abs_deviation", "trim_mean", "tmin", "tvar", "tstd", "tsem", "lmoment", "skew", "gmean", "kstat"],
)
def test_nan_is_carried_on(name):
    options = (0.1,) if name == "trim_mean" else ()
    holed = x.copy()
    holed[1, 0] = np.nan
    for axis in (0, None):
        found = autodiff.vjp(lambda x: getattr(stats, name)(x, *options, axis=axis), holed)[0]  # noqa: B023
        np.testing.assert_allclose(found, getattr(scipy.stats, name)(holed, *options, axis=axis), rtol=1e-10)


def test_distances_from_a_plain_sample():
    for name in ("wasserstein_distance", "energy_distance"):
        for other in (v, v.tolist()):
            found = autodiff.vjp(lambda x: getattr(stats, name)(x, other), u)[0]  # noqa: B023
            assert found == pytest.approx(getattr(scipy.stats, name)(u, v), rel=1e-12)


def test_distances_carry_nan_on():
    assert np.isnan(autodiff.vjp(stats.wasserstein_distance, np.array([1.0, np.nan]), u)[0])
    assert np.isnan(autodiff.vjp(lambda x: stats.levene(x, u).pvalue, np.array([1.0, np.nan, 2.0]))[0])


def test_results_are_of_scipys_types():
    found = autodiff.vjp(lambda x: stats.describe(x).variance, x)[0]
    np.testing.assert_allclose(found, x.var(0, ddof=1))
    kept = []
    autodiff.grad(lambda x: kept.append(stats.ttest_ind(x, y)) or kept[0].pvalue[0])(x)
    assert type(kept[0]) is type(scipy.stats.ttest_ind(x, y))


def test_an_expectile_at_alpha_one_half_is_the_mean():
    np.testing.assert_allclose(autodiff.grad(stats.expectile)(u), np.full(6, 1 / 6))


def slope_of(fun, x, step=1e-6):
    """Central differences of a number, by each element."""
    found = np.zeros(x.size)
    for k in range(x.size):
        apart = np.zeros(x.size)
        apart[k] = step
        found[k] = (fun(x + apart.reshape(x.shape)) - fun(x - apart.reshape(x.shape))) / (2 * step)
    return found.reshape(x.shape)


@pytest.mark.parametrize("fun", [lambda m, x, w: m.hmean(x, axis=0, weights=w), lambda m, x, w: m.hmean(x, axis=1, weights=w), lambda m, x, w: m.pmean(x, 1.7, axis=0, weights=w)])  # fmt: skip
@pytest.mark.parametrize("rows", [3, 4])
def test_weights_of_a_vector_are_broadcast(fun, rows):
    x, w = np.arange(1.0, 3 * rows + 1).reshape(rows, 3) ** 0.7, np.array([1.0, 2.0, 3.5])
    np.testing.assert_allclose(autodiff.jit(lambda x: fun(stats, x, w))(x), fun(scipy.stats, x, w), rtol=1e-12)
    found = autodiff.grad(lambda x: np.sum(fun(stats, x, w) ** 2))(x)
    np.testing.assert_allclose(found, slope_of(lambda x: np.sum(fun(scipy.stats, x, w) ** 2), x), rtol=1e-6)


def test_means_of_negative_elements():
    x = np.array([[1.0, -2.0], [3.0, 4.0], [2.0, 0.5]])
    np.testing.assert_allclose(autodiff.jit(lambda x: stats.hmean(x))(x), [18 / 11, np.nan])
    np.testing.assert_allclose(autodiff.jit(lambda x: stats.pmean(x, 2))(x), [np.sqrt(14 / 3), np.nan])


@pytest.mark.parametrize(
    "options", [{"axis": 0}, {"axis": 1, "order": [1, 3]}, {"axis": 1, "order": 2}, {"axis": None}]
)
def test_orders_stand_before_kept_axes(options):
    x = np.arange(20.0).reshape(5, 4) ** 1.3
    found = autodiff.jit(lambda x: stats.lmoment(x, keepdims=True, **options))(x)
    expected = scipy.stats.lmoment(x, keepdims=True, **options)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(
        autodiff.grad(lambda x: np.sum(stats.lmoment(x, keepdims=True, **options) ** 2))(x),
        slope_of(lambda x: np.sum(scipy.stats.lmoment(x, **options) ** 2), x), rtol=1e-5, atol=1e-6,
    )  # fmt: skip


def test_a_line_through_two_points_has_no_error():
    a, b = np.array([1.0, 2.5]), np.array([3.0, 7.0])
    found, expected = autodiff.jit(lambda a, b: tuple(stats.linregress(a, b)))(a, b), scipy.stats.linregress(a, b)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    slopes = autodiff.jacobian(lambda b: np.stack(list(stats.linregress(a, b))))(b)
    np.testing.assert_allclose(slopes, [[-2 / 3, 2 / 3], [5 / 3, -2 / 3], [0, 0], [0, 0], [0, 0]], atol=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_intervals_of_correlations(alternative):
    def high_and_low(m, x):
        return np.sum(
            np.stack(m.pearsonr(x, v, alternative=alternative).confidence_interval(0.9)) * np.array([1.0, 0.3])
        )

    np.testing.assert_allclose(autodiff.jit(lambda x: high_and_low(stats, x))(u), high_and_low(scipy.stats, u))
    slope = autodiff.grad(lambda x: high_and_low(stats, x))(u)
    np.testing.assert_allclose(slope, slope_of(lambda x: high_and_low(scipy.stats, x), u), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["tmean", "tvar", "tstd", "tsem"])
def test_elements_beyond_limits_are_left_out(name):
    x = np.array([0.5, 3.0, 1.0, 7.5, 2.0, 2.5])
    trimmed, inside = getattr(stats, name), (x >= 1) & (x <= 3)
    ours = autodiff.grad(lambda x: trimmed(x, (1, 3)))(x)
    assert not ours[~inside].any()
    np.testing.assert_allclose(ours[inside], autodiff.grad(trimmed)(x[inside]), rtol=1e-12)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: stats.tmax(x, nan_policy="omit"),
        lambda x: stats.tmin(x, None, 0, True, "omit"),
        lambda x: stats.median_abs_deviation(x, nan_policy="raise"),
        lambda x: stats.zscore(x, 0, 0, "omit"),
    ],
)
def test_what_is_done_with_nan_is_not_chosen(program):
    with pytest.raises(DifferentiationError, match="of traced values has no nan_policy="):
        autodiff.vjp(program, np.array([1.0, np.nan, 3.0]))


@pytest.mark.parametrize(
    ("x", "alternative", "message"),
    [([1.0, 2.0, 3.0], "both", "got alternative='both'"), ([2.0, 2.0, 2.0], "less", "x values that are all the same")],
)
def test_lines_that_are_refused(x, alternative, message):
    with pytest.raises(ValueError, match=message):
        autodiff.grad(lambda y: stats.linregress(x, y, alternative).slope)(np.array([0.5, 0.1, 0.7]))


ENDS = {
    "alpha": (0.0, 3.5), "fatiguelife": (0.0, 29.0), "invgamma": (0.0, 4.0), "invgauss": (0.0, 0.14),
    "johnsonsb": (1.0, 4.0, 3.0), "levy": (0.0,), "levy_l": (0.0,), "gamma": (0.0, 1.0), "expon": (0.0,),
    "uniform": (1.0,), "beta": (0.0, 1.0, 2.0),
}  # fmt: skip
"""An end of the support, and shapes."""


@pytest.mark.parametrize("method", ["pdf", "logpdf"])
@pytest.mark.parametrize("name", ENDS)
def test_densities_at_the_ends_of_the_support(name, method):
    end, *shapes = ENDS[name]
    density = getattr(getattr(stats, name), method)
    x = np.array([end, end - 0.3, end + 0.3])
    np.testing.assert_allclose(autodiff.vjp(lambda x: density(x, *shapes), x)[0], density(x, *shapes), rtol=1e-9)
