"""Arrays that code of which only shapes are known closes over: their layout is known, that of what is made of them not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import checkpoint, jit, scan, vjp, vmap
from tests.numpy.layouts import LAYOUTS, REPEATED

X = np.arange(12.0).reshape(3, 4)


def written(copy: Any) -> Any:
    """A copy of which an element is changed through a view, if its order makes it one."""
    copy.reshape(-1)[0] = 9.0
    return copy


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "copy": lambda x: x.copy(),
    "copy in F": lambda x: x.copy("F"),
    "copy in K": lambda x: x.copy("K"),
    "np.copy": np.copy,
    "ravel": lambda x: x.ravel(),
    "ravel in F": lambda x: x.ravel("F"),
    "reshape": lambda x: x.reshape(-1),
    "reshape in F": lambda x: x.reshape((4, 3), order="F"),
    "written in C": lambda x: written(x.copy()),
    "roll": lambda x: np.roll(x, 1),
    "flat": lambda x: x.flat[5],
}

WAYS: dict[str, Callable[[Callable[[Any], Any], Any], Any]] = {
    "a batch": lambda f, x: vjp(lambda x: vmap(lambda a: f(x) * a)(np.ones(2)), x)[0][1],
    "a batch of derivatives": lambda f, x: vmap(lambda a: vjp(f, x)[0] * a)(np.ones(2))[1],
    "a scan": lambda f, x: vjp(lambda x: scan(lambda c, _: (c, f(x) * 1.0), 0.0, None, length=2)[1], x)[0][1],
    "a checkpoint": lambda f, x: vjp(checkpoint(lambda a: f(x) * a), np.float64(1.0))[0],
    "a program": lambda f, x: jit(lambda a: f(x) * a, backend="numpy")(1.0),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_closed_over_is_read_in_numpys_order(name: str, way: str) -> None:
    function = FUNCTIONS[name]
    for lay_out in (np.asfortranarray, np.array, *LAYOUTS, *REPEATED):
        x = lay_out(X)
        np.testing.assert_array_equal(WAYS[way](function, x), function(x.copy(order="K")), err_msg=lay_out.__name__)
