"""Arrays whose dtypes say the byte order: those of files, and those that were brought to this machine's."""

import pickle
import sys

import numpy as np
import pytest

import autodiff

ORDERS = {
    "named": lambda x: x.astype(x.dtype.newbyteorder("<" if sys.byteorder == "little" else ">")),
    "swapped twice": lambda x: x.astype(x.dtype.newbyteorder()).byteswap().view(x.dtype.newbyteorder().newbyteorder()),
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    "with metadata": lambda x: x.astype(np.dtype(x.dtype, metadata={"unit": "m"})),
}
PROGRAMS = {
    "product": lambda x: x * 2.5,
    "sum": lambda x: np.sum(x * x),
    "gradient": autodiff.grad(lambda x: np.sum(np.tanh(x) @ x.T)),
    "integers": lambda x: (x * 3).astype(int),
    "scan": lambda x: autodiff.scan(lambda c, row: (c + row, c * 2), x[0], x)[1],
    "cond": lambda x: autodiff.cond(np.sum(x) > 0, lambda x: x, lambda x: x * 2, x),
    "while_loop": lambda x: autodiff.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] * 2), (0, x))[1],
    "checkpoint": autodiff.grad(lambda x: np.sum(autodiff.checkpoint(np.sin)(x))),
    "hvp": lambda x: autodiff.hvp(lambda x: np.sum(x**3), (x,), (np.ones_like(x),)),
    "associative_scan": lambda x: autodiff.associative_scan(np.multiply, x),
    "pure_callback": lambda x: autodiff.pure_callback(np.sin, x, x),
    "inverse": lambda x: np.linalg.inv(x @ x.T + np.eye(len(x))),
}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_array_of_a_shape_and_others(name, order, dtype):
    place = list(ORDERS).index(order), list(PROGRAMS).index(name), dtype == "f4"
    columns = 100 + np.ravel_multi_index(place, (len(ORDERS), len(PROGRAMS), 2))  # a shape that no other array had
    x = np.linspace(0.1, 0.9, 3 * columns).reshape(3, columns)[:, ::2].astype(dtype)
    unlike = ORDERS[order](x)
    program = autodiff.jit(PROGRAMS[name])
    results = [program(each) for each in (unlike, x, unlike)]
    for result in results:
        np.testing.assert_allclose(result, PROGRAMS[name](x), rtol=2e-4)
