"""The link that would run a function of Theano."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.link import Link
from autodiff.trace.source import at_user_line


class TheanoFunction(Link):
    """A function that Theano has compiled: it is not implemented.

    Args:
        inputs: inputs of its graph.
        outputs: outputs of its graph.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, inputs: Any, outputs: Any) -> None:
        raise NotImplementedError(
            f"chainer.links.TheanoFunction is not implemented in autodiff{at_user_line()}; write the function with "
            "NumPy, whose functions work on Variables"
        )
