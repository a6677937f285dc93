"""The functions of Chainer 1 whose arguments were others, or in another order."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autodiff.chainer import functions
from autodiff.chainer.running.v1.arguments import bound, mode

Function = Callable[..., Any]

ARGUMENTS = {
    "average_pooling_2d": "x ksize stride pad use_cudnn",
    "average_pooling_nd": "x ksize stride pad use_cudnn",
    "batch_normalization": "x gamma beta eps running_mean running_var decay use_cudnn",
    "convolution_2d": "x W b stride pad use_cudnn cover_all deterministic",
    "convolution_nd": "x W b stride pad use_cudnn cover_all",
    "deconvolution_2d": "x W b stride pad outsize use_cudnn deterministic",
    "deconvolution_nd": "x W b stride pad outsize use_cudnn",
    "dilated_convolution_2d": "x W b stride pad dilate use_cudnn cover_all",
    "dropout": "x ratio train",
    "fixed_batch_normalization": "x gamma beta mean var eps use_cudnn",
    "log_softmax": "x use_cudnn",
    "max_pooling_2d": "x ksize stride pad cover_all use_cudnn",
    "max_pooling_nd": "x ksize stride pad cover_all use_cudnn",
    "n_step_bigru": "n_layers dropout_ratio hx ws bs xs train use_cudnn",
    "n_step_bilstm": "n_layers dropout_ratio hx cx ws bs xs train use_cudnn",
    "n_step_birnn": "n_layers dropout_ratio hx ws bs xs train use_cudnn activation",
    "n_step_gru": "n_layers dropout_ratio hx ws bs xs train use_cudnn",
    "n_step_lstm": "n_layers dropout_ratio hx cx ws bs xs train use_cudnn",
    "n_step_rnn": "n_layers dropout_ratio hx ws bs xs train use_cudnn activation",
    "relu": "x use_cudnn",
    "sigmoid": "x use_cudnn",
    "sigmoid_cross_entropy": "x t use_cudnn normalize reduce",
    "softmax": "x use_cudnn axis",
    "softmax_cross_entropy": "x t use_cudnn normalize cache_score class_weight ignore_label reduce",
    "spatial_pyramid_pooling_2d": "x pyramid_height pooling_class use_cudnn",
    "spatial_transformer_grid": "theta output_shape use_cudnn",
    "spatial_transformer_sampler": "x grid use_cudnn",
    "split_axis": "x indices_or_sections axis force_tuple",
    "tanh": "x use_cudnn",
    "zoneout": "h x ratio train",
}
"""For each function its parameters in the old order."""

DEFAULTS: dict[str, dict[str, Any]] = {"split_axis": {"force_tuple": False}}
"""Old values of parameters that are not given, where they were others."""


def with_old_arguments(function: Function, names: str, defaults: dict[str, Any]) -> Function:
    """A function that is called as in Chainer 1."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = defaults | bound(function.__name__, names.split(), args, kwargs)
        with mode(function.__name__, given):
            return function(**renamed(given))

    return call


def renamed(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of today: the class of pooling functions has become a word."""
    if "pooling_class" in given:
        kind = given.pop("pooling_class")
        given["pooling"] = {"MaxPooling2D": "max"}.get(kind.__name__, kind.__name__)
    return given


def install() -> None:
    """Give ``chainer.functions`` the arguments of Chainer 1."""
    for name, names in ARGUMENTS.items():
        function = getattr(functions, name)
        setattr(functions, name, with_old_arguments(function, names, DEFAULTS.get(name, {})))
