"""Programs of SciPy's functions whose own Python runs on traced values: filters by poles, windows, patterns, units."""

import numpy as np

from autodiff.scipy import constants, fftpack, linalg, ndimage, optimize, signal, spatial
from autodiff.scipy.signal import windows
from autodiff.scipy.sparse import csgraph
from autodiff.scipy.stats import contingency, qmc
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
    "butter": Program(lambda cut: signal.butter(3, cut, "band"), (np.array([0.2, 0.4]),), 1e-4),
    "cheby1": Program(lambda ripple, cut: signal.cheby1(4, ripple, cut), (1.0, 0.3)),
    "cheby2": Program(lambda ripple, cut: signal.cheby2(3, ripple, cut, "high"), (20.0, 0.3)),
    "ellip": Program(lambda cut: signal.ellip(3, 1.0, 20.0, cut), (0.3,)),
    "bessel": Program(lambda cut: signal.bessel(3, cut), (0.3,)),
    "iirfilter": Program(lambda cut: signal.iirfilter(3, cut, btype="low", fs=10.0), (2.0,)),
    "iirnotch": Program(signal.iirnotch, (60.0, 30.0, 200.0)),
    "iirpeak": Program(signal.iirpeak, (0.3, 30.0)),
    "iircomb": Program(lambda quality: signal.iircomb(20.0, quality, fs=200.0), (30.0,)),
    "firwin2": Program(lambda gain: signal.firwin2(15, [0.0, 0.5, 1.0], gain), (np.array([1.0, 0.5, 0.0]),)),
    "chirp": Program(lambda t, f0, t1, f1: signal.chirp(t, f0, t1, f1, "hyperbolic"), (unit, 0.5, 2.0, 1.2)),
    "square": Program(lambda t: signal.square(t) * t, (unit,)),
    "gauss_spline": Program(lambda x: signal.gauss_spline(x, 3), (some,)),
    "freqs": Program(lambda b, w: signal.freqs(b, [1.0, 2.0, 3.0], w)[1], (some, unit)),
    "freqz_sos": Program(lambda b: signal.freqz_sos(np.concatenate([b, np.array([[1.0, 0.3, 0.1]])], 1), 5)[1], (some[None],)),
    "group_delay": Program(lambda b: signal.group_delay((b, [1.0, 0.3]), 5)[1], (some,)),
    "tf2zpk": Program(lambda b: signal.tf2zpk(b, [1.0, 3.0, 1.4]), (wide,)),
    "tf2sos": Program(lambda b: signal.tf2sos(b, [1.0, 0.3, 0.1]), (some,)),
    "zpk2sos": Program(lambda z, p, k: signal.zpk2sos(z, p, k), (some[:2], unit[:2], 2.0)),
    "sos2tf": Program(lambda b: signal.sos2tf(np.concatenate([b, np.array([[1.0, 0.3, 0.1]])], 1)), (some[None],)),
    "tf2ss": Program(lambda b: signal.tf2ss(b, [1.0, 0.3, 0.1]), (some,)),
    "zpk2ss": Program(lambda k: signal.zpk2ss([0.1], [0.3, 0.1], k), (2.0,)),
    "ss2tf": Program(lambda a: signal.ss2tf(a, some[:, None], wide[None], np.zeros((1, 1))), (square,)),
    "ss2zpk": Program(lambda a: signal.ss2zpk(a, some[:, None], wide[None], np.zeros((1, 1)))[1], (square + np.diag(some),)),
    "normalize": Program(lambda b, a: signal.normalize(b, a), (some, unit)),
    "hilbert2": Program(lambda x: signal.hilbert2(x), (image,)),
    "envelope": Program(lambda x: signal.envelope(x), (np.sin(many),)),
    "lsim": Program(lambda u: signal.lsim(([1.0], [1.0, 2.0]), u, np.arange(4.0))[1], (unit,)),
    "dlsim": Program(lambda u: signal.dlsim(([1.0], [1.0, 0.2], 1.0), u)[1], (unit,)),
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
    "rosen_hess": Program(optimize.rosen_hess, (unit,)),
    "rosen_hess_prod": Program(optimize.rosen_hess_prod, (unit, unit**2)),
}
QMC = {
    "scale": Program(lambda x, low, high: (qmc.scale(x, low, high), qmc.scale(-x, -high, -low, reverse=True)), (np.array([[0.2, 0.4], [0.7, 0.1]]), -np.ones(2), np.array([1.5, 0.9]))),
}
CSGRAPH = {
    "laplacian": Program(lambda graph: (csgraph.laplacian(graph), csgraph.laplacian(graph, normed=True, symmetrized=True)), (square**2,)),
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
       for name in ["fft", "ifft", "fftn", "ifftn", "fftshift", "ifftshift", "dct", "idct", "dst", "idst", "dctn", "dstn", "idctn", "idstn", "rfft", "irfft", "diff", "hilbert", "ihilbert"]},
    **{name: Program(getattr(fftpack, name), (image,)) for name in ("fft2", "ifft2")},
    **{name: Program(lambda x, name=name: getattr(fftpack, name)(x, 0.7), (unit,)) for name in ("tilbert", "itilbert", "shift")},
    **{name: Program(lambda x, name=name: getattr(fftpack, name)(x, 0.7, 0.9), (unit,)) for name in ("cs_diff", "sc_diff", "ss_diff", "cc_diff")},
}
