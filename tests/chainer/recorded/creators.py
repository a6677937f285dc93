"""Calls of functions, of which the creator is recorded: its class, its label, and the attributes that programs read.

Exporters, counters of operations and drawings of graphs walk through a graph and ask each creator what it was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.chainer.recorded.names import F, chainer

rng = np.random.RandomState(0)
X, Y = (rng.uniform(0.2, 0.8, (2, 3)).astype(np.float32) for _ in range(2))
IMAGE = rng.uniform(0.2, 0.8, (1, 4, 6, 6)).astype(np.float32)
CUBE = rng.uniform(0.2, 0.8, (1, 2, 4, 4, 4)).astype(np.float32)
KERNEL = rng.uniform(0.2, 0.8, (2, 4, 3, 2)).astype(np.float32)
CUBES = rng.uniform(0.2, 0.8, (3, 2, 2, 2, 2)).astype(np.float32)
INDEX = np.array([1, 0], np.int32)
REGIONS, NUMBERS = np.array([[0, 0, 3, 3]], np.float32), np.zeros(1, np.int32)
REGION = np.array([[0, 0, 0, 3, 3]], np.float32)

CREATORS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "clipped_relu": (X, lambda x: F.clipped_relu(x, z=6.0)),
    "elu": (X, lambda x: F.elu(x, alpha=0.3)),
    "hard_sigmoid": (X, lambda x: F.hard_sigmoid(x)),
    "leaky_relu": (X, lambda x: F.leaky_relu(x, 0.1)),
    "log_softmax": (X, lambda x: F.log_softmax(x, axis=0)),
    "maxout": (X, lambda x: F.maxout(x, 3)),
    "relu": (X, lambda x: F.relu(x)),
    "rrelu": (X, lambda x: F.rrelu(x, l=0.1, u=0.3)),
    "softmax": (X, lambda x: F.softmax(x, axis=0)),
    "softplus": (X, lambda x: F.softplus(x, beta=2.0)),
    "tanh": (X, lambda x: F.tanh(x)),
    "as_strided": (X, lambda x: F.as_strided(x, (2, 2), (3, 1), 1)),
    "broadcast_to": (X, lambda x: F.broadcast_to(x, (4, 2, 3))),
    "cast": (X, lambda x: F.cast(x, np.float64)),
    "concat": (X, lambda x: F.concat((x, Y), axis=0)),
    "copy": (X, lambda x: F.copy(x, -1)),
    "depth2space": (IMAGE, lambda x: F.depth2space(x, 2)),
    "diagonal": (X, lambda x: F.diagonal(x, 1, 0, 1)),
    "dstack": (X, lambda x: F.dstack((x, Y))),
    "expand_dims": (X, lambda x: F.expand_dims(x, -1)),
    "flip": (X, lambda x: F.flip(x, 1)),
    "get_item": (X, lambda x: x[0]),
    "get_item of a slice": (X, lambda x: x[:, 1:3]),
    "get_item of axes": (X, lambda x: x[None, ..., 0]),
    "get_item of a list": (X, lambda x: x[[0, 1]]),
    "get_item of a list behind": (X, lambda x: x[:, [0, 2]]),
    "im2col": (IMAGE, lambda x: F.im2col(x, 2, 1, 1)),
    "moveaxis": (X, lambda x: F.moveaxis(x, 0, 1)),
    "pad": (X, lambda x: F.pad(x, ((1, 0), (2, 1)), "constant", constant_values=3)),
    "pad by one width": (X, lambda x: F.pad(x, 1, "edge")),
    "permutate": (X, lambda x: F.permutate(x, INDEX)),
    "repeat": (X, lambda x: F.repeat(x, 2, axis=1)),
    "reshape": (X, lambda x: F.reshape(x, (3, -1))),
    "resize_images": (IMAGE, lambda x: F.resize_images(x, (12, 9))),
    "rollaxis": (X, lambda x: F.rollaxis(x, 1)),
    "select_item": (X, lambda x: F.select_item(x, INDEX)),
    "separate": (X, lambda x: F.separate(x, axis=1)),
    "space2depth": (IMAGE, lambda x: F.space2depth(x, 2)),
    "split_axis": (X, lambda x: F.split_axis(x, 3, 1)),
    "split_axis at places": (X, lambda x: F.split_axis(x, [1], 1)),
    "squeeze": (X[None], lambda x: F.squeeze(x, 0)),
    "stack": (X, lambda x: F.stack((x, Y), axis=1)),
    "swapaxes": (X, lambda x: F.swapaxes(x, 0, 1)),
    "tile": (X, lambda x: F.tile(x, (2, 1))),
    "transpose": (X, lambda x: F.transpose(x)),
    "transpose of axes": (X, lambda x: F.transpose(x, (1, 0))),
    "vstack": (X, lambda x: F.vstack((x, Y))),
    "where": (X, lambda x: F.where(Y > 0.5, x, Y)),
    "convolution_2d": (IMAGE, lambda x: F.convolution_2d(x, KERNEL, None, 2, (1, 0))),
    "convolution_2d with gaps": (IMAGE, lambda x: F.convolution_2d(x, KERNEL, None, dilate=2)),
    "convolution_2d in groups": (IMAGE, lambda x: F.convolution_2d(x, KERNEL[:, :2], groups=2)),
    "convolution_nd": (CUBE, lambda x: F.convolution_nd(x, CUBES, None, 1, 1)),
    "deconvolution_2d": (IMAGE, lambda x: F.deconvolution_2d(x, np.ones((4, 2, 3, 3), np.float32), None, 2, 1, (12, 12))),
    "deconvolution_2d without a size": (IMAGE, lambda x: F.deconvolution_2d(x, np.ones((4, 2, 3, 3), np.float32))),
    "deconvolution_nd": (CUBE, lambda x: F.deconvolution_nd(x, CUBES.transpose(1, 0, 2, 3, 4))),
    "depthwise_convolution_2d": (IMAGE, lambda x: F.depthwise_convolution_2d(x, np.ones((2, 4, 3, 3), np.float32))),
    "embed_id": (X, lambda x: F.embed_id(INDEX, x)),
    "embed_id with a label that is ignored": (X, lambda x: F.embed_id(INDEX, x, ignore_label=1)),
    "linear": (X, lambda x: F.linear(x, Y)),
    "shift": (IMAGE, lambda x: F.shift(F.concat((x, x, x)), 3, 1)),
    "accuracy": (X, lambda x: F.accuracy(x, INDEX)),
    "contrastive": (X, lambda x: F.contrastive(x, Y, INDEX, margin=2)),
    "huber_loss": (X, lambda x: F.huber_loss(x, Y, 0.7)),
    "mean_squared_error": (X, lambda x: F.mean_squared_error(x, Y)),
    "sigmoid_cross_entropy": (X, lambda x: F.sigmoid_cross_entropy(x, (Y > 0.5).astype(np.int32), normalize=False)),
    "softmax_cross_entropy": (X, lambda x: F.softmax_cross_entropy(x, INDEX)),
    "softmax_cross_entropy of each": (X, lambda x: F.softmax_cross_entropy(x, INDEX, reduce="no", ignore_label=2)),
    "triplet": (X, lambda x: F.triplet(x, Y, Y + 1, 0.3)),
    "add": (X, lambda x: x + Y),
    "add of a number": (X, lambda x: x + 2),
    "subtract a number": (X, lambda x: x - 2),
    "subtract from a number": (X, lambda x: 2 - x),
    "multiply by a number": (X, lambda x: x * 2.5),
    "divide by a number": (X, lambda x: x / 2),
    "divide a number": (X, lambda x: 1 / x),
    "power": (X, lambda x: x**2),
    "power of a number": (X, lambda x: 2**x),
    "operator @": (X, lambda x: x @ Y.T),
    "argmax": (X, lambda x: F.argmax(x, axis=1)),
    "argmin": (X, lambda x: F.argmin(x)),
    "average": (X, lambda x: F.average(x, axis=(0, 1))),
    "method mean": (X, lambda x: x.mean(axis=1)),
    "clip": (X, lambda x: F.clip(x, 0.3, 0.6)),
    "cumsum": (X, lambda x: F.cumsum(x, axis=1)),
    "linear_interpolate": (X, lambda x: F.linear_interpolate(x, x, Y)),
    "logsumexp": (X, lambda x: F.logsumexp(x, axis=1)),
    "logsumexp of all": (X, lambda x: F.logsumexp(x)),
    "matmul": (X, lambda x: F.matmul(x, Y, transb=True)),
    "max": (X, lambda x: F.max(x, axis=1, keepdims=True)),
    "maximum": (X, lambda x: F.maximum(x, Y)),
    "min": (X, lambda x: F.min(x)),
    "prod": (X, lambda x: F.prod(x, axis=1)),
    "sum": (X, lambda x: F.sum(x)),
    "sum along an axis": (X, lambda x: F.sum(x, axis=(-1,), keepdims=True)),
    "sum_to": (X, lambda x: F.sum_to(x, (1, 3))),
    "tensordot": (X, lambda x: F.tensordot(x, Y, axes=([1], [1]))),
    "dropout": (X, lambda x: F.dropout(x, 0.3)),
    "zoneout": (X, lambda x: F.zoneout(x, Y, 0.3)),
    "batch_normalization": (IMAGE, lambda x: F.batch_normalization(x, np.ones(4, "f"), np.zeros(4, "f"), eps=1e-3)),
    "fixed_batch_normalization": (IMAGE, lambda x: F.fixed_batch_normalization(x, *np.ones((4, 4), np.float32), eps=1e-3)),
    "group_normalization": (IMAGE, lambda x: F.group_normalization(x, 2, np.ones(4, "f"), np.zeros(4, "f"))),
    "local_response_normalization": (IMAGE, lambda x: F.local_response_normalization(x, 3, 1, 1e-3, 0.5)),
    "normalize": (X, lambda x: F.normalize(x, axis=1)),
    "average_pooling_2d": (IMAGE, lambda x: F.average_pooling_2d(x, 2, 1, 1)),
    "average_pooling_nd": (CUBE, lambda x: F.average_pooling_nd(x, (2, 1, 2), 1)),
    "max_pooling_2d": (IMAGE, lambda x: F.max_pooling_2d(x, 3, 2, 1, cover_all=False)),
    "max_pooling_nd": (CUBE, lambda x: F.max_pooling_nd(x, (2, 3, 2))),
    "roi_average_align_2d": (IMAGE, lambda x: F.roi_average_align_2d(x, REGIONS, NUMBERS, (2, 3), 0.5, 2)),
    "roi_max_pooling_2d": (IMAGE, lambda x: F.roi_max_pooling_2d(x, REGIONS, NUMBERS, (2, 3), 0.5)),
    "roi_pooling_2d": (IMAGE, lambda x: F.roi_pooling_2d(x, REGION, 2, 3, 0.5)),
    "unpooling_2d": (IMAGE, lambda x: F.unpooling_2d(x, 2, cover_all=False)),
    "upsampling_2d": (IMAGE, lambda x: F.upsampling_2d(x, np.zeros(IMAGE.shape, np.int32), 2, cover_all=False)),
    "lstm": (X[:, :2], lambda x: F.lstm(x, np.ones((2, 8), np.float32))),
    "spatial_transformer_grid": (X[None], lambda x: F.spatial_transformer_grid(x, (3, 2))),
}  # fmt: skip


def shown(value: Any) -> Any:
    """An attribute as JSON: of arrays the shape; None for what is nobody's business.

    Raises:
        TypeError: if it is nothing that a program would read.
    """
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return round(float(value), 6)
    if isinstance(value, (list, tuple)):
        return [shown(each) for each in value]
    if isinstance(value, np.ndarray):
        return {"array": list(value.shape)}
    if isinstance(value, (slice, type(...), type, np.dtype)):
        return str(np.dtype(value)) if isinstance(value, type) else str(value)
    raise TypeError(f"no text for {value!r}")


OF_NODES = ("lazy_grad_sum", "inputs", "outputs", "rank", "stack", "label", "output_data", "local_function_hooks")
PRIVATE = ("_shape",)
"""Attributes of one function each that an exporter reads all the same."""


def creator_of(name: str) -> tuple[Any, Any]:
    """The creator of what a call returns, and what it returns: nodes of results are gone with them."""
    array, call = CREATORS[name]
    np.random.seed(0)  # noqa: NPY002 - as Chainer does
    result = call(chainer.Variable(array))
    first = result[0] if isinstance(result, (tuple, list)) else result
    return first.creator, result


def attributes(creator: Any) -> dict[str, Any]:
    """The attributes that the methods of a creator's class have set, as far as a program would read them."""
    found = {}
    for name, value in sorted(vars(creator).items()):
        if (name.startswith("_") and name not in PRIVATE) or name in OF_NODES:
            continue
        try:
            found[name] = shown(value)
        except TypeError:
            continue
    return found
