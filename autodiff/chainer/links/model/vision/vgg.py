"""The networks VGG16 and VGG19."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.functions.activation.softmax import softmax
from autodiff.chainer.functions.noise.dropout import dropout
from autodiff.chainer.functions.pooling.max_pooling_nd import max_pooling_2d
from autodiff.chainer.initializers import Normal, Zero
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.model.vision.layered import LayeredModel
from autodiff.chainer.links.model.vision.preparation import prepared
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line

BLOCKS = {16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""How many convolutions the five blocks have."""

CHANNELS = (3, 64, 128, 256, 512, 512)
"""How many channels images have, and the results of each block."""


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> Any:
    """An image as the networks take it: channels blue, green, red, less their means.

    Args:
        image: an image of Pillow, or an array (3, H, W), (1, H, W) or (H, W) of numbers from 0 to 255.
        size: width and height of the result; None to keep those of the image.

    Returns:
        (3, height, width).
    """
    return prepared(image, size, (103.939, 116.779, 123.68))


class VGGLayers(LayeredModel):
    """VGG with 16 or 19 layers of weights.

    Args:
        pretrained_model: an npz file of weights; ``"auto"`` for the one in Chainer's folder of models; None for random
            ones.
        n_layers: 16 or 19.

    Raises:
        ValueError: for another number of layers.
        NotImplementedError: if the weights are not there, or in a file of Caffe.

    Source: K. Simonyan and A. Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, 2014.
    """

    features = "fc7"
    prepare = staticmethod(prepare)

    def __init__(self, pretrained_model: Any = "auto", n_layers: int = 16) -> None:
        if n_layers not in BLOCKS:
            raise ValueError(f"n_layers must be 16 or 19, got {n_layers}{at_user_line()}")
        super().__init__()
        initial: dict[str, Any] = {"initialW": Zero() if pretrained_model else Normal(0.01), "initial_bias": Zero()}
        with self.init_scope():
            for block, count in enumerate(BLOCKS[16]):
                for layer in range(count):
                    channels = CHANNELS[block + (layer > 0)], CHANNELS[block + 1]
                    setattr(self, f"conv{block + 1}_{layer + 1}", Convolution2D(*channels, 3, 1, 1, **initial))
            self.fc6 = Linear(512 * 7 * 7, 4096, **initial)
            self.fc7 = Linear(4096, 4096, **initial)
            self.fc8 = Linear(4096, 1000, **initial)
            for block in (3, 4, 5) if n_layers == 19 else ():  # their kernels are drawn last, as in Chainer
                channels = CHANNELS[block], CHANNELS[block]
                setattr(self, f"conv{block}_4", Convolution2D(*channels, 3, 1, 1, **initial))
        self._blocks = BLOCKS[n_layers]
        if pretrained_model:
            self._load(pretrained_model, f"VGG_ILSVRC_{n_layers}_layers.npz")

    @property
    def functions(self) -> OrderedDict[str, list[Callable[..., Any]]]:
        layers: OrderedDict[str, list[Callable[..., Any]]] = OrderedDict()
        for block, count in enumerate(self._blocks, 1):
            for layer in range(1, count + 1):
                name = f"conv{block}_{layer}"
                layers[name] = [self[name], relu]
            layers[f"pool{block}"] = [_max_pooling_2d]
        layers["fc6"] = [self.fc6, relu, dropout]
        layers["fc7"] = [self.fc7, relu, dropout]
        layers["fc8"] = [self.fc8]
        layers["prob"] = [softmax]
        return layers


class VGG16Layers(VGGLayers):
    """VGG with 16 layers of weights.

    Its layers are ``conv1_1`` to ``conv5_3``, ``pool1`` to ``pool5``, ``fc6``, ``fc7``, ``fc8`` and ``prob``; a call
    returns a dictionary of those that are asked for.

    Args:
        pretrained_model: an npz file of weights; ``"auto"`` for the one in Chainer's folder of models; None for random
            ones.
    """

    def __init__(self, pretrained_model: Any = "auto") -> None:
        super().__init__(pretrained_model, 16)


class VGG19Layers(VGGLayers):
    """VGG with 19 layers of weights: ``conv1_1`` to ``conv5_4`` and as :class:`VGG16Layers`.

    Args:
        pretrained_model: an npz file of weights; ``"auto"`` for the one in Chainer's folder of models; None for random
            ones.
    """

    def __init__(self, pretrained_model: Any = "auto") -> None:
        super().__init__(pretrained_model, 19)


def _max_pooling_2d(x: Any) -> Variable:
    return max_pooling_2d(x, ksize=2)  # type: ignore[no-any-return]
