"""The networks ResNet50, ResNet101 and ResNet152."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NoReturn

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.functions.activation.softmax import softmax
from autodiff.chainer.functions.pooling.average_pooling_2d import average_pooling_2d
from autodiff.chainer.functions.pooling.max_pooling_nd import max_pooling_2d
from autodiff.chainer.initializers import HeNormal, Zero
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.model.vision.layered import LayeredModel, refuse_caffe
from autodiff.chainer.links.model.vision.preparation import prepared
from autodiff.chainer.links.normalization.batch_normalization import BatchNormalization
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line

BLOCKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
"""How many bottlenecks the four blocks have."""


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> Any:
    """An image as the networks take it: channels blue, green, red, less their means.

    Args:
        image: an image of Pillow, or an array (3, H, W), (1, H, W) or (H, W) of numbers from 0 to 255.
        size: width and height of the result; None to keep those of the image.

    Returns:
        (3, height, width).
    """
    return prepared(image, size, (103.063, 115.903, 123.152))


class ResNetLayers(LayeredModel):
    """ResNet with 50, 101 or 152 layers of weights.

    Its layers are ``conv1``, ``pool1``, ``res2`` to ``res5``, ``pool5``, ``fc6`` and ``prob``; a call returns a
    dictionary of those that are asked for.

    Args:
        pretrained_model: an npz file of weights; ``"auto"`` for the one in Chainer's folder of models; None for random
            ones.
        n_layers: 50, 101 or 152.
        downsample_fb: whether the convolutions of 3 pixels have the steps of 2, instead of those of 1 pixel.

    Raises:
        ValueError: for another number of layers.
        NotImplementedError: if the weights are not there, or in a file of Caffe.

    Source: K. He, X. Zhang, S. Ren and J. Sun, Deep Residual Learning for Image Recognition, 2015.
    """

    features = "pool5"
    prepare = staticmethod(prepare)

    def __init__(self, pretrained_model: Any, n_layers: int, downsample_fb: bool = False) -> None:
        if n_layers not in BLOCKS:
            raise ValueError(f"n_layers must be 50, 101 or 152, got {n_layers}{at_user_line()}")
        super().__init__()
        initialW = Zero() if pretrained_model else HeNormal(scale=1.0)
        blocks = BLOCKS[n_layers]
        options = initialW, downsample_fb
        with self.init_scope():
            self.conv1 = Convolution2D(3, 64, 7, 2, 3, initialW=initialW)
            self.bn1 = BatchNormalization(64)
            self.res2 = BuildingBlock(blocks[0], 64, 64, 256, 1, *options)
            self.res3 = BuildingBlock(blocks[1], 256, 128, 512, 2, *options)
            self.res4 = BuildingBlock(blocks[2], 512, 256, 1024, 2, *options)
            self.res5 = BuildingBlock(blocks[3], 1024, 512, 2048, 2, *options)
            self.fc6 = Linear(2048, 1000, initialW=Zero() if pretrained_model else None)
        if pretrained_model:
            self._load(pretrained_model, f"ResNet-{n_layers}-model.npz")

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel: Any, path_npz: Any, n_layers: int = 50) -> NoReturn:
        """Write the weights of a model of Caffe as npz: it is not implemented.

        Args:
            path_caffemodel: the file of Caffe.
            path_npz: the file to be written.
            n_layers: 50, 101 or 152.
        """
        refuse_caffe(cls.__name__, path_caffemodel)

    @property
    def functions(self) -> OrderedDict[str, list[Callable[..., Any]]]:
        return OrderedDict(
            conv1=[self.conv1, self.bn1, relu],
            pool1=[_max_pooling_2d],
            res2=[self.res2],
            res3=[self.res3],
            res4=[self.res4],
            res5=[self.res5],
            pool5=[_global_average_pooling_2d],
            fc6=[self.fc6],
            prob=[softmax],
        )


class ResNet50Layers(ResNetLayers):
    """:class:`ResNetLayers` with 50 layers."""

    def __init__(self, pretrained_model: Any = "auto", downsample_fb: bool = False) -> None:
        super().__init__(pretrained_model, 50, downsample_fb)


class ResNet101Layers(ResNetLayers):
    """:class:`ResNetLayers` with 101 layers."""

    def __init__(self, pretrained_model: Any = "auto", downsample_fb: bool = False) -> None:
        super().__init__(pretrained_model, 101, downsample_fb)


class ResNet152Layers(ResNetLayers):
    """:class:`ResNetLayers` with 152 layers."""

    def __init__(self, pretrained_model: Any = "auto", downsample_fb: bool = False) -> None:
        super().__init__(pretrained_model, 152, downsample_fb)


class BuildingBlock(Chain):
    """Bottlenecks one behind another, called ``a``, ``b1``, ``b2``, ...

    Args:
        n_layers: how many.
        in_channels: how many channels images have.
        mid_channels: how many channels the bottlenecks have within.
        out_channels: how many channels the results have.
        stride: steps of the first one.
        initialW: what fills kernels, as for :class:`Convolution2D`.
        downsample_fb: whether the convolution of 3 pixels has the steps, instead of the one of 1 pixel.
    """

    def __init__(
        self,
        n_layers: int,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        stride: int,
        initialW: Any = None,
        downsample_fb: bool = False,
    ) -> None:
        super().__init__()
        self._forward = ["a", *(f"b{index}" for index in range(1, n_layers))]
        with self.init_scope():
            self.a = BottleneckA(in_channels, mid_channels, out_channels, stride, initialW, downsample_fb)
            for name in self._forward[1:]:
                setattr(self, name, BottleneckB(out_channels, mid_channels, initialW))

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, h, w)."""
        for name in self._forward:
            x = self[name](x)
        return x  # type: ignore[no-any-return]


