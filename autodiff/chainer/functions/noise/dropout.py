"""Elements set to zero at random."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.beside import drawing_beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import always
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import as_variable
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced

TRAIN = "train= is gone; use chainer.using_config('train', value)"


def dropout(x: Any, ratio: float = 0.5, **kwargs: Any) -> Any:
    """Each element is zero with probability ``ratio``, and x / (1 - ratio) otherwise.

    Where ``config.train`` is false it is x itself.

    Args:
        x: floats.
        ratio: at least 0, less than 1.
        kwargs: ``mask``, an array like x by which x is multiplied instead; ``return_mask``, whether to return the mask
            too: None where ``config.train`` is false.

    Returns:
        an array like x, or a tuple of it and the mask. The mask is drawn when the function is called: where x is
        traced, it is the same for all examples of ``vmap``.

    Raises:
        ValueError: if ``ratio`` is out of range.
        InvalidType: if x are no floats.

    N. Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, 2014.

    >>> import numpy as np
    >>> dropout(np.array([1.0, 2.0]), mask=np.array([0.0, 2.0]))
    variable([0., 4.])
    """
    mask, return_mask = parse_kwargs(kwargs, ("mask", None), ("return_mask", False), train=TRAIN)
    if not config.train:
        return (unchanged(x), None) if return_mask else unchanged(x)
    if not 0.0 <= ratio < 1.0:
        raise ValueError(f"ratio must be at least 0 and less than 1, got {ratio}{at_user_line()}")
    if mask is None:
        mask = random_mask(x, ratio)
    y = masked(x, mask)
    return (y, mask) if return_mask else y


def masked(x: Any, mask: Any) -> Any:
    """x times the mask."""
    return apply("Dropout", lambda x: x * mask, (x,), check=lambda x: x.dtype.kind == "f")


def unchanged(x: Any) -> Any:
    """The Variable or traced value itself; an array as a Variable."""
    return x if isinstance(x, Traced) else as_variable(x)


def random_mask(x: Any, ratio: float) -> Any:
    """Zeros with probability ``ratio``, and 1 / (1 - ratio) elsewhere."""
    with drawing_beside(x):
        kept = get_array_module(x).random.rand(*x.shape) >= ratio
        return kept * x.dtype.type(1.0 / (1 - ratio))


def shown_ratio(self: Any) -> float:
    """The share that is dropped, which the mask knows by the factor of what stays."""
    return 1 - 1 / float(self.mask.max(initial=1))


Dropout = function_class(
    "Dropout",
    lambda x, dropout_ratio, mask, return_mask: masked(x, mask),  # whether or not the program trains
    "dropout_ratio, mask=None, return_mask=False",
    computed={"dropout_ratio": shown_ratio, "return_mask": always(False)},
    drawn={"mask": lambda self, x: random_mask(x, self.dropout_ratio)},
)
