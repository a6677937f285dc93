"""Programs of scipy.optimize, integrate and spatial."""

import numpy as np

from autodiff.scipy import integrate, optimize, spatial
from autodiff.scipy.cluster import vq
from autodiff.scipy.spatial import distance
from autodiff.scipy.spatial.transform import Rotation, Slerp
from tests.scipy.programs.check import Program

rng = np.random.default_rng(2)
p = np.array([1.2, 0.9])
start = np.ones(2)
A, c = rng.normal(size=(6, 2)), rng.normal(size=6)
t = np.linspace(0.0, 2.0, 9)
y = 1.5 * np.exp(-0.7 * t) + 0.05 * rng.normal(size=9)
samples = rng.normal(size=(2, 9))
u, w = rng.uniform(0.5, 2, 4), rng.uniform(0.5, 2, 4)
points, others = rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
VI = np.eye(4) + 0.1
bounds = [(-2.0, 2.0), (-2.0, 2.0)]


def system(x, p):
    return np.stack([x[0] ** 2 + p[0] * x[1] - 2.0, x[0] * x[1] ** 2 - p[1]])


def bowl(x, p):
    return (x[0] - p[0]) ** 2 + p[1] * (x[1] - x[0] ** 2) ** 2 + np.exp(0.1 * x[1])


def cube(x, p):
    return x**3 + p[0] * x - p[1]


def slope(t, y, p):
    return [y[1], -p[0] * np.sin(y[0]) - p[1] * y[1]]


def bracketing(name):
    return Program(lambda p: getattr(optimize, name)(cube, -3.0, 3.0, args=(p,), xtol=1e-14, rtol=1e-14), (p,))


def searching(name, **options):
    """A global search, whose own values are exact to its tolerance; that of ``minimize`` is exact."""
    find = getattr(optimize, name)
    return Program(lambda p: find(lambda x: bowl(x, p), **options).fun, (p,), 1e-4, 1e-2, 1e-4)


exact = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
fine = {"rtol": 1e-10, "atol": 1e-12}

# fmt: off
OPTIMIZE = {
    "linprog": Program(lambda c, a, b: optimize.linprog(c, a, b, bounds=(0, 9)).x, (np.array([-2.0, -1.5]), np.array([[1.0, 0.7], [0.4, 1.2]]), np.array([4.0, 3.0]))),
    **{name: bracketing(name) for name in ("bisect", "brenth", "brentq", "ridder", "toms748")},
    "basinhopping": searching("basinhopping", x0=start, niter=1, rng=0),
    "differential_evolution": searching("differential_evolution", bounds=bounds, rng=0, tol=1e-8),
    "direct": searching("direct", bounds=bounds, locally_biased=True, maxfun=20000, len_tol=1e-8, vol_tol=1e-20),
    "dual_annealing": searching("dual_annealing", bounds=bounds, rng=0, maxiter=100),
    "shgo": searching("shgo", bounds=bounds),
    "curve_fit": Program(lambda y: optimize.curve_fit(lambda x, a, r: a * np.exp(-r * x), t, y, [1.0, 1.0], **exact)[0], (y,), 1e-4),
    "fixed_point": Program(lambda p: optimize.fixed_point(lambda x: np.cos(x) * p[0] / 2, 0.5, xtol=1e-14), (p,)),
    "fsolve": Program(lambda p: optimize.fsolve(system, start, (p,), xtol=1e-14), (p,)),
    "least_squares": Program(lambda p: optimize.least_squares(lambda x: A @ np.stack([x[0], p[0] * x[0] * x[1]]) - c * p[1], start, **exact).x, (p,), 1e-3),
    "minimize": Program(lambda p: optimize.minimize(bowl, start, (p,), method="trust-exact", tol=1e-13).x, (p,)),
    "minimize_scalar": Program(lambda p: optimize.minimize_scalar(lambda x: (x - p[0]) ** 2 + p[1] * x**4).fun, (p,)),
    "newton": Program(lambda p: optimize.newton(lambda x: x**2 - p, start, tol=1e-14), (p,)),
    "nnls": Program(lambda a, c: optimize.nnls(a, c)[0], (A, A @ p + 0.1 * c)),
    "root": Program(lambda p: optimize.root(system, start, (p,), tol=1e-14).x, (p,)),
    "root_scalar": Program(lambda p: optimize.root_scalar(cube, (p,), bracket=(-3.0, 3.0), xtol=1e-14).root, (p,)),
}
INTEGRATE = {
    "cumulative_simpson": Program(lambda y: integrate.cumulative_simpson(y, x=t), (samples,)),
    "cumulative_trapezoid": Program(lambda y, t: integrate.cumulative_trapezoid(y, t, initial=0), (samples, t)),
    "dblquad": Program(lambda p: integrate.dblquad(lambda y, x: np.exp(-p[0] * x * y), 0.0, p[1], 0.0, lambda x: 1 + x)[0], (p,)),
    "fixed_quad": Program(lambda p: integrate.fixed_quad(lambda x: np.sin(p[0] * x), 0.0, p[1])[0], (p,)),
    "odeint": Program(lambda p: integrate.odeint(slope, [1.0, 0.0], t[:3], (p,), tfirst=True, rtol=1e-12, atol=1e-12), (p,), 1e-4),
    "quad": Program(lambda p: integrate.quad(lambda x: np.exp(-p[0] * x * x), 0.0, p[1])[0], (p,)),
    "romb": Program(lambda y: integrate.romb(y, 0.1), (samples,)),
    "simpson": Program(integrate.simpson, (samples, t + 0.1 * np.sin(5 * t))),
    "solve_ivp": Program(lambda p: integrate.solve_ivp(slope, (0.0, 1.0), [1.0, 0.0], "DOP853", args=(p,), **fine).y[:, -1], (p,), 1e-4),
    "tplquad": Program(lambda p: integrate.tplquad(lambda z, y, x: p[0] * x * y * z, 0.0, 1.0, 0.0, p[1], 0.0, 1.0)[0], (p,)),
    "trapezoid": Program(integrate.trapezoid, (samples, t)),
}
DISTANCE = {
    **{name: Program(getattr(distance, name), (u, w)) for name in
       ("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "minkowski", "sqeuclidean")},
    "jensenshannon": Program(distance.jensenshannon, (u, w), 1e-4, 1e-4),
    "cdist": Program(distance.cdist, (points, others)),
    "mahalanobis": Program(lambda u, w: distance.mahalanobis(u, w, VI), (u, w)),
    "pdist": Program(distance.pdist, (points,)),
    "seuclidean": Program(distance.seuclidean, (u, w, u + w)),
    "squareform": Program(lambda a: distance.squareform(distance.pdist(a)), (points,)),
}
SOME = Rotation.from_rotvec(points[:, :3])
CLUSTER = {
    "vq": Program(lambda x, y: vq.vq(x, y)[1], (points, others)),
    "whiten": Program(vq.whiten, (points,)),
}
SPATIAL = {"distance_matrix": Program(lambda x, y: spatial.distance_matrix(x, y, 3), (points, others))}
ROTATION = {
    "Rotation": Program(lambda v, x: (Rotation.from_rotvec(v) * SOME).apply(x), (others[0, :3], points[:, :3])),
    "Slerp": Program(lambda v, t: Slerp(np.arange(3.0), Rotation.from_rotvec(v))(t).as_matrix(), (points[:, :3], np.array([0.4, 1.3]))),
}
