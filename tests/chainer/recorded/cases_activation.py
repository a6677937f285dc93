"""Activations, and the functions of recurrent cells."""

import numpy as np

from tests.chainer.recorded.arrays import distinct, literal, normal
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

WIDE = literal([[-1000.0, -30.0, -1.0, 0.5], [2.0, 20.0, 100.0, 1000.0]])

CASES = [
    row(F.relu, normal(3, 4), dtypes="fde"),
    row(F.relu, normal()),
    row(F.relu6, normal(3, 4, scale=5.0), dtypes="fde"),
    row(F.clipped_relu, normal(3, 4, scale=20.0)),
    row(F.clipped_relu, normal(3, 4), z=0.75, dtypes="fde"),
    row(F.leaky_relu, normal(3, 4), dtypes="fde"),
    row(F.leaky_relu, normal(3, 4), slope=0.5),
    row(F.leaky_relu, normal(3, 4), slope=0),
    row(F.elu, normal(3, 4), dtypes="fde"),
    row(F.elu, normal(3, 4), alpha=0.3),
    row(F.elu, WIDE, note="wide"),
    row(F.selu, normal(3, 4), dtypes="fde"),
    row(F.selu, normal(3, 4), alpha=1.5, scale=0.9),
    row(F.hard_sigmoid, normal(3, 4, scale=2.0), dtypes="fde"),
    row(F.sigmoid, normal(3, 4), dtypes="fde"),
    row(F.sigmoid, WIDE, note="wide", dtypes="fde"),
    row(F.tanh, normal(3, 4), dtypes="fde"),
    row(F.tanh, WIDE, note="wide"),
    row(F.softplus, normal(3, 4), dtypes="fde"),
    row(F.softplus, normal(3, 4), beta=2.5),
    row(F.softplus, WIDE, note="wide"),
    row(F.softmax, normal(3, 4), dtypes="fde"),
    row(F.softmax, normal(2, 3, 4)),
    row(F.softmax, normal(2, 3, 4), axis=0),
    row(F.softmax, normal(2, 3, 4), axis=-1),
    row(F.softmax, WIDE, note="wide"),
    row(F.log_softmax, normal(3, 4), dtypes="fde"),
    row(F.log_softmax, normal(2, 3, 4), axis=2),
    row(F.log_softmax, normal(2, 3, 4), axis=-1),
    row(F.log_softmax, WIDE, note="wide"),
    row(F.crelu, normal(2, 3), dtypes="fde"),
    row(F.crelu, normal(2, 3), axis=0),
    row(F.crelu, normal(2, 3, 2), axis=-1),
    row(F.maxout, distinct(3, 6), pool_size=2),
    row(F.maxout, distinct(2, 3, 4), pool_size=4, axis=2),
    row(F.maxout, distinct(2, 6, 2), pool_size=3, dtypes="fde"),
    row(F.prelu, normal(3, 4), literal([0.25, 0.5, -0.125, 0.75]), dtypes="fde"),
    row(F.prelu, normal(2, 3, 2), literal([[0.25, 0.5], [-0.125, 0.75], [0.5, 1.0]]), note="2d"),
    row(F.prelu, normal(3, 4), literal(0.25), note="scalar"),
    case("rrelu given", lambda x: F.rrelu(x, r=_slopes(x)), normal(3, 4)),
    row(F.rrelu, normal(3, 4), note="train"),
    row(F.rrelu, normal(3, 4), l=0.2, u=0.5),
    row(F.rrelu, normal(3, 4), return_r=True),
    case("rrelu test", lambda x: F.rrelu(x), normal(3, 4), train=False),
    row(F.swish, normal(3, 4), literal([0.5, 1.0, 1.5, -0.5]), dtypes="fde"),
    row(F.swish, normal(3, 4), literal(1.25), note="scalar"),
    row(F.lstm, normal(3, 2), normal(3, 8), dtypes="fde"),
    row(F.lstm, normal(3, 2, 2), normal(3, 8, 2), note="3d"),
    row(F.lstm, normal(3, 2), normal(2, 8), note="shorter batch"),
    row(F.slstm, normal(3, 2), normal(3, 2), normal(3, 8), normal(3, 8)),
    row(F.slstm, normal(3, 2), normal(3, 2), normal(3, 8), normal(3, 8), note="again"),
    row(F.tree_lstm, normal(3, 2), normal(3, 2), normal(3, 10), note="two children"),
    row(F.tree_lstm, normal(3, 2), normal(3, 8), note="one child"),
    row(F.tree_lstm, normal(2, 2), normal(2, 2), normal(2, 2), normal(2, 12), note="three children"),
    case("lstm first output", lambda c, x: F.lstm(c, x)[0], normal(2, 2), normal(2, 8)),
    case("lstm second output", lambda c, x: F.lstm(c, x)[1], normal(2, 2), normal(2, 8)),
]


def _slopes(x: object) -> object:
    """Slopes between the default bounds, of the dtype of `x`."""
    return np.array([[0.125, 0.25, 0.3125, 0.1875]] * 3, x.dtype)
