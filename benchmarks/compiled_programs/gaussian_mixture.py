"""The log-likelihood of a Gaussian mixture with a Wishart prior, parametrised as in ADBench."""

from __future__ import annotations

from functools import partial
from math import log, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

GAMMA, EXCESS = 1.0, 0  # of the Wishart prior


class GaussianMixture(Program):
    """Value and gradient with respect to weights, means and inverse covariance factors."""

    name = "Gaussian mixture"
    title = "log-likelihood of a Gaussian mixture of 25 components, 1000 points, value and gradient, float64"
    dtype = "float64"
    tolerance = 1e-9
    # fmt: off
    rows = (
        Row("d10 K25",  (1_000, 10, 25),  0.5, "jax",   "0.55 ms", "0.12 ms floor"),
        Row("d64 K25",  (1_000, 64, 25),  0.5, "torch", "15 ms",   "4 ms floor"),
        Row("d128 K25", (1_000, 128, 25), 0.5, "jax",   "53 ms",   "16 ms floor"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        points, dimensions, components = row.parameters
        factors = dimensions * (dimensions + 1) // 2
        parameters = (
            standard_normal(random, self.dtype, components),
            standard_normal(random, self.dtype, components, dimensions),
            standard_normal(random, self.dtype, components, factors, scale=dimensions**-0.5),
        )
        return parameters, standard_normal(random, self.dtype, points, dimensions)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        special = autodiff.scipy.special
        return autodiff.value_and_grad(written_for(np, special.logsumexp, special.gammaln))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        special = jax.scipy.special
        return jax.value_and_grad(written_for(jax.numpy, special.logsumexp, special.gammaln))  # type: ignore[no-any-return]

    def autograd(self, autograd: Any, row: Row) -> Function:
        special = autograd.scipy.special
        return autograd.value_and_grad(written_for(autograd.numpy, special.logsumexp, special.gammaln))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        (weights, means, factors), points = inputs
        parameters = [array.requires_grad_() for array in (weights, means, factors)]
        loss = compiled(written_for(torch, torch.logsumexp, torch.lgamma, partial(torch.tensor, dtype=points.dtype)))

        def step() -> Any:
            value = loss(parameters, points)
            return value, torch.autograd.grad(value, parameters)

        return step


def written_for(np: Any, logsumexp: Function, gammaln: Function, number: Function = float) -> Function:
    """The negative of what is maximised, over one library's names."""

    def wishart(squared: Any, logarithms: Any, dimensions: int) -> Any:
        freedom = dimensions + EXCESS + 1
        gammas = sum(gammaln(number(0.5 * (freedom - i))) for i in range(dimensions))
        normaliser = (
            freedom * dimensions * (log(GAMMA) - 0.5 * log(2)) - gammas - 0.25 * dimensions * (dimensions - 1) * log(pi)
        )
        return np.sum(0.5 * GAMMA**2 * squared - EXCESS * logarithms) - len(squared) * normaliser

    def loss(parameters: Any, points: Any) -> Any:
        weights, means, factors = parameters
        count, dimensions = points.shape
        lower, places = below_diagonal(dimensions)
        diagonal = np.exp(factors[:, :dimensions])
        logarithms = np.sum(factors[:, :dimensions], 1)
        roots = factors[:, places] * lower + diagonal[:, :, None] * np.eye(dimensions)
        centred = points[:, None, :] - means
        whitened = np.einsum("kij,nkj->nki", roots, centred)
        likelihoods = logsumexp(weights + logarithms - 0.5 * np.sum(whitened**2, 2), 1)
        squared = np.sum(diagonal**2, 1) + np.sum(factors[:, dimensions:] ** 2, 1)
        constant = -count * dimensions * 0.5 * log(2 * pi)
        likelihood = constant + np.sum(likelihoods) - count * logsumexp(weights, 0)
        return wishart(squared, logarithms, dimensions) - likelihood

    def below_diagonal(dimensions: int) -> tuple[Any, Any]:
        rows = np.arange(dimensions)
        lower = rows[:, None] > rows
        places = dimensions + rows[:, None] * (rows[:, None] - 1) // 2 + rows
        return lower, np.where(lower, places, 0)

    return loss
