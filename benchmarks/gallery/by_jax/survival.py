"""A survival model, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, hessian, jit


def log_likelihood(effects, covariates, event):
    """Cox's partial likelihood of patients in the order of their times, the last one first."""
    risk = covariates @ effects
    at_risk = jnp.log(jnp.cumsum(jnp.exp(risk)))  # of those who are still there
    return jnp.sum(jnp.where(event, risk - at_risk, 0.0))


def study(generator, patients, effects):
    """Times of leaving, whether by an event, and three numbers for each patient; the last one first."""
    covariates = generator.normal(size=(patients, len(effects)))
    event_time = generator.exponential(np.exp(-covariates @ effects))
    end_time = generator.exponential(2.0, patients)
    time = np.minimum(event_time, end_time)
    order = np.argsort(-time)
    return covariates[order], (event_time <= end_time)[order], time[order]


def fit(covariates, event, steps):
    """The most likely effects, and their standard errors."""
    slope = jit(grad(lambda e: log_likelihood(e, covariates, event)))
    curvature = jit(hessian(lambda e: log_likelihood(e, covariates, event)))
    effects, sizes = jnp.zeros(covariates.shape[1]), []
    for _ in range(steps):
        change = jnp.linalg.solve(curvature(effects), slope(effects))
        effects = effects - change
        sizes.append(jnp.linalg.norm(change))
    return effects, jnp.sqrt(jnp.diag(jnp.linalg.inv(-curvature(effects)))), sizes


def survival(effects, covariates, event, time):
    """The share of patients with covariates of zero without an event, at each time, by Breslow."""
    at_risk = np.cumsum(np.exp(covariates @ effects))
    hazard = np.where(event, 1 / at_risk, 0.0)
    return time[::-1], np.exp(-np.cumsum(hazard[::-1]))


def main(patients=400, steps=8):
    truth = np.array([0.8, -0.5, 0.0])
    covariates, event, time = study(np.random.default_rng(0), patients, truth)
    effects, errors, sizes = fit(covariates, event, steps)
    curve = survival(effects, covariates, event, time)
    return {"truth": truth, "effects": effects, "errors": errors, "sizes": sizes, "curve": curve}
