"""The links of Chainer 1 whose arguments were others, or in another order."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any

import numpy as np

from autodiff.chainer import functions, links
from autodiff.chainer.flag import ON, Flag
from autodiff.chainer.initializers import LeCunNormal
from autodiff.chainer.link_base import Link
from autodiff.chainer.running.v1.arguments import bound, mode, warn_old, without_effect
from autodiff.facade.settings.mode import no_backprop_mode
from autodiff.facade.settings.volatility import set_volatile

CONSTRUCTORS = {
    "BatchNormalization": "size decay eps dtype use_gamma use_beta initial_gamma initial_beta use_cudnn",
    "Convolution2D": "in_channels out_channels ksize stride pad wscale bias nobias use_cudnn initialW initial_bias "
    "deterministic",
    "ConvolutionND": "ndim in_channels out_channels ksize stride pad initialW initial_bias use_cudnn cover_all",
    "Deconvolution2D": "in_channels out_channels ksize stride pad wscale bias nobias outsize use_cudnn initialW "
    "initial_bias deterministic",
    "DeconvolutionND": "ndim in_channels out_channels ksize stride pad outsize initialW initial_bias use_cudnn",
    "DilatedConvolution2D": "in_channels out_channels ksize stride pad dilate wscale bias nobias use_cudnn initialW "
    "initial_bias",
    "GRU": "n_units n_inputs init inner_init bias_init",
    "LSTM": "in_size out_size lateral_init upward_init bias_init forget_bias_init",
    "Linear": "in_size out_size wscale bias nobias initialW initial_bias",
    "MLPConvolution2D": "in_channels out_channels ksize stride pad wscale activation use_cudnn conv_init bias_init",
    "Maxout": "in_size out_size pool_size wscale initialW initial_bias",
    "NStepBiGRU": "n_layers in_size out_size dropout use_cudnn",
    "NStepBiLSTM": "n_layers in_size out_size dropout use_cudnn",
    "NStepBiRNNReLU": "n_layers in_size out_size dropout use_cudnn",
    "NStepBiRNNTanh": "n_layers in_size out_size dropout use_cudnn",
    "NStepGRU": "n_layers in_size out_size dropout use_cudnn",
    "NStepLSTM": "n_layers in_size out_size dropout use_cudnn",
    "NStepRNNReLU": "n_layers in_size out_size dropout use_cudnn",
    "NStepRNNTanh": "n_layers in_size out_size dropout use_cudnn",
    "Parameter": "array",
    "StatefulZoneoutLSTM": "in_size out_size c_ratio h_ratio train",
    "StatelessLSTM": "in_size out_size lateral_init upward_init bias_init forget_bias_init",
}
"""For each link what its constructor took, in that order."""

CALLS = {
    "BatchNormalization": "x test finetune",
    "InceptionBN": "x test",
    "NStepBiGRU": "hx xs train",
    "NStepBiLSTM": "hx cx xs train",
    "NStepBiRNNReLU": "hx xs train",
    "NStepBiRNNTanh": "hx xs train",
    "NStepGRU": "hx xs train",
    "NStepLSTM": "hx cx xs train",
    "NStepRNNReLU": "hx xs train",
    "NStepRNNTanh": "hx xs train",
    "Parameter": "volatile",
    "StatefulZoneoutLSTM": "x",
}
"""For each link what it took when it was called, in that order."""

TRAINED = ("GoogLeNet", "ResNet101Layers", "ResNet152Layers", "ResNet50Layers", "VGG16Layers")
"""The links with trained weights, which are not trained further unless that is asked for."""

CALLS |= dict.fromkeys(TRAINED, "x layers test") | {"GoogLeNet": "x layers train"}

DEFAULTS: dict[str, dict[str, Any]] = {
    "BatchNormalization": {"initial_avg_var": 0},
    "GRU": {"n_inputs": None},
    "LSTM": {"bias_init": 0, "forget_bias_init": 0},
    "StatelessLSTM": {"bias_init": 0, "forget_bias_init": 0},
}
"""Old values of parameters that are not given, where they were others."""

WITHOUT_BIAS = ("ConvolutionND", "DeconvolutionND")
"""The links that have a bias only where ``initial_bias`` is given."""

FORMER_NAMES = {"GRU": "StatelessGRU"}
"""The links of today that another one of today has taken the name of."""

IN_FUNCTIONS = (
    "BatchNormalization", "Bilinear", "BinaryHierarchicalSoftmax", "Convolution2D", "DilatedConvolution2D", "EmbedID",
    "Inception", "InceptionBN", "Linear", "NegativeSampling", "PReLU", "Parameter",
)  # fmt: skip
"""The links that were functions once, and kept their names there."""


class Scaled:
    """An initializer whose values are multiplied.

    Args:
        initializer: fills an array.
        scale: the factor.
    """

    def __init__(self, initializer: Any, scale: float) -> None:
        self.initializer, self.scale = initializer, scale
        self.dtype = getattr(initializer, "dtype", None)

    def __call__(self, array: Any) -> None:
        self.initializer(array)
        array *= self.scale


def scaled(initial: Any, wscale: float) -> Any:
    """What initialises weights that are multiplied by the root of ``wscale``: an initializer, an array or a number."""
    return multiplied(initial, math.sqrt(wscale))


def multiplied(initial: Any, scale: float) -> Any:
    """What initialises weights, multiplied: an initializer, an array or a number; None is random numbers."""
    if initial is None:
        return LeCunNormal(scale)
    if callable(initial):
        return initial if scale == 1 else Scaled(initial, scale)
    return initial * scale


def renamed(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a constructor by the names of today."""
    if "wscale" in given:
        weights = "conv_init" if name == "MLPConvolution2D" else "initialW"
        warn_old(f"{name}(wscale=...)", f"{weights}=, with an initializer that has a scale")
        given[weights] = scaled(given.get(weights), given.pop("wscale"))
    if "bias" in given:
        warn_old(f"{name}(bias=...)", "initial_bias=")
        bias = given.pop("bias")
        if given.get("initial_bias") is None:
            given["initial_bias"] = bias
    if name in WITHOUT_BIAS and given.get("initial_bias") is None:
        given["nobias"] = True
    if name == "GRU":
        given["out_size"] = given.pop("n_units")
        inputs = given.pop("n_inputs")
        given["in_size"] = given["out_size"] if inputs is None else inputs
    return given


