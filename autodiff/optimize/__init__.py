"""Optimizers for pure functions: transformations of gradients, with their state as a tree.

An optimizer is a pair of functions, ``init(params)`` and ``update(gradients, state, params)``. They change nothing in
place, so that they run under ``jit`` and in ``scan``. Names and signatures are those of optax.

>>> import numpy as np
>>> import autodiff
>>> from autodiff import optimize
>>> def loss(params, x, y):
...     return np.mean((params["w"] * x + params["b"] - y) ** 2)
>>> optimizer = optimize.chain(optimize.clip_by_global_norm(1.0), optimize.adam(0.1))
>>> params = {"w": 0.0, "b": 0.0}
>>> state = optimizer.init(params)
>>> @autodiff.jit
... def step(params, state, x, y):
...     gradients = autodiff.grad(loss)(params, x, y)
...     updates, state = optimizer.update(gradients, state, params)
...     return optimize.apply_updates(params, updates), state
>>> x = np.linspace(-1.0, 1.0, 50)
>>> for _ in range(300):
...     params, state = step(params, state, x, 3 * x + 1)
>>> {name: round(float(value), 3) for name, value in params.items()}
{'b': 1.0, 'w': 3.0}
"""

from autodiff.optimize.accumulation import MultiSteps, MultiStepsState
from autodiff.optimize.adafactor import adafactor, scale_by_factored_rms, scale_by_param_block_rms
from autodiff.optimize.adam import adam, adamw, amsgrad, scale_by_adam, scale_by_amsgrad
from autodiff.optimize.adaptive import (
    adadelta,
    adagrad,
    rmsprop,
    scale_by_adadelta,
    scale_by_rms,
    scale_by_rss,
    scale_by_stddev,
)
from autodiff.optimize.averaging import ema, incremental_update
from autodiff.optimize.clipping import clip, clip_by_block_rms, clip_by_global_norm, clip_by_norm
from autodiff.optimize.decay import add_decayed_weights, masked
from autodiff.optimize.fitting import Fit, fit
from autodiff.optimize.groups import multi_transform, set_to_zero
from autodiff.optimize.hyperparameters import inject_hyperparams
from autodiff.optimize.lbfgs import lbfgs, scale_by_lbfgs
from autodiff.optimize.least_squares import gauss_newton, levenberg_marquardt
from autodiff.optimize.line_search import scale_by_backtracking_linesearch, scale_by_zoom_linesearch
from autodiff.optimize.lion import lion, scale_by_lion
from autodiff.optimize.losses import (
    huber_loss,
    l2_loss,
    sigmoid_binary_cross_entropy,
    softmax_cross_entropy,
    softmax_cross_entropy_with_integer_labels,
    squared_error,
)
from autodiff.optimize.momentum import sgd, trace
from autodiff.optimize.muon import muon, scale_by_muon
from autodiff.optimize.numbers import global_norm
from autodiff.optimize.scaling import scale, scale_by_learning_rate, scale_by_schedule
from autodiff.optimize.schedules import (
    Schedule,
    constant_schedule,
    cosine_decay_schedule,
    cosine_onecycle_schedule,
    exponential_decay,
    join_schedules,
    linear_onecycle_schedule,
    linear_schedule,
    piecewise_constant_schedule,
    piecewise_interpolate_schedule,
    polynomial_schedule,
    warmup_constant_schedule,
    warmup_cosine_decay_schedule,
)
from autodiff.optimize.stopping import EarlyStopping
from autodiff.optimize.transformation import (
    EmptyState,
    GradientTransformation,
    apply_updates,
    chain,
    identity,
    stateless,
)
from autodiff.optimize.trust_ratio import lamb, scale_by_trust_ratio

__all__ = [
    "EarlyStopping",
    "EmptyState",
    "Fit",
    "GradientTransformation",
    "MultiSteps",
    "MultiStepsState",
    "Schedule",
    "adadelta",
    "adafactor",
    "adagrad",
    "adam",
    "adamw",
    "add_decayed_weights",
    "amsgrad",
    "apply_updates",
    "chain",
    "clip",
    "clip_by_block_rms",
    "clip_by_global_norm",
    "clip_by_norm",
    "constant_schedule",
    "cosine_decay_schedule",
    "cosine_onecycle_schedule",
    "ema",
    "exponential_decay",
    "fit",
    "gauss_newton",
    "global_norm",
    "huber_loss",
    "identity",
    "incremental_update",
    "inject_hyperparams",
    "join_schedules",
    "l2_loss",
    "lamb",
    "lbfgs",
    "levenberg_marquardt",
    "linear_onecycle_schedule",
    "linear_schedule",
    "lion",
    "masked",
    "multi_transform",
    "muon",
    "piecewise_constant_schedule",
    "piecewise_interpolate_schedule",
    "polynomial_schedule",
    "rmsprop",
    "scale",
    "scale_by_adadelta",
    "scale_by_adam",
    "scale_by_amsgrad",
    "scale_by_backtracking_linesearch",
    "scale_by_factored_rms",
    "scale_by_lbfgs",
    "scale_by_learning_rate",
    "scale_by_lion",
    "scale_by_muon",
    "scale_by_param_block_rms",
    "scale_by_rms",
    "scale_by_rss",
    "scale_by_schedule",
    "scale_by_stddev",
    "scale_by_trust_ratio",
    "scale_by_zoom_linesearch",
    "set_to_zero",
    "sgd",
    "sigmoid_binary_cross_entropy",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "squared_error",
    "stateless",
    "trace",
    "warmup_constant_schedule",
    "warmup_cosine_decay_schedule",
]
