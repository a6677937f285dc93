"""Programs of SciPy's functions whose own Python runs on traced values: filters by poles, windows, patterns, units."""

import numpy as np

from autodiff.scipy import constants, fftpack, linalg, ndimage, optimize, signal, spatial
from autodiff.scipy.signal import windows
from autodiff.scipy.stats import contingency
from tests.scipy.programs.check import Program

some, wide = np.array([0.4, 1.1, 2.3]), np.array([-1.3, 0.2, 0.9])
unit, many = np.array([0.2, 0.5, 0.8, 1.3]), np.arange(1.0, 9.0) ** 0.7
square = np.outer(some, wide) + 2 * np.eye(3)
image, labels = np.outer(unit, some) + 1, np.array([[0, 1, 1], [2, 2, 0], [1, 1, 2], [0, 0, 1]])
table = np.array([[4.2, 2.5], [3.1, 7.7], [5.0, 2.2]])

# fmt: off
SIGNAL = {
    "sawtooth": Program(signal.sawtooth, (unit, 0.4), 1e-5, 1e-4),
    "gausspulse": Program(lambda t: signal.gausspulse(t / 1000), (unit,)),
    "sweep_poly": Program(signal.sweep_poly, (unit, some)),
    "freqz_zpk": Program(lambda z, p, k: signal.freqz_zpk(z, p + 1j, k, 16)[1], (some, wide, 2.0)),
    "freqs_zpk": Program(lambda z, p, k, w: signal.freqs_zpk(z, p, k, w)[1], (some, wide, 2.0, unit)),
    **{name: Program(lambda z, p, k, name=name: getattr(signal, name)(z, p, k, 1.4), (some, unit, 2.0)) for name in ("lp2lp_zpk", "lp2hp_zpk", "bilinear_zpk")},
    **{name: Program(lambda z, p, k, name=name: getattr(signal, name)(z, p, k, 1.4, 0.7), (some, unit, 2.0)) for name in ("lp2bp_zpk", "lp2bs_zpk")},
    **{name: Program(lambda b, a, name=name: getattr(signal, name)(b, a, 1.4), (some, unit)) for name in ("lp2lp", "lp2hp")},
    **{name: Program(lambda b, a, name=name: getattr(signal, name)(b, a, 1.4, 0.7), (some, unit)) for name in ("lp2bp", "lp2bs")},
    "zpk2tf": Program(signal.zpk2tf, (some, unit, 2.0)),
    "residue": Program(lambda b: signal.residue(b, [1.0, 3.0, 1.4]), (some[:2],)),
    "residuez": Program(lambda b: signal.residuez(b, [1.0, 3.0, 1.4]), (some[:2],)),
    "invres": Program(signal.invres, (some, wide, unit[:1])),
    "invresz": Program(signal.invresz, (some, wide, unit[:1])),
    "vectorstrength": Program(signal.vectorstrength, (unit, 1.5)),
    "kaiser_atten": Program(lambda width: signal.kaiser_atten(7, width), (0.2,)),
    "kaiser_beta": Program(signal.kaiser_beta, (45.0,)),
    "czt_points": Program(lambda r: signal.czt_points(5, 0.9, r), (1.3,)),
    "firwin": Program(lambda cut: signal.firwin(7, cut), (np.array([0.3, 0.6]),)),
    "lombscargle": Program(lambda x, y, w: signal.lombscargle(x, y, w), (many, np.sin(many), some)),
}
WINDOWS = {
    "gaussian": Program(lambda s: windows.gaussian(7, s), (1.4,)),
    "general_gaussian": Program(lambda p, s: windows.general_gaussian(7, p, s), (1.5, 2.0)),
    "exponential": Program(lambda tau: windows.exponential(7, None, tau), (2.0,)),
    "general_cosine": Program(lambda a: windows.general_cosine(7, a), (some,)),
    "general_hamming": Program(lambda a: windows.general_hamming(7, a), (0.6,)),
    "kaiser": Program(lambda beta: windows.kaiser(7, beta), (1.4,)),
}
LINALG = {
    "diagsvd": Program(lambda s: linalg.diagsvd(s, 3, 4), (some,)),
    "fiedler": Program(linalg.fiedler, (some,)),
    "fiedler_companion": Program(linalg.fiedler_companion, (unit,)),
    "leslie": Program(linalg.leslie, (some, unit[:2])),
}
OPTIMIZE = {
    "rosen": Program(optimize.rosen, (unit,)),
    "rosen_der": Program(optimize.rosen_der, (unit,)),
    "rosen_hess_prod": Program(optimize.rosen_hess_prod, (unit, unit**2)),
}
SPATIAL = {
    "minkowski_distance": Program(lambda x, y: spatial.minkowski_distance(x, y, 3), (some, wide)),
    "minkowski_distance_p": Program(lambda x, y: spatial.minkowski_distance_p(x, y, 3), (some, wide)),
    "procrustes": Program(spatial.procrustes, (square, square.T @ square)),
}
NDIMAGE = {
    **{name: Program(lambda x, name=name: getattr(ndimage, name)(x, labels, [1, 2]), (image,))
       for name in ("mean", "sum", "sum_labels", "variance", "standard_deviation", "maximum", "minimum")},
}
CONSTANTS = {
    "convert_temperature": Program(lambda t: constants.convert_temperature(t, "Celsius", "Fahrenheit"), (some,)),
    "lambda2nu": Program(lambda x: constants.lambda2nu(x) / constants.c, (some,)),
    "nu2lambda": Program(lambda x: constants.nu2lambda(x) / constants.c, (some,)),
}
CONTINGENCY = {
    "chi2_contingency": Program(lambda t: contingency.chi2_contingency(t).statistic, (table,)),
    "expected_freq": Program(contingency.expected_freq, (table,)),
    "margins": Program(contingency.margins, (table,)),
}
FFTPACK = {
    **{name: Program(getattr(fftpack, name), (unit,))
       for name in ["fft", "ifft", "fftn", "ifftn", "fftshift", "ifftshift", "dct", "idct", "dst", "idst", "dctn", "dstn", "rfft", "irfft", "diff", "hilbert", "ihilbert"]},
    **{name: Program(getattr(fftpack, name), (image,)) for name in ("fft2", "ifft2")},
    **{name: Program(lambda x, name=name: getattr(fftpack, name)(x, 0.7), (unit,)) for name in ("tilbert", "itilbert", "shift")},
    **{name: Program(lambda x, name=name: getattr(fftpack, name)(x, 0.7, 0.9), (unit,)) for name in ("cs_diff", "sc_diff", "ss_diff", "cc_diff")},
}
