"""The network GoogLeNet."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar

from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.functions.activation.softmax import softmax
from autodiff.chainer.functions.noise.dropout import dropout
from autodiff.chainer.functions.normalization.local_response_normalization import local_response_normalization
from autodiff.chainer.functions.pooling.average_pooling_2d import average_pooling_2d
from autodiff.chainer.functions.pooling.max_pooling_nd import max_pooling_2d
from autodiff.chainer.initializers import LeCunUniform, Zero
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.chainer.links.connection.inception import Inception
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.model.vision.layered import LayeredModel
from autodiff.chainer.links.model.vision.preparation import prepared
from autodiff.facade import Variable

INCEPTIONS = {
    "inc3a": (192,  64,  96, 128, 16,  32,  32),
    "inc3b": (256, 128, 128, 192, 32,  96,  64),
    "inc4a": (480, 192,  96, 208, 16,  48,  64),
    "inc4b": (512, 160, 112, 224, 24,  64,  64),
    "inc4c": (512, 128, 128, 256, 24,  64,  64),
    "inc4d": (512, 112, 144, 288, 32,  64,  64),
    "inc4e": (528, 256, 160, 320, 32, 128, 128),
    "inc5a": (832, 256, 160, 320, 32, 128, 128),
    "inc5b": (832, 384, 192, 384, 48, 128, 128),
}  # fmt: skip
"""The numbers of channels of each Inception module."""


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> Any:
    """An image as the network takes it: channels blue, green, red, less their means.

    Args:
        image: an image of Pillow, or an array (3, H, W), (1, H, W) or (H, W) of numbers from 0 to 255.
        size: width and height of the result; None to keep those of the image.

    Returns:
        (3, height, width).
    """
    return prepared(image, size, (104.0, 117.0, 123.0))


class GoogLeNet(LayeredModel):
    """GoogLeNet, with the two classifiers at its side.

    Its layers are ``conv1``, ``pool1``, ``conv2_reduce``, ``conv2``, ``pool2``, ``inception_3a`` to ``inception_5b``,
    ``pool3`` to ``pool5``, ``loss3_fc``, ``prob``, ``loss1_fc2`` and ``loss2_fc2``; a call returns a dictionary of
    those that are asked for.

    Args:
        pretrained_model: an npz file of weights; ``"auto"`` for the one in Chainer's folder of models; None for random
            ones.

    Raises:
        NotImplementedError: if the weights are not there, or in a file of Caffe.

    Source: C. Szegedy et al., Going Deeper with Convolutions, 2014.
    """

    features = "pool5"
    prepare = staticmethod(prepare)
    inc3a: Inception
    inc3b: Inception
    inc4a: Inception
    inc4b: Inception
    inc4c: Inception
    inc4d: Inception
    inc4e: Inception
    inc5a: Inception
    inc5b: Inception
    branches: ClassVar = {"loss1_fc2": "inception_4a", "loss2_fc2": "inception_4d"}

    def __init__(self, pretrained_model: Any = "auto") -> None:
        super().__init__()
        initial: dict[str, Any] = {"initialW": Zero() if pretrained_model else LeCunUniform(), "initial_bias": 0}
        with self.init_scope():
            self.conv1 = Convolution2D(3, 64, 7, stride=2, pad=3, **initial)
            self.conv2_reduce = Convolution2D(64, 64, 1, **initial)
            self.conv2 = Convolution2D(64, 192, 3, stride=1, pad=1, **initial)
            for name, channels in INCEPTIONS.items():
                setattr(self, name, Inception(*channels, conv_init=Zero() if pretrained_model else None))
            self.loss3_fc = Linear(1024, 1000, **initial)
            self.loss1_conv = Convolution2D(512, 128, 1, **initial)
            self.loss1_fc1 = Linear(2048, 1024, **initial)
            self.loss1_fc2 = Linear(1024, 1000, **initial)
            self.loss2_conv = Convolution2D(528, 128, 1, **initial)
            self.loss2_fc1 = Linear(2048, 1024, **initial)
            self.loss2_fc2 = Linear(1024, 1000, **initial)
        if pretrained_model:
            self._load(pretrained_model, "bvlc_googlenet.npz")

    @property
    def functions(self) -> OrderedDict[str, list[Callable[..., Any]]]:
        return OrderedDict(
            conv1=[self.conv1, relu],
            pool1=[_max_pooling_2d, _local_response_normalization],
            conv2_reduce=[self.conv2_reduce, relu],
            conv2=[self.conv2, relu, _local_response_normalization],
            pool2=[_max_pooling_2d],
            inception_3a=[self.inc3a],
            inception_3b=[self.inc3b],
            pool3=[_max_pooling_2d],
            inception_4a=[self.inc4a],
            inception_4b=[self.inc4b],
            inception_4c=[self.inc4c],
            inception_4d=[self.inc4d],
            inception_4e=[self.inc4e],
            pool4=[_max_pooling_2d],
            inception_5a=[self.inc5a],
            inception_5b=[self.inc5b],
            pool5=[_average_pooling_2d_k7],
            loss3_fc=[_dropout, self.loss3_fc],
            prob=[softmax],
            loss1_fc2=[_average_pooling_2d_k5, self.loss1_conv, relu, self.loss1_fc1, relu, self.loss1_fc2],
            loss2_fc2=[_average_pooling_2d_k5, self.loss2_conv, relu, self.loss2_fc1, relu, self.loss2_fc2],
        )


def _max_pooling_2d(x: Any) -> Variable:
    return max_pooling_2d(x, ksize=3, stride=2)  # type: ignore[no-any-return]


def _local_response_normalization(x: Any) -> Variable:
    return local_response_normalization(x, n=5, k=1, alpha=1e-4 / 5)


def _average_pooling_2d_k5(x: Any) -> Variable:
    return average_pooling_2d(x, ksize=5, stride=3)


def _average_pooling_2d_k7(x: Any) -> Variable:
    return average_pooling_2d(x, ksize=7, stride=1)


def _dropout(x: Any) -> Variable:
    return dropout(x, ratio=0.4)  # type: ignore[no-any-return]
