"""The link that would run a model of Caffe."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.trace.source import at_user_line


class CaffeFunction(Chain):
    """A model that Caffe has saved: it is not implemented.

    Args:
        model_path: the file.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, model_path: Any) -> None:
        raise NotImplementedError(
            f"chainer.links.caffe.CaffeFunction is not implemented in autodiff{at_user_line()}, got {model_path!r}; "
            "convert the file to npz with Chainer 7 (convert_caffemodel_to_npz), and load that"
        )