def with_old_constructor(name: str, kind: type, names: str) -> dict[str, Any]:
    """The constructor of a link, called as in Chainer 1."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = bound(name, names.split(), args, kwargs)
        shown = {"wscale": given.get("wscale", 1)} if "wscale" in names.split() else {}
        shown |= without_effect(names.split(), args, kwargs)
        given = renamed(name, DEFAULTS.get(name, {}) | given)
        train = given.pop("train", None)
        kind.__init__(self, **given)  # type: ignore[misc]
        for attribute, value in shown.items():
            setattr(self, attribute, value)
        if train is not None:
            self.train = train

    return {"__init__": __init__}


def with_old_method(kind: type, method: str, names: str) -> dict[str, Any]:
    """A method of a link, called as in Chainer 1."""
    name = kind.__name__
    train = False if name in TRAINED else None

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = bound(name, names.split(), args, kwargs)
        flag = Flag(given.pop("volatile", "off"))
        with mode(name, given, getattr(self, "train", train)), nullcontext() if flag is not ON else no_backprop_mode():
            result = getattr(kind, method)(self, **given)
        if "volatile" in names:
            for variable in result.values() if isinstance(result, dict) else (result,):
                set_volatile(variable, flag.value)
        return result

    return {method: call}


def old_link(name: str) -> type:
    """The link as it was. It is found by its name in ``chainer.links``, where pickle looks for it."""
    kind = getattr(links, FORMER_NAMES.get(name, name))
    attributes = {"__module__": links.__name__, "__doc__": kind.__doc__}
    if name in CONSTRUCTORS:
        attributes |= with_old_constructor(name, kind, CONSTRUCTORS[name])
    if name in CALLS:
        attributes |= with_old_method(kind, "__call__", CALLS[name])
    if name in TRAINED:
        attributes |= with_old_method(kind, "extract", "images layers size test train volatile")
    return type(name, (kind,), attributes)


def is_on_cpu(self: Any) -> bool:
    """Whether the arrays of a link are NumPy's."""
    return self.xp is np


def install() -> None:
    """Give ``chainer.links`` the arguments of Chainer 1, and ``chainer.functions`` the links it had."""
    for name in sorted(CONSTRUCTORS.keys() | CALLS.keys()):
        setattr(links, name, old_link(name))
    for name in IN_FUNCTIONS:
        setattr(functions, name, getattr(links, name))
    Link._cpu = property(is_on_cpu)  # type: ignore[attr-defined]
