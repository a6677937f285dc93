"""Points where a function has no derivative: what Chainer returns there."""

import numpy as np

from tests.chainer.recorded.arrays import at, constant, fixed, literal
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

ZERO = at(-1.0, 0.0, -0.0, 1.0)
TIE = literal([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
AROUND = (at(1.0, 2.0, 0.0, -1.0), at(1.0, 1.0, -0.0, 3.0))
POOLED = literal(np.array([[1.0, 1, 0, 0], [1, 1, 0, 2], [3, 0, 5, 5], [0, 3, 5, 5]])[None, None])
SAME = (literal([[1.0, 2.0], [3.0, 4.0]]), literal([[1.0, 2.0], [0.0, 4.0]]))

CASES = [
    *(row(function, ZERO, note="at zero") for function in (F.relu, F.leaky_relu, F.elu, F.selu, F.absolute, F.sign, F.sqrt, F.square)),
    *(row(function, ZERO, note="at zero") for function in (F.softplus, F.hard_sigmoid, F.relu6, F.clipped_relu, F.floor, F.ceil, F.fix)),
    *(row(function, at(0.0, 1.0), note="at zero") for function in (F.log, F.rsqrt, F.log1p, F.log2, F.log10)),
    *(row(function, at(-1.0, 0.0, 1.0), note="at one") for function in (F.arcsin, F.arccos, F.arctanh)),
    row(F.relu, at(np.nan, np.inf, -np.inf), note="not finite"),
    row(F.relu6, at(0.0, 6.0, 3.0, 7.0), note="corners"),
    row(F.clipped_relu, at(0.0, 20.0, 19.5, 21.0), note="corners"),
    row(F.hard_sigmoid, at(-2.5, 2.5, -2.6, 2.6), note="corners"),
    row(F.leaky_relu, ZERO, slope=0.0),
    row(F.leaky_relu, ZERO, slope=-0.5),
    row(F.prelu, literal([[-1.0, 0.0, -0.0, 1.0]]), at(0.25, 0.5, 0.5, 0.25), note="at zero"),
    row(F.crelu, literal([[0.0, -0.0, 1.0]]), note="at zero"),
    row(F.swish, literal([[-1.0, 0.0, -0.0, 1.0]]), at(1.0, 1.0, 0.0, 0.0), note="at zero"),
    row(F.maxout, literal([[1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 3.0, 3.0]]), pool_size=2, note="ties"),
    row(F.maximum, *AROUND, note="ties"),
    row(F.minimum, *AROUND, note="ties"),
    row(F.maximum, at(np.nan, 1.0), at(1.0, np.nan), note="nan"),
    *(row(function, TIE, axis=axis, note="ties") for function in (F.max, F.min) for axis in (None, 0, 1)),
    *(row(function, TIE, axis=axis, note="ties") for function in (F.argmax, F.argmin) for axis in (None, 0, 1)),
    row(F.clip, at(-1.0, 0.0, 1.0, 2.0, 0.5), x_min=0.0, x_max=1.0, note="bounds"),
    row(F.max_pooling_2d, POOLED, ksize=2, note="ties"),
    row(F.max_pooling_2d, POOLED, ksize=3, stride=1, pad=1, note="ties"),
    row(F.max_pooling_2d, POOLED, ksize=2, return_indices=True, note="ties"),
    row(F.max_pooling_nd, literal([[[1.0, 1.0, 2.0, 2.0]]]), ksize=2, note="ties"),
    row(F.hinge, literal([[1.0, -1.0, 0.0], [-1.0, 2.0, 1.0]]), fixed([0, 1]), note="margins"),
    row(F.hinge, literal([[1.0, -1.0, 0.0], [-1.0, 2.0, 1.0]]), fixed([0, 1]), norm="L2", note="margins"),
    row(F.huber_loss, literal([[1.0, -1.0, 0.0, 3.0]]), literal([[0.0, 0.0, 0.0, 0.0]]), delta=1.0, note="at delta"),
    row(F.contrastive, literal([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [1.0, 0.0]]), literal([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [1.0, 0.0]]), fixed([1, 0, 0, 0]), margin=5.0, note="at margin"),
    row(F.triplet, literal([[0.0], [0.0]]), literal([[1.0], [1.0]]), literal([[1.0], [2.0]]), margin=3.0, note="at margin"),
    row(F.mean_absolute_error, *SAME, note="equal"),
    row(F.absolute_error, *SAME, note="equal"),
    row(F.mean_squared_error, *SAME, note="equal"),
    row(F.normalize, literal([[0.0, 0.0], [3.0, 4.0]]), note="zero vector"),
    row(F.sigmoid_cross_entropy, literal([[0.0, -0.0, 1.0]]), fixed([[1, 0, 1]]), note="at zero"),
    row(F.bernoulli_nll, literal([0.0, 1.0, 0.5]), literal([0.0, 0.0, -0.0]), note="at zero"),
    row(F.arctan2, at(0.0, 0.0, -0.0, 1.0), at(0.0, 1.0, -1.0, 0.0), note="axes"),
    row(F.fmod, at(2.0, -2.0, 3.0), at(1.0, 2.0, -2.0), note="multiples"),
    row(F.prod, literal([[0.0, 2.0], [0.0, 0.0]]), axis=1, note="zeros"),
    row(F.cumprod, at(2.0, 0.0, 3.0, 0.0), note="zeros"),
    row(F.floor, at(-1.0, 1.0, 1.5), note="integers"),
    row(F.logsumexp, at(-np.inf, 0.0), note="minus infinity"),
    row(F.softmax, literal([[-np.inf, 0.0, 0.0]]), note="minus infinity"),
    row(F.log_softmax, literal([[-np.inf, 0.0, 0.0]]), note="minus infinity"),
    row(F.batch_normalization, literal([[1.0], [1.0]]), at(1.0), at(0.0), note="no variance"),
    row(F.layer_normalization, literal([[1.0, 1.0]]), at(1.0, 1.0), at(0.0, 0.0), note="no variance"),
    row(F.spatial_transformer_sampler, literal(np.arange(9.0).reshape(1, 1, 3, 3)), literal(np.array([[[-1.0, 0.0, 1.0]], [[-1.0, 0.0, 1.0]]])[None]), note="grid points"),
    row(F.where, fixed([True, False], "?"), at(1.0, np.inf), at(np.nan, 2.0), note="hidden"),
    case("power zero base", lambda x: x**2, ZERO),
    case("power zero exponent", lambda x: x**0, ZERO),
    case("power one", lambda x: x**1, ZERO),
    case("power half at zero", lambda x: x**0.5, at(0.0, 1.0)),
    case("power variables at zero", lambda x, y: x**y, at(0.0, 0.0, 1.0, 2.0), at(2.0, 1.0, 0.0, 0.0)),
    case("abs operator at zero", lambda x: abs(x), ZERO),
    case("divide by zero", lambda x, y: x / y, at(1.0, 0.0), at(0.0, 0.0)),
    case("maximum with itself", lambda x: F.maximum(x, x), ZERO),
    case("maximum with array", lambda x, y: F.maximum(x, y), at(0.0, 1.0), constant([0.0, 0.0])),
    case("double relu", lambda x: F.relu(F.relu(x)), ZERO),
    case("empty sum", lambda x: F.sum(x, axis=0), literal(np.zeros((0, 3)))),
    case("empty relu", lambda x: F.relu(x), literal(np.zeros((0, 3)))),
    case("empty linear", lambda x, w: F.linear(x, w), literal(np.zeros((0, 3))), literal(np.ones((2, 3)))),
    case("empty concat", lambda x, y: F.concat((x, y)), literal(np.zeros((2, 0))), literal(np.ones((2, 3)))),
]  # fmt: skip
