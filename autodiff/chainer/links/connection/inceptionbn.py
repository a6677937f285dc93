"""The link of the Inception module with batch normalization."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.functions.array.concat import concat
from autodiff.chainer.functions.pooling.average_pooling_2d import average_pooling_2d
from autodiff.chainer.functions.pooling.max_pooling_nd import max_pooling_2d
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.chainer.links.normalization.batch_normalization import BatchNormalization
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line

POOLINGS = {"max": max_pooling_2d, "avg": average_pooling_2d}


class InceptionBN(Chain):
    """Convolutions of 1 pixel, of 3, twice of 3, and a pooling side by side, each with batch normalization.

    Args:
        in_channels: how many channels images have; None to learn it from the first ones.
        out1: how many channels the convolution of 1 pixel has; 0 for none.
        proj3: how many channels are left for the one of 3 pixels.
        out3: how many channels it has.
        proj33: how many channels are left for the two of 3 pixels.
        out33: how many channels they have.
        pooltype: ``"max"`` or ``"avg"``.
        proj_pool: how many channels the pooling has; None for those of the images.
        stride: steps of all branches. Only without ``out1`` it may be other than 1.
        conv_init: what fills kernels, as ``initialW`` of :class:`Convolution2D`.
        dtype: the dtype of batch normalization.

    Raises:
        NotImplementedError: for another pooling.
        AssertionError: if ``out1`` is given together with a stride, or without ``proj_pool``.

    Source: S. Ioffe and C. Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift, 2015.

    >>> import numpy as np
    >>> InceptionBN(3, 1, 2, 3, 4, 5, "max", 6)(np.ones((2, 3, 4, 4), np.float32)).shape
    (2, 15, 4, 4)
    """

    def __init__(
        self,
        in_channels: int | None,
        out1: int,
        proj3: int,
        out3: int,
        proj33: int,
        out33: int,
        pooltype: str,
        proj_pool: int | None = None,
        stride: int = 1,
        conv_init: Any = None,
        dtype: Any = None,
    ) -> None:
        check_branches(out1, pooltype, proj_pool, stride)
        super().__init__()
        self.out1, self.proj_pool, self.stride, self.pooltype = out1, proj_pool, stride, pooltype
        kernels = {"nobias": True, "initialW": conv_init}
        with self.init_scope():
            self.proj3 = Convolution2D(in_channels, proj3, 1, **kernels)
            self.conv3 = Convolution2D(proj3, out3, 3, pad=1, stride=stride, **kernels)
            self.proj33 = Convolution2D(in_channels, proj33, 1, **kernels)
            self.conv33a = Convolution2D(proj33, out33, 3, pad=1, **kernels)
            self.conv33b = Convolution2D(out33, out33, 3, pad=1, stride=stride, **kernels)
            self.proj3n = BatchNormalization(proj3, dtype=dtype)
            self.conv3n = BatchNormalization(out3, dtype=dtype)
            self.proj33n = BatchNormalization(proj33, dtype=dtype)
            self.conv33an = BatchNormalization(out33, dtype=dtype)
            self.conv33bn = BatchNormalization(out33, dtype=dtype)
            if out1 > 0:
                self.conv1 = Convolution2D(in_channels, out1, 1, stride=stride, **kernels)
                self.conv1n = BatchNormalization(out1, dtype=dtype)
            if proj_pool is not None:
                self.poolp = Convolution2D(in_channels, proj_pool, 1, **kernels)
                self.poolpn = BatchNormalization(proj_pool, dtype=dtype)

    def forward(self, x: Any) -> Variable:
        """The results (N, out1 + out3 + out33 + proj_pool, h, w) for images (N, in_channels, h, w)."""
        branches = [self.conv1n(self.conv1(x))] if self.out1 > 0 else []
        h3 = relu(self.proj3n(self.proj3(x)))
        h33 = relu(self.proj33n(self.proj33(x)))
        h33 = relu(self.conv33an(self.conv33a(h33)))
        branches += [self.conv3n(self.conv3(h3)), self.conv33bn(self.conv33b(h33))]
        pool = POOLINGS[self.pooltype](x, 3, stride=self.stride, pad=1, **self._covering())
        if self.proj_pool is None:
            return concat([*map(relu, branches), pool], axis=1)
        return relu(concat([*branches, self.poolpn(self.poolp(pool))], axis=1))

    def _covering(self) -> dict[str, bool]:
        return {"cover_all": False} if self.pooltype == "max" else {}


def check_branches(out1: int, pooltype: str, proj_pool: int | None, stride: int) -> None:
    """See that the branches fit together."""
    if pooltype not in POOLINGS:
        raise NotImplementedError(f"pooltype is 'max' or 'avg', got {pooltype!r}{at_user_line()}")
    if out1 > 0 and (stride != 1 or proj_pool is None):
        raise AssertionError(
            f"with out1={out1} the stride must be 1 and proj_pool a number, got stride={stride} and "
            f"proj_pool={proj_pool}{at_user_line()}"
        )
