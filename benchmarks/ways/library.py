"""What programs are written with: NumPy's names, and the transformations of one library."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import autodiff
from autodiff.scipy import special

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Function = Callable[..., Any]


@dataclass(frozen=True)
class Library:
    """A library under one set of names.

    Attributes:
        np: its functions of arrays.
        special: its special functions.
        scan: its loop.
        vmap: its batches.
        gradient: the compiled gradient of a function by its first argument, whose result is there when it returns.
    """

    np: Any
    special: Any
    scan: Function
    vmap: Function
    grad: Function
    gradient: Function


@dataclass(frozen=True)
class Program:
    """One loss, written in several ways.

    Attributes:
        arguments: it is differentiated with respect to the first.
        ways: by what they are called: from a library to the loss.
        ours_alone: ways that the peer takes minutes to compile.
    """

    arguments: tuple[Any, ...]
    ways: Mapping[str, Callable[[Library], Function]]
    ours_alone: tuple[str, ...] = ()


def ours() -> Library:
    """autodiff."""
    return Library(
        np, special, autodiff.scan, autodiff.vmap, autodiff.grad, lambda loss: autodiff.jit(autodiff.grad(loss))
    )


def theirs() -> Library:
    """JAX, in double precision."""
    import jax  # noqa: PLC0415 - a peer, which need not be there

    jax.config.update("jax_enable_x64", True)

    def gradient(loss: Function) -> Function:
        compiled = jax.jit(jax.grad(loss))
        return lambda *args: jax.block_until_ready(compiled(*args))

    return Library(jax.numpy, jax.scipy.special, jax.lax.scan, jax.vmap, jax.grad, gradient)


def in_python(lib: Library) -> Library:
    """The same library whose loops are Python's, which tracing writes out step by step."""

    def scan(step: Function, carry: Any, xs: Any, length: int | None = None) -> tuple[Any, Any]:
        results = []
        for x in [None] * (length or 0) if xs is None else xs:
            carry, y = step(carry, x)
            results.append(y)
        return carry, None if results[0] is None else lib.np.stack(results)

    return replace(lib, scan=scan)
