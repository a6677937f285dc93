"""The iterator over pipelines of NVIDIA DALI, which is not there."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.dataset.iterator import Iterator


class DaliIterator(Iterator):
    """Batches of a pipeline of NVIDIA DALI. It is not implemented.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, pipeline: Any, repeat: bool = True) -> None:
        raise NotImplementedError(
            "chainer.iterators.DaliIterator is not implemented; use MultiprocessIterator, or an Iterator of your own "
            "around the pipeline"
        )
