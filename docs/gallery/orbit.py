"""An orbit by shooting.

Which push at the start brings a probe from the Earth's orbit to that of Mars, at the place where Mars will be? The
path is integrated, the Jacobian of its end by the push comes from the integration itself, and Newton's method does the
rest in a few steps.
"""

import numpy as np

from autodiff import fori_loop, jacobian, jit


def motion(state):
    """The rate of change of place and speed around the Sun; the unit of time is a year over two pi."""
    place, speed = state[:2], state[2:]
    return np.concatenate([speed, -place / np.sum(place**2) ** 1.5])


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
        return fly(np.concatenate([start, speed]), duration, steps)[:2] - target

    miss_and_slope = jit(lambda speed: (miss(speed), jacobian(miss)(speed)))
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


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    turn = np.linspace(0, 2 * np.pi, 200)
    for radius, name in ((1.0, "Earth"), (1.524, "Mars")):
        left.plot(radius * np.cos(turn), radius * np.sin(turn), ":", label=name)
    left.plot(*found["path"][:, :2].T, "k", label="probe")
    left.plot(0, 0, "o", color="gold", markersize=10)
    left.plot(*found["target"], "rx")
    left.legend(fontsize="small", loc="lower left")
    left.set(aspect="equal")
    right.semilogy(np.maximum(found["misses"], 1e-17), "o-")
    right.set(xlabel="step of Newton's method", ylabel="distance from Mars")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
