"""The link of the highway layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.functions.activation.sigmoid import sigmoid
from autodiff.chainer.links.connection.linear import Linear
from autodiff.facade import Variable


class Highway(Chain):
    """t activate(plain(x)) + (1 - t) x, with t = sigmoid(transform(x)).

    Args:
        in_out_size: how many features x and the result have.
        nobias: whether both layers have no bias.
        activate: the function of the plain layer.
        init_Wh: as ``initialW`` of :class:`Linear`, for the plain layer.
        init_Wt: the same for the transform layer.
        init_bh: as ``initial_bias`` of :class:`Linear`, for the plain layer.
        init_bt: the same for the transform layer; -1, so that most of x passes at first.

    Source: R. K. Srivastava, K. Greff and J. Schmidhuber, Highway Networks, 2015.

    >>> import numpy as np
    >>> Highway(1, init_Wh=3.0, init_Wt=0.0, init_bt=0.0)(np.ones((1, 1), "f"))
    variable([[2.]])
    """

    def __init__(
        self,
        in_out_size: int,
        nobias: bool = False,
        activate: Callable[..., Any] = relu,
        init_Wh: Any = None,
        init_Wt: Any = None,
        init_bh: Any = None,
        init_bt: Any = -1,
    ) -> None:
        super().__init__()
        self.activate = activate
        with self.init_scope():
            self.plain = Linear(in_out_size, in_out_size, nobias, init_Wh, init_bh)
            self.transform = Linear(in_out_size, in_out_size, nobias, init_Wt, init_bt)

    def forward(self, x: Any) -> Variable:
        """The result (N, in_out_size) for x (N, in_out_size)."""
        plain = self.activate(self.plain(x))
        gate = sigmoid(self.transform(x))
        return plain * gate + x * (1 - gate)  # type: ignore[no-any-return]
