"""Networks that return what any of their layers computes, and may have been trained before."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, ClassVar, NoReturn

from autodiff.chainer.chain import Chain
from autodiff.chainer.dataset.convert import concat_examples
from autodiff.chainer.dataset.download import get_dataset_directory
from autodiff.chainer.functions.math.sum import sum
from autodiff.chainer.serializers.npz import load_npz
from autodiff.chainer.utils.argument import assert_kwargs_empty, check_unexpected_kwargs
from autodiff.chainer.utils.imgproc import oversample as ten_crops
from autodiff.facade import Variable, no_backprop_mode
from autodiff.facade.settings.configuration import using_config
from autodiff.trace.source import at_user_line

TEST = "test= is gone; use chainer.using_config('train', value)"
VOLATILE = "volatile= is gone; use chainer.using_config('enable_backprop', value)"


class LayeredModel(Chain):
    """A network of named layers that classifies photographs."""

    features: ClassVar[str]
    prepare: ClassVar[Callable[..., Any]]
    branches: ClassVar[dict[str, str]] = {}

    @property
    def functions(self) -> OrderedDict[str, list[Callable[..., Any]]]:
        """For each layer the functions that it calls one behind another."""
        raise NotImplementedError(f"{type(self).__name__} does not say which layers it has")

    @property
    def available_layers(self) -> list[str]:
        """The names of the layers."""
        return list(self.functions)

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel: Any, path_npz: Any) -> NoReturn:
        """Write the weights of a model of Caffe as npz: it is not implemented.

        Args:
            path_caffemodel: the file of Caffe.
            path_npz: the file to be written.
        """
        refuse_caffe(cls.__name__, path_caffemodel)

    def _load(self, pretrained_model: Any, cached: str) -> None:
        """Load weights from a file; ``"auto"`` stands for a file of a name in Chainer's folder of models."""
        if pretrained_model == "auto":
            pretrained_model = os.path.join(get_dataset_directory("pfnet/chainer/models", False), cached)
            if not os.path.exists(pretrained_model):
                refuse_download(type(self).__name__, pretrained_model)
        if str(pretrained_model).endswith(".caffemodel"):
            refuse_caffe(type(self).__name__, pretrained_model)
        load_npz(pretrained_model, self)

    def forward(self, x: Any, layers: Iterable[str] | None = None, **kwargs: Any) -> dict[str, Variable]:
        """What layers compute, by their names.

        Args:
            x: prepared images (N, 3, height, width).
            layers: names of layers; ``["prob"]`` if None.
            kwargs: must be empty.

        Raises:
            ValueError: if there is no such layer.
        """
        check_unexpected_kwargs(kwargs, test=TEST)
        assert_kwargs_empty(kwargs)
        wanted = ["prob"] if layers is None else list(layers)
        functions = self.functions
        needed = self._needed(wanted, functions)
        outputs: dict[str, Any] = {}
        for name in functions:
            if name in needed:
                x = outputs[self.branches[name]] if name in self.branches else x
                for function in functions[name]:
                    x = function(x)
                if name in wanted or name in self.branches.values():
                    outputs[name] = x
        return {name: outputs[name] for name in functions if name in wanted}

    def _needed(self, wanted: Iterable[str], functions: Iterable[str]) -> set[str]:
        """Wanted layers and all that they are computed from."""
        unknown = set(wanted) - set(functions)
        if unknown:
            raise ValueError(f"there are no layers {sorted(unknown)}{at_user_line()}; there are {list(functions)}")
        before = {later: earlier for earlier, later in pairwise(functions)} | self.branches
        needed: set[str] = set()
        for name in wanted:
            layer: str | None = name
            while layer is not None and layer not in needed:
                needed.add(layer)
                layer = before.get(layer)
        return needed

    def extract(
        self,
        images: Sequence[Any],
        layers: Iterable[str] | None = None,
        size: tuple[int, int] | None = (224, 224),
        **kwargs: Any,
    ) -> dict[str, Variable]:
        """What layers compute for images, by their names.

        Args:
            images: images of Pillow, or arrays (3, H, W).
            layers: names of layers; the features before the classification if None.
            size: width and height that images get.
            kwargs: must be empty.
        """
        check_unexpected_kwargs(kwargs, test=TEST, volatile=VOLATILE)
        assert_kwargs_empty(kwargs)
        x = concat_examples([type(self).prepare(image, size=size) for image in images])
        return self(  # type: ignore[no-any-return]
            Variable(self.xp.asarray(x)), layers=[self.features] if layers is None else layers
        )

    def predict(self, images: Sequence[Any], oversample: bool = True) -> Variable:
        """Probabilities of classes, (N, classes).

        Args:
            images: images of Pillow, or arrays (3, H, W).
            oversample: whether to take the mean over ten crops of each.
        """
        x = concat_examples([type(self).prepare(image, size=(256, 256)) for image in images])
        x = ten_crops(x, (224, 224)) if oversample else x[:, :, 16:240, 16:240]
        with no_backprop_mode(), using_config("train", False):
            y = self(Variable(self.xp.asarray(x)))["prob"]
            return sum(y.reshape(len(images), -1, y.shape[1]), axis=1) / (10 if oversample else 1)


def refuse_download(model: str, path: str) -> NoReturn:
    """Say that trained weights must be there."""
    raise NotImplementedError(
        f"{model} does not download its trained weights{at_user_line()}; give pretrained_model= the path of an npz "
        f"file of Chainer, or put it at {path}; pretrained_model=None starts with random ones"
    )


def refuse_caffe(model: str, path: Any) -> NoReturn:
    """Say that files of Caffe are not read."""
    raise NotImplementedError(
        f"{model} does not read models of Caffe{at_user_line()}, got {path!r}; write it as npz with Chainer 7 "
        "(convert_caffemodel_to_npz), and give pretrained_model= the path of that"
    )
