"""opt_einsum on traced arrays: paths of many products, differentiated and compiled."""

from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff.testing import check_grads

opt_einsum = pytest.importorskip("opt_einsum")

A, B, C = (np.linspace(-1.0, 1.0, 12).reshape(shape) for shape in ((3, 4), (4, 3), (3, 4)))


def chain(a: Any, b: Any, c: Any) -> Any:
    return opt_einsum.contract("ij,jk,kl->il", a, b, c)


def trace(a: Any, b: Any, c: Any) -> Any:
    return opt_einsum.contract("ij,jk,ij->k", a, b, c, optimize="optimal")


@pytest.mark.parametrize("program", [chain, trace])
def test_contractions(program: Any) -> None:
    wanted = program(A, B, C)
    np.testing.assert_allclose(autodiff.jit(program)(A, B, C), wanted, rtol=1e-12, atol=1e-15)
    check_grads(program, (A, B, C))
    expected = np.stack([program(A * s, B, C) for s in (1.0, 2.0)])
    np.testing.assert_allclose(
        autodiff.vmap(program, in_axes=(0, None, None))(np.stack([A, 2 * A]), B, C), expected, rtol=1e-12
    )


def test_an_expression_that_is_kept() -> None:
    expression = opt_einsum.contract_expression("ij,jk,kl->", (3, 4), (4, 3), (3, 4))
    found = autodiff.jit(autodiff.grad(lambda a: expression(a, B, C)))(A)
    np.testing.assert_allclose(found, np.outer(np.ones(3), B @ C @ np.ones(4)), rtol=1e-12)
