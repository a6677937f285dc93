"""scipy.stats: means, moments, scores and tests of samples; scipy.cluster.vq; what is refused by name."""

import numpy as np
import pytest

import autodiff
from autodiff.scipy import stats
from autodiff.scipy.cluster import vq
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError

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
    "interval":      (lambda m, s: stats.norm(m, s).interval(0.9), (0.3, 1.2)),
    "whiten":        (vq.whiten, (x,)),
    "vq":            (lambda x, c: vq.vq(x, c)[1], (x, y[:3])),
}
# fmt: on


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
    (lambda x: stats.ttest_1samp(x, 0.0, alternative="less")[0], "ttest_1samp of traced values has no alternative='less'"),
    (lambda x: stats.pearsonr(x, y)[0], "pearsonr of traced values takes vectors"),
    (lambda x: stats.norm.rvs(loc=x), "scipy.stats.norm.rvs cannot be called with a traced value"),
    (lambda x: stats.norm(x).expect(), r"scipy.stats.norm\(...\).expect cannot be called with a traced value"),
    (lambda x: stats.mode(x), "scipy.stats.mode cannot be called with a traced value"),
])  # fmt: skip
def test_what_has_no_derivative_says_so(fun, words):
    with pytest.raises(DifferentiationError, match=rf"^{words} \(test_summaries.py:\d+\)"):
        autodiff.vjp(fun, x)
