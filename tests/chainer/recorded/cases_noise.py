"""Noise: with the noise given, and with NumPy's generator at a fixed state."""

import numpy as np

from tests.chainer.recorded.arrays import literal, normal, uniform
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

MASK = [[0.0, 2.0, 2.0], [2.0, 0.0, 0.0]]

CASES = [
    case("dropout mask", lambda x: F.dropout(x, mask=np.array(MASK, x.dtype)), normal(2, 3)),
    case("dropout return_mask", lambda x: F.dropout(x, 0.25, mask=np.array(MASK, x.dtype), return_mask=True), normal(2, 3)),
    row(F.dropout, normal(3, 4), note="train", dtypes="fde"),
    row(F.dropout, normal(3, 4), ratio=0.2, return_mask=True),
    row(F.dropout, normal(3, 4), ratio=0.0),
    case("dropout test", lambda x: F.dropout(x), normal(3, 4), train=False),
    case("dropout test return_mask", lambda x: F.dropout(x, return_mask=True), normal(3, 4), train=False),
    case("gaussian eps", lambda m, v: F.gaussian(m, v, eps=np.array([0.5, -1, 2], m.dtype)), normal(3), normal(3)),
    case("gaussian return_eps", lambda m, v: F.gaussian(m, v, return_eps=True), normal(3), normal(3)),
    row(F.gaussian, normal(2, 3), normal(2, 3), dtypes="fde"),
    row(F.gumbel_softmax, normal(2, 3), tau=0.5),
    row(F.gumbel_softmax, normal(2, 3, 2), tau=1.5, axis=2),
    row(F.zoneout, normal(2, 3), normal(2, 3), note="train"),
    row(F.zoneout, normal(2, 3), normal(2, 3), ratio=0.25),
    case("zoneout test", lambda h, x: F.zoneout(h, x, 0.25), normal(2, 3), normal(2, 3), train=False),
    case("simplified_dropconnect mask", lambda x, w, b: F.simplified_dropconnect(x, w, b, 0.5, True, np.array([MASK] * 2, x.dtype)), normal(2, 3), normal(2, 3), normal(2)),
    case("simplified_dropconnect shared mask", lambda x, w: F.simplified_dropconnect(x, w, None, 0.5, True, np.array(MASK, x.dtype), False), normal(2, 3), normal(2, 3)),
    row(F.simplified_dropconnect, normal(2, 3), normal(2, 3), normal(2), ratio=0.3),
    case("rrelu at zero", lambda x: F.rrelu(x, r=np.array([0.25, 0.25, 0.25], x.dtype)), literal([-1.0, 0.0, 1.0])),
    case("dropout wide", lambda x: F.dropout(x, 0.9), uniform(-1, 1, 3, 3)),
]  # fmt: skip
