"""einops and opt_einsum on traced arrays and Variables: values and derivatives are those of plain NumPy."""

from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff.testing import check_grads

einops = pytest.importorskip("einops")
import autodiff.einops  # noqa: E402

X = np.linspace(-1.0, 1.0, 2 * 4 * 6).reshape(2, 4, 6)
W = np.linspace(0.5, 1.5, 6 * 3).reshape(6, 3)

PROGRAMS: dict[str, Any] = {
    "rearrange": lambda x: einops.rearrange(x, "b (h h2) w -> b h (w h2)", h2=2),
    "rearrange a list": lambda x: einops.rearrange([x[0], 2 * x[1]], "b h w -> (b w) h"),
    "new axes": lambda x: einops.rearrange(x, "b h w -> b 1 w h 1"),
    "sum": lambda x: einops.reduce(x, "b (h h2) w -> h b", "sum", h2=2),
    "mean": lambda x: einops.reduce(x, "b h w -> 1 h 1", "mean"),
    "max": lambda x: einops.reduce(x, "b (h h2) (w w2) -> b h w", "max", h2=2, w2=3),
    "prod": lambda x: einops.reduce(x + 2, "b h w -> b w", "prod"),
    "repeat": lambda x: einops.repeat(x, "b h w -> (2 b) h w c", c=3),
    "einsum": lambda x: einops.einsum(x, W, "b h w, w c -> b c h"),
    "einsum, weights first": lambda x: einops.einsum(W, x, "w c, b h w -> c"),
    "pack": lambda x: einops.pack([x, x[:, :, 0]], "b *")[0],
    "unpack": lambda x: einops.unpack(einops.pack([x, x[:, :, 0]], "b *")[0], [(4, 6), (4,)], "b *")[0] ** 2,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_einops(name: str) -> None:
    program = PROGRAMS[name]
    wanted = program(X)
    np.testing.assert_allclose(autodiff.jit(program)(X), wanted, rtol=1e-12)
    np.testing.assert_allclose(autodiff.vmap(program)(np.stack([X, 2 * X]))[0], wanted, rtol=1e-12)
    check_grads(program, (X,))
    gradient = autodiff.grad(lambda x: np.sum(program(x) ** 2))(X)
    v = autodiff.Variable(X.copy())
    np.sum(program(v) ** 2).backward()
    np.testing.assert_allclose(v.grad, gradient, rtol=1e-12)
    np.testing.assert_allclose(autodiff.jit(autodiff.grad(lambda x: np.sum(program(x) ** 2)))(X), gradient, rtol=1e-9)
