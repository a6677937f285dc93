"""Programs of scipy.stats' means, moments, scores, transformations and tests of samples."""

import numpy as np

from autodiff.scipy import stats
from tests.scipy.programs.check import Program

some, wide, unit = np.array([0.4, 1.1, 2.3]), np.array([-1.3, 0.2, 0.9]), np.array([0.2, 0.5, 0.8])
samples, others = np.outer(some, unit) + np.outer(wide, unit**2) + 2, np.outer(unit, some) + np.eye(3)
rng = np.random.default_rng(5)
x, y = rng.uniform(0.5, 2, 12), rng.uniform(0.5, 2, 12)
table, p = rng.uniform(2, 9, (3, 2)), rng.uniform(0.05, 0.9, 5)


def both(name, *args, **options):
    """The statistic and the probability of a test."""
    return Program(lambda *args: tuple(getattr(stats, name)(*args, **options))[:2], args)


# fmt: off
SUMMARIES = {
    **{
        name: Program(getattr(stats, name), (samples,))
        for name in ["entropy", "gmean", "hmean", "kurtosis", "sem", "skew", "variation", "zscore", "gzscore", "iqr", "tmean", "tvar", "tstd", "tsem", "tmin", "tmax", "gstd", "circmean", "circvar", "circstd", "median_abs_deviation", "kstatvar"]
    },
    **{name: both(name, np.outer(x, unit) + y[:, None] ** 2) for name in ("skewtest", "kurtosistest", "normaltest", "jarque_bera")},
    **{name: both(name, x, y) for name in ("f_oneway", "bartlett", "levene", "median_test")},
    "alexandergovern": Program(lambda x, y: (lambda found: (found.statistic, found.pvalue))(stats.alexandergovern(x, y)), (x, y)),
    "linregress": Program(lambda x, y: tuple(stats.linregress(x, y)), (samples[:, 0], others[:, 1])),
    "moment": Program(lambda x: stats.moment(x, 3), (samples,)),
    "pearsonr": both("pearsonr", x, y),
    "pointbiserialr": Program(lambda x: tuple(stats.pointbiserialr([0, 1] * 6, x)), (x,)),
    "pmean": Program(stats.pmean, (samples, 1.7)),
    "ttest_1samp": both("ttest_1samp", samples, 1.5),
    "ttest_ind": both("ttest_ind", samples, others, equal_var=False),
    "ttest_rel": both("ttest_rel", samples, others),
    "ttest_ind_from_stats": Program(lambda a, b, c, d: tuple(stats.ttest_ind_from_stats(a, b, 7, c, d, 8)), (1.3, 0.5, 1.7, 0.6)),
    "zmap": Program(stats.zmap, (samples, others)),
    "describe": Program(lambda x: tuple(stats.describe(x))[1:], (samples,)),
    "differential_entropy": Program(stats.differential_entropy, (x,)),
    "directional_stats": Program(lambda x: stats.directional_stats(x).mean_direction, (samples,)),
    "trim_mean": Program(lambda x: stats.trim_mean(x, 0.2), (x,)),
    "trim1": Program(lambda x: stats.trim1(x, 0.2), (x,)),
    "trimboth": Program(lambda x: stats.trimboth(x, 0.2), (x,)),
    "sigmaclip": Program(lambda x: stats.sigmaclip(x, 1.5, 1.5), (x,)),
    "kstat": Program(lambda x: stats.kstat(x, 3), (x,)),
    "lmoment": Program(stats.lmoment, (x,)),
    "quantile": Program(lambda x, p: stats.quantile(x, p), (x, np.array([0.23, 0.61]))),
    "scoreatpercentile": Program(lambda x: stats.scoreatpercentile(x, 30.0), (x,)),
    "expectile": Program(stats.expectile, (x, 0.3)),
    "wasserstein_distance": Program(lambda x, y: stats.wasserstein_distance(x, y, x**2, y), (x, y[:9])),
    "energy_distance": Program(stats.energy_distance, (x, y[:9])),
    "tukey_hsd": Program(lambda x, y: stats.tukey_hsd(x, y).statistic, (x, y)),
    "chisquare": both("chisquare", samples),
    "power_divergence": Program(lambda x: tuple(stats.power_divergence(x, lambda_=0.6)), (samples,)),
    "chi2_contingency": Program(lambda t: (lambda found: (found.statistic, found.pvalue, found.expected_freq))(stats.chi2_contingency(t)), (table,)),
    "combine_pvalues": both("combine_pvalues", p),
    "false_discovery_control": Program(stats.false_discovery_control, (p,)),
    "ks_1samp": Program(lambda x: tuple(stats.ks_1samp(x, stats.norm.cdf)), (x,)),
    "kstest": Program(lambda x: tuple(stats.kstest(x, "norm", (1.0, 0.7))), (x,)),
    "theilslopes": Program(lambda x, y: tuple(stats.theilslopes(x, y)), (x, y), 1e-5, 1e-5),
    "obrientransform": Program(lambda x, y: stats.obrientransform(x, y), (x, y)),
    "boxcox": Program(stats.boxcox, (x, 0.4)),
    "boxcox_llf": Program(stats.boxcox_llf, (0.4, x)),
    "boxcox_normmax": Program(lambda x: stats.boxcox_normmax(x, method="mle"), (x,), 1e-3),
    "yeojohnson": Program(stats.yeojohnson, (x - 1, 0.4)),
    "yeojohnson_llf": Program(stats.yeojohnson_llf, (0.4, x - 1)),
    "yeojohnson_normmax": Program(stats.yeojohnson_normmax, (x - 1,), 1e-2),
}
