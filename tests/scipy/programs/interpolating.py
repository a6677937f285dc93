"""Programs of scipy.interpolate."""

import numpy as np
import scipy.interpolate as si

from autodiff.scipy import interpolate
from tests.scipy.programs.check import Program

rng = np.random.default_rng(2)
x = np.sort(rng.uniform(0, 4, 7)) + np.arange(7.0)
z, at = rng.normal(size=7), np.array([1.5, 4.7, 7.2])
t = np.array([0.0, 0, 0, 0, 1, 2, 2.5, 4, 4, 4, 4])
grid = np.arange(5.0), np.array([0.0, 0.5, 2.0, 3.0])
values, places = rng.normal(size=(5, 4)), np.array([[1.3, 0.2], [3.6, 2.7], [0.4, 1.1]])
rising = np.cumsum(rng.uniform(0.2, 1, 7))
fitted = si.splrep(x, z, s=0.3)

# fmt: off
INTERPOLATE = {
    "CubicSpline": Program(lambda x, z, at: interpolate.CubicSpline(x, z)(at), (x, z, at)),
    "CubicHermiteSpline": Program(lambda x, z, s, at: interpolate.CubicHermiteSpline(x, z, s)(at), (x, z, rising, at)),
    "Akima1DInterpolator": Program(lambda x, z, at: interpolate.Akima1DInterpolator(x, z)(at), (x, z, at)),
    "PchipInterpolator": Program(lambda x, z, at: interpolate.PchipInterpolator(x, z)(at), (x, rising, at)),
    "pchip_interpolate": Program(lambda x, z, at: interpolate.pchip_interpolate(x, z, at), (x, rising, at)),
    "PPoly": Program(lambda c, at: interpolate.PPoly(c, x)(at, 1), (rng.normal(size=(4, 6)), at)),
    "BSpline": Program(lambda c, at: interpolate.BSpline(t, c, 3)(at), (z, at / 2)),
    "make_interp_spline": Program(lambda z, at: interpolate.make_interp_spline(x, z, 5)(at), (z, at)),
    "interp1d": Program(lambda z, at: interpolate.interp1d(x, z, kind="cubic")(at), (z, at)),
    "RegularGridInterpolator": Program(lambda v, p: interpolate.RegularGridInterpolator(grid, v)(p), (values, places)),
    "interpn": Program(lambda v, p: interpolate.interpn(grid, v, p, method="cubic"), (np.tile(values, (1, 1)), places)),
    "UnivariateSpline": Program(lambda at: interpolate.UnivariateSpline(x, z, s=0.5)(at), (at,)),
    "InterpolatedUnivariateSpline": Program(lambda a, b: interpolate.InterpolatedUnivariateSpline(x, z).integral(a, b), (1.5, 7.0)),
    "LSQUnivariateSpline": Program(lambda at: interpolate.LSQUnivariateSpline(x, z, [3.0, 5.0]).derivative()(at), (at,)),
    "splev": Program(lambda at: interpolate.splev(at, fitted, der=1), (at,)),
    "splint": Program(lambda a, b: interpolate.splint(a, b, fitted), (1.5, 7.0)),
}
