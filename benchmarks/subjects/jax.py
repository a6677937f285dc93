"""JAX without `jit`: every operation is dispatched by itself. Slow, so only a few steps are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from benchmarks.subjects.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    Array = np.ndarray[Any, Any]


class Jax(Subject):
    """`out, pullback = jax.vjp(program, *leaves)`, then `pullback(seed)`, each waited for."""

    name = "jax eager"
    distribution = "jax"
    dtypes = ("float32",)  # float64 is a switch for the whole process
    most_operations = 40
    long_chains = False
    multiply = staticmethod(jnp.multiply)
    add = staticmethod(jnp.add)
    tanh = staticmethod(jnp.tanh)

    def constant(self, array: Array) -> Any:
        """An array on JAX's device."""
        return jnp.asarray(array)

    def leaf(self, array: Array) -> Any:
        """The same."""
        return jnp.asarray(array)

    def forward(self, program: Callable[..., Any], leaves: Sequence[Any]) -> Any:
        """The output and its pullback."""
        state = jax.vjp(program, *leaves)
        state[0].block_until_ready()
        return state

    def backward(self, state: Any, leaves: Sequence[Any], seed: Any) -> Sequence[Any]:
        """The pullback of the seed."""
        return [gradient.block_until_ready() for gradient in state[1](seed)]

    def value(self, state: Any) -> Any:
        """The output."""
        return state[0]
