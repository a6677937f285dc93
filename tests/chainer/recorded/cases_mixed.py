"""Half-precision inputs with single-precision weights, as `mixed16` makes them."""

import numpy as np

from tests.chainer.recorded.arrays import normal, positive
from tests.chainer.recorded.differentiation import case
from tests.chainer.recorded.linking import link
from tests.chainer.recorded.names import F, L, chainer


def half(function, *inputs, note="", **keywords):
    """The function with its first input cast to float16; gradients are as exact as that."""
    name = f"{function.path[-1]} {note}".strip()
    return case(name, lambda x, *rest: function(F.cast(x, "e"), *rest, **keywords), *inputs, dtypes="f", tolerance=1000)


def mixed(build):
    """Build a link whose configured dtype is mixed16."""

    def built():
        with chainer.using_config("dtype", chainer.mixed16.value()):
            return build()

    return built


def called(network, x):
    return network(x.astype(np.float16) if isinstance(x, np.ndarray) else F.cast(x, "e"))


IMAGE = normal(2, 2, 3, 3)

CASES = [
    half(F.linear, normal(3, 4), normal(2, 4), normal(2)),
    half(F.linear, normal(3, 4), normal(2, 4), note="nobias"),
    half(F.convolution_2d, IMAGE, normal(2, 2, 2, 2), normal(2)),
    half(F.convolution_nd, normal(2, 2, 4), normal(2, 2, 2), normal(2)),
    half(F.deconvolution_2d, IMAGE, normal(2, 2, 2, 2), normal(2)),
    half(F.deconvolution_nd, normal(2, 2, 4), normal(2, 2, 2), normal(2)),
    half(F.batch_normalization, normal(4, 3), positive(3), normal(3)),
    half(F.fixed_batch_normalization, normal(4, 3), positive(3), normal(3), normal(3), positive(3)),
    half(F.layer_normalization, normal(4, 3), positive(3), normal(3)),
    half(F.prelu, normal(4, 3), positive(3)),
    half(F.matmul, normal(2, 3), normal(3, 2)),
    half(F.maximum, normal(2, 3), normal(2, 3)),
    half(F.lstm, normal(2, 2), normal(2, 8)),
    half(F.mean_squared_error, normal(2, 2), normal(2, 2)),
    half(F.scale, normal(2, 2), normal(2)),
    link("Linear", mixed(lambda: L.Linear(3, 2)), normal(4, 3), call=called, dtypes="f", tolerance=1000),
    link("Convolution2D", mixed(lambda: L.Convolution2D(2, 2, 2)), IMAGE, call=called, dtypes="f", tolerance=1000),
    link("BatchNormalization", mixed(lambda: L.BatchNormalization(3)), normal(4, 3), call=called, dtypes="f", tolerance=1000),
    link("EmbedID", mixed(lambda: L.EmbedID(3, 2)), call=lambda network: network(np.array([0, 2], "i")), dtypes="f", tolerance=1000),
    link("LayerNormalization", mixed(lambda: L.LayerNormalization(3)), normal(4, 3), call=called, dtypes="f", tolerance=1000),
    link("LSTM", mixed(lambda: L.LSTM(3, 2)), normal(4, 3), call=called, dtypes="f", tolerance=1000),
]  # fmt: skip
