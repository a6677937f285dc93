"""A survival model.

Patients leave a study when they have an event, or for other reasons. How do age, dose and blood pressure change the
risk? The partial likelihood of Cox knows; Newton's method with its Hessian finds its peak, and the inverse of the same
Hessian says how sure that is.
"""

import numpy as np

from autodiff import grad, hessian, jit


def log_likelihood(effects, covariates, event):
    """Cox's partial likelihood of patients in the order of their times, the last one first."""
    risk = covariates @ effects
    at_risk = np.log(np.cumsum(np.exp(risk)))  # of those who are still there
    return np.sum(np.where(event, risk - at_risk, 0.0))


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
    effects, sizes = np.zeros(covariates.shape[1]), []
    for _ in range(steps):
        change = np.linalg.solve(curvature(effects), slope(effects))
        effects = effects - change
        sizes.append(np.linalg.norm(change))
    return effects, np.sqrt(np.diag(np.linalg.inv(-curvature(effects)))), sizes


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


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    places = np.arange(3)
    left.errorbar(places, found["effects"], 1.96 * found["errors"], fmt="o", capsize=4, label="found")
    left.plot(places, found["truth"], "kx", label="truth")
    left.axhline(0, color="k", linewidth=0.5)
    left.set(xticks=places, xticklabels=["age", "dose", "pressure"], ylabel="effect on the log risk")
    left.legend(fontsize="small")
    time, share = found["curve"]
    for number, name in ((-1.0, "a younger patient"), (0.0, "the average"), (1.0, "an older patient")):
        right.step(time, share ** np.exp(number * found["effects"][0]), label=name)
    right.legend(fontsize="small")
    right.set(xlabel="time", ylabel="share without an event", xlim=(0, 3))


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
