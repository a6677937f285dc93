"""The problem on which optimizers run: recorded by optax and PyTorch, run here.

The gradient is a formula in plain numbers, so that every library computes the same one.
"""

from typing import Any

import numpy as np

STEPS = 50

START = {
    "w": np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]),
    "tall": np.linspace(-1.0, 1.2, 12).reshape(4, 3),
    "b": np.array([0.1, -0.2, 0.3]),
}
SCALES = {"w": 1.5, "tall": 0.7, "b": 3.0}
TARGETS = {"w": 0.4, "tall": -0.3, "b": 1.1}


def gradient(params: dict[str, Any], step: int, numpy: Any = np) -> dict[str, Any]:
    """The gradient of a smooth function that changes a little in every step, as those of batches do."""
    return {
        name: SCALES[name] * (p - TARGETS[name]) + numpy.sin(3 * p) + 0.1 * float(np.cos(step))
        for name, p in params.items()
    }


MASK = {"w": True, "tall": True, "b": False}

# What is run: a name, and the expression that makes the optimizer out of the module.
# fmt: off
CASES = {
    "sgd":                      "sgd(0.05)",
    "sgd momentum":             "sgd(0.05, momentum=0.9)",
    "sgd nesterov":             "sgd(0.05, momentum=0.9, nesterov=True)",
    "adam":                     "adam(0.05)",
    "adam eps_root":            "adam(0.05, b1=0.8, b2=0.95, eps=1e-6, eps_root=1e-5)",
    "adam nesterov":            "adam(0.05, nesterov=True)",
    "adamw":                    "adamw(0.05, weight_decay=0.1)",
    "adamw mask":               "adamw(0.05, weight_decay=0.1, mask=MASK)",
    "amsgrad":                  "amsgrad(0.05)",
    "rmsprop":                  "rmsprop(0.02)",
    "rmsprop centered":         "rmsprop(0.02, centered=True, eps=1e-3)",
    "rmsprop momentum":         "rmsprop(0.02, decay=0.95, momentum=0.8, nesterov=True, initial_scale=0.1, eps_in_sqrt=False)",
    "rmsprop bias correction":  "rmsprop(0.02, bias_correction=True)",
    "adagrad":                  "adagrad(0.3)",
    "adadelta":                 "adadelta(2.0, rho=0.8, weight_decay=0.01)",
    "lamb":                     "lamb(0.02, weight_decay=0.1)",
    "lion":                     "lion(0.01, weight_decay=0.1)",
    "muon":                     "contrib.muon(0.05, weight_decay=0.1)",
    "muon plain":               "contrib.muon(0.05, nesterov=False, adam_learning_rate=0.01)",
    "adafactor":                "adafactor(0.05, min_dim_size_to_factor=2)",
    "adafactor momentum":       "adafactor(0.05, momentum=0.9, dtype_momentum='float64', weight_decay_rate=0.001, clipping_threshold=None)",
    "lbfgs fixed rate":         "lbfgs(0.5, memory_size=4, linesearch=None)",
    "clip":                     "chain(clip(0.5), sgd(0.1))",
    "clip by global norm":      "chain(clip_by_global_norm(0.5), sgd(0.1))",
    "clip by block rms":        "chain(clip_by_block_rms(0.5), sgd(0.1))",
    "ema":                      "chain(ema(0.9), scale(-0.1))",
    "ema biased":               "chain(ema(0.9, debias=False), scale(-0.1))",
    "accumulation":             "MultiSteps(adam(0.1), every_k_schedule=4)",
    "schedule":                 "adam(warmup_cosine_decay_schedule(0.0, 0.1, 10, 40, 0.01))",
}
TORCH = {
    "sgd":              ("SGD",      {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01},  "chain(add_decayed_weights(0.01), sgd(0.05, momentum=0.9))"),
    "sgd nesterov":     ("SGD",      {"lr": 0.05, "momentum": 0.9, "nesterov": True},      "sgd(0.05, momentum=0.9, nesterov=True)"),
    "adam":             ("Adam",     {"lr": 0.05},                                         "adam(0.05)"),
    "adamw":            ("AdamW",    {"lr": 0.05, "weight_decay": 0.1},                    "adamw(0.05, weight_decay=0.1)"),
    "rmsprop":          ("RMSprop",  {"lr": 0.02, "alpha": 0.95},                          "rmsprop(0.02, decay=0.95, eps_in_sqrt=False)"),
    "rmsprop centered": ("RMSprop",  {"lr": 0.02, "alpha": 0.9, "centered": True, "eps": 1e-3}, "rmsprop(0.02, centered=True, eps=1e-3, eps_in_sqrt=False)"),
    "adagrad":          ("Adagrad",  {"lr": 0.3, "initial_accumulator_value": 0.1, "eps": 0.0}, "adagrad(0.3, eps=0.0)"),
    "adadelta":         ("Adadelta", {"lr": 2.0, "rho": 0.8},                              "adadelta(2.0, rho=0.8)"),
}
SCHEDULES = {
    "constant":            "constant_schedule(0.3)",
    "polynomial":          "polynomial_schedule(1.0, 0.1, 2.5, 20, 5)",
    "linear":              "linear_schedule(0.0, 2.0, 17, 3)",
    "exponential":         "exponential_decay(1.0, 7, 0.8, 4)",
    "exponential stairs":  "exponential_decay(1.0, 7, 0.8, staircase=True, end_value=0.3)",
    "exponential growth":  "exponential_decay(1.0, 7, 1.3, end_value=3.0)",
    "cosine":              "cosine_decay_schedule(1.0, 30, 0.1, 1.5)",
    "warm-up":             "warmup_constant_schedule(0.0, 1.0, 12)",
    "warm-up cosine":      "warmup_cosine_decay_schedule(0.1, 1.0, 10, 40, 0.05)",
    "piecewise":           "piecewise_constant_schedule(1.0, {10: 0.5, 25: 0.1})",
    "piecewise linear":    "piecewise_interpolate_schedule('linear', 1.0, {10: 2.0, 30: 0.1})",
    "piecewise cosine":    "piecewise_interpolate_schedule('cosine', 1.0, {10: 2.0, 30: 0.1})",
    "one cycle":           "cosine_onecycle_schedule(45, 1.0)",
    "one cycle linear":    "linear_onecycle_schedule(45, 1.0)",
    "joined":              "join_schedules([linear_schedule(0.0, 1.0, 5), constant_schedule(0.5), cosine_decay_schedule(1.0, 10)], [8, 20])",
}
# fmt: on