class BottleneckA(Chain):
    """Convolutions of 1, 3 and 1 pixels, plus one of 1 pixel: a residual with other shapes of inputs and results.

    Args:
        in_channels: how many channels images have.
        mid_channels: how many channels there are within.
        out_channels: how many channels the results have.
        stride: steps of the bottleneck.
        initialW: what fills kernels, as for :class:`Convolution2D`.
        downsample_fb: whether the convolution of 3 pixels has the steps, instead of the one of 1 pixel.
    """

    def __init__(
        self,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        stride: int = 2,
        initialW: Any = None,
        downsample_fb: bool = False,
    ) -> None:
        super().__init__()
        kernels = {"initialW": initialW, "nobias": True}
        first, second = (1, stride) if downsample_fb else (stride, 1)
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, mid_channels, 1, first, 0, **kernels)
            self.bn1 = BatchNormalization(mid_channels)
            self.conv2 = Convolution2D(mid_channels, mid_channels, 3, second, 1, **kernels)
            self.bn2 = BatchNormalization(mid_channels)
            self.conv3 = Convolution2D(mid_channels, out_channels, 1, 1, 0, **kernels)
            self.bn3 = BatchNormalization(out_channels)
            self.conv4 = Convolution2D(in_channels, out_channels, 1, stride, 0, **kernels)
            self.bn4 = BatchNormalization(out_channels)

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, h, w)."""
        h = relu(self.bn1(self.conv1(x)))
        h = relu(self.bn2(self.conv2(h)))
        return relu(self.bn3(self.conv3(h)) + self.bn4(self.conv4(x)))


class BottleneckB(Chain):
    """Convolutions of 1, 3 and 1 pixels, plus x.

    Args:
        in_channels: how many channels x and the results have.
        mid_channels: how many channels there are within.
        initialW: what fills kernels, as for :class:`Convolution2D`.
    """

    def __init__(self, in_channels: int, mid_channels: int, initialW: Any = None) -> None:
        super().__init__()
        kernels = {"initialW": initialW, "nobias": True}
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, mid_channels, 1, 1, 0, **kernels)
            self.bn1 = BatchNormalization(mid_channels)
            self.conv2 = Convolution2D(mid_channels, mid_channels, 3, 1, 1, **kernels)
            self.bn2 = BatchNormalization(mid_channels)
            self.conv3 = Convolution2D(mid_channels, in_channels, 1, 1, 0, **kernels)
            self.bn3 = BatchNormalization(in_channels)

    def forward(self, x: Any) -> Variable:
        """The results, an array like x."""
        h = relu(self.bn1(self.conv1(x)))
        h = relu(self.bn2(self.conv2(h)))
        return relu(self.bn3(self.conv3(h)) + x)


def _max_pooling_2d(x: Any) -> Variable:
    return max_pooling_2d(x, ksize=3, stride=2)  # type: ignore[no-any-return]


def _global_average_pooling_2d(x: Any) -> Variable:
    return average_pooling_2d(x, x.shape[2:], stride=1).reshape(x.shape[:2])
