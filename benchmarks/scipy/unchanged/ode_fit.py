"""A fit of hares and lynxes: an initial value problem with steps of SciPy's own choice."""

import numpy as np
from scipy.integrate import solve_ivp

TIMES = np.linspace(0, 12, 40)
SEEN = np.stack([4 + 3 * np.sin(0.9 * TIMES), 2 + 1.5 * np.sin(0.9 * TIMES - 1.2)])


def hunted(t, y, birth, hunt, death, growth):
    hares, lynxes = y
    return [birth * hares - hunt * hares * lynxes, growth * hares * lynxes - death * lynxes]


def loss(p):
    found = solve_ivp(hunted, (0, 12), p[4:], t_eval=TIMES, args=tuple(p[:4]), rtol=1e-9, atol=1e-9)
    return np.mean((found.y - SEEN) ** 2)


def start():
    return np.array([1.1, 0.4, 0.4, 0.1, 4.0, 2.0])
