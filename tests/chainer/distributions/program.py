"""What is computed of every distribution; the numbers in ``recorded.json`` are those that Chainer 7.8.1 computed.

The program is written against Chainer's interface: ``D`` is the module ``distributions``, ``V`` the class ``Variable``.
"""

from __future__ import annotations

import numpy as np

A = np.array([[0.3, 0.6, 0.2], [0.5, 0.1, 0.8]])
B = np.array([1.5, 2.0, 0.7])
P = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
L = np.array([[[1.0, 0.0], [0.5, 2.0]], [[2.0, 0.0], [0.5, 3.0]]])

CASES = {
    # name: (class, parameters, others of the same class, events)
    "Normal": ("Normal", {"loc": A, "scale": B + 0 * A}, {"loc": B + 0 * A, "scale": A}, A + 0.5),
    "Normal of log_scale": ("Normal", {"loc": A, "log_scale": B + 0 * A}, {"loc": B + 0 * A, "scale": A}, A + 0.5),
    "Bernoulli": ("Bernoulli", {"p": A}, {"p": A[::-1]}, np.array([[0.0, 1, 1], [1, 0, 0]])),
    "Bernoulli of logit": ("Bernoulli", {"logit": A}, {"logit": A[::-1] - 1}, np.array([[0.0, 1, 1], [1, 0, 0]])),
    "Beta": ("Beta", {"a": A, "b": B + 0 * A}, {"a": B + 0 * A, "b": A}, P),
    "Categorical": ("Categorical", {"p": P}, {"p": P[::-1]}, np.array([[0, 1], [2, 2], [1, 0]])),
    "Categorical of logit": ("Categorical", {"logit": A}, {"p": P[::-1]}, np.array([[0, 1], [2, 2], [1, 0]])),
    "Cauchy": ("Cauchy", {"loc": A, "scale": B + 0 * A}, None, A + 0.5),
    "Chisquare": ("Chisquare", {"k": B}, None, A),
    "Dirichlet": ("Dirichlet", {"alpha": A + 1}, {"alpha": P}, P),
    "Exponential": ("Exponential", {"lam": B}, {"lam": B[::-1]}, B - 0.1),
    "Gamma": ("Gamma", {"k": A, "theta": B + 0 * A}, {"k": P, "theta": A}, P),
    "Geometric": ("Geometric", {"p": A}, {"p": P}, np.array([1.0, 2.0, 5.0])),
    "Gumbel": ("Gumbel", {"loc": A, "scale": B + 0 * A}, {"loc": P, "scale": A}, P),
    "Laplace": ("Laplace", {"loc": A, "scale": B + 0 * A}, {"loc": P, "scale": A}, P),
    "LogNormal": ("LogNormal", {"mu": A, "sigma": B + 0 * A}, {"mu": P, "sigma": A}, P),
    "MultivariateNormal": (
        "MultivariateNormal", {"loc": A[:, :2], "scale_tril": L}, {"loc": P[:, :2], "scale_tril": L[::-1]}, P[:, 1:],
    ),
    "OneHotCategorical": ("OneHotCategorical", {"p": P}, {"p": P[::-1]}, np.eye(3)[[1, 2]]),
    "Pareto": ("Pareto", {"scale": A + 1, "alpha": B + 0 * A}, {"scale": A, "alpha": P}, A + 1.5),
    "Poisson": ("Poisson", {"lam": B}, {"lam": B[::-1]}, np.array([0.0, 2.0, 1.0])),
    "Uniform of ends": ("Uniform", {"low": A - 1, "high": B + 0 * A}, {"low": A - 2, "high": B + 1 + 0 * A}, P),
    "Uniform of width": ("Uniform", {"loc": A, "scale": B + 0 * A}, {"low": A - 2, "high": B + 1 + 0 * A}, P),
}  # fmt: skip
QUANTITIES = ["mean", "mode", "variance", "stddev", "entropy", "covariance"]
METHODS = ["log_prob", "prob", "cdf", "icdf", "log_cdf", "survival_function", "log_survival_function"]


def numbers(compute, variables):
    """A value and the gradients of its elements' weighted sum by the variables; what was raised, if anything was."""
    try:
        y = compute()
    except NotImplementedError:
        return "NotImplementedError"
    for variable in variables:
        variable.cleargrad()
    y.grad = np.cos(np.arange(y.size)).reshape(y.shape).astype(y.dtype)
    y.backward()
    return [y.array.tolist(), *(None if v.grad is None else v.grad.tolist() for v in variables)]


def record(D, V, kl_divergence, name):
    """Everything about one case."""
    kind, given, others, x = CASES[name]
    dtype = (
        "float32" if kind == "MultivariateNormal" else "float64"
    )  # Chainer inverts triangles in single precision only
    params = {key: V(np.array(value, dtype)) for key, value in given.items()}
    variables = list(params.values())

    def make():
        return getattr(D, kind)(**params)

    dist = make()
    found = {"shapes": [list(dist.batch_shape), list(dist.event_shape)], "params": sorted(dist.params)}
    for quantity in QUANTITIES:
        found[quantity] = numbers(lambda quantity=quantity: getattr(make(), quantity), variables)
    for method in METHODS:
        values = np.array(P if method == "icdf" else x)
        argument = V(values.astype(dtype) if values.dtype.kind == "f" else values)
        found[method] = numbers(lambda method=method, x=argument: getattr(make(), method)(x), [*variables, argument])
    np.random.seed(0)  # noqa: NPY002 - Chainer draws from the global state
    found["sample"] = [numbers(lambda shape=shape: make().sample(shape), variables) for shape in ((), 2, (2, 1))]
    if others is not None:
        second = {key: V(np.array(value, dtype)) for key, value in others.items()}
        found["kl"] = numbers(lambda: kl_divergence(make(), getattr(D, kind)(**second)), [*variables, *second.values()])
    found["dtype"] = str(make().sample().dtype)
    return found
