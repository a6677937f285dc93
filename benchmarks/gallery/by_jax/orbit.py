"""An orbit by shooting, by JAX."""

from functools import partial

import jax.numpy as jnp
import numpy as np
from jax import jacfwd, jit
from jax.lax import fori_loop


def motion(state):
    """The rate of change of place and speed around the Sun; the unit of time is a year over two pi."""
    place, speed = state[:2], state[2:]
    return jnp.concatenate([speed, -place / jnp.sum(place**2) ** 1.5])


@partial(jit, static_argnums=(1, 2))  # otherwise each call would compile its loop anew
def fly(state, duration, steps):
    """The state after a time, by the method of Runge and Kutta."""
    h = duration / steps

    def step(_, s):
        k1 = motion(s)
        k2 = motion(s + 0.5 * h * k1)
        k3 = motion(s + 0.5 * h * k2)
        k4 = motion(s + h * k3)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return fori_loop(0, steps, step, state)


def main(steps=400, duration=4.4):
    start = np.array([1.0, 0.0])
    angle = np.deg2rad(150.0)
    target = 1.524 * np.array([np.cos(angle), np.sin(angle)])

    def miss(speed):
        return fly(jnp.concatenate([start, speed]), duration, steps)[:2] - target

    miss_and_slope = jit(lambda speed: (miss(speed), jacfwd(miss)(speed)))
    speed = np.array([0.0, 1.1])
    misses = []
    for _ in range(10):
        missed, slope = miss_and_slope(speed)
        misses.append(np.linalg.norm(missed))
        speed = speed - np.linalg.solve(slope, missed)
    path = [np.concatenate([start, speed])]
    for _ in range(100):
        path.append(fly(path[-1], duration / 100, 10))
    return {"path": np.array(path), "misses": misses, "target": target, "speed": speed}
