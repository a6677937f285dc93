"""A Kalman filter that is tuned.

A thing moves with a speed that drifts; its place is measured with noise. How much drift, how much noise? The filter
gives the likelihood of the data for any answer, as a loop, and the gradient through that loop finds the best one.
"""

import numpy as np

from autodiff import hessian, jit, scan, value_and_grad

MOVE = np.array([[1.0, 0.1], [0.0, 1.0]])
DRIFT = np.array([[0.1**3 / 3, 0.1**2 / 2], [0.1**2 / 2, 0.1]])


def filtered(log, data):
    """The states that the filter finds, their variances, and the log likelihood; `log` is that of drift and noise."""
    drift, noise = np.exp(2 * log[0]) * DRIFT, np.exp(2 * log[1])

    def step(carry, seen):
        mean, covariance = carry
        mean, covariance = MOVE @ mean, MOVE @ covariance @ MOVE.T + drift
        spread = covariance[0, 0] + noise
        surprise = seen - mean[0]
        gain = covariance[:, 0] / spread
        mean = mean + gain * surprise
        covariance = covariance - gain[:, None] * covariance[0]
        likelihood = -0.5 * (surprise**2 / spread + np.log(2 * np.pi * spread))
        return (mean, covariance), (mean, covariance[0, 0], likelihood)

    _, (means, variances, likelihoods) = scan(step, (np.zeros(2), 10.0 * np.eye(2)), data)
    return means, variances, np.sum(likelihoods)


def cost(log, data):
    return -filtered(log, data)[2] / len(data)


def simulated(generator, count, drift, noise):
    """Places and what was measured of them."""
    state, states = np.zeros(2), []
    for _ in range(count):
        state = MOVE @ state + generator.multivariate_normal(np.zeros(2), drift**2 * DRIFT)
        states.append(state)
    states = np.array(states)
    return states, states[:, 0] + generator.normal(0, noise, count)


def main(count=300, steps=20):
    states, data = simulated(np.random.default_rng(5), count, 0.5, 0.4)
    downhill, curvature = jit(value_and_grad(cost)), jit(hessian(cost))
    log, costs = np.array([-1.0, 1.0]), []
    for _ in range(steps):  # Newton's method, uphill nowhere
        value, gradient = downhill(log, data)
        size, axes = np.linalg.eigh(curvature(log, data))
        log = log - np.clip(axes @ ((axes.T @ gradient) / np.maximum(np.abs(size), 1e-3)), -0.5, 0.5)
        costs.append(value)
    path = filtered(log, data)[:2]
    return {"states": states, "data": data, "path": path, "found": np.exp(log), "costs": costs}


def draw(figure, found):
    axes, time = figure.subplots(), 0.1 * np.arange(len(found["data"]))
    (means, variances), states = found["path"], found["states"]
    spread = 2 * np.sqrt(variances)
    axes.plot(time, found["data"], ".", color="0.6", markersize=3, label="measured")
    axes.plot(time, states[:, 0], "k:", label="truth")
    axes.plot(time, means[:, 0], label="filtered")
    axes.fill_between(time, means[:, 0] - spread, means[:, 0] + spread, alpha=0.3)
    axes.legend(fontsize="small")
    axes.set(xlabel="time", title="drift {:.2f} (truth 0.50), noise {:.2f} (truth 0.40)".format(*found["found"]))


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
