"""JAX, compiled."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.trees import mapped, path_to_leaf
from benchmarks.contest.work import DonatedWork, Work

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row


class Jax(Peer):
    """`jax.jit(function)` on arrays of its own, each result waited for; float64 is switched on where it is needed."""

    name = "jax"
    distribution = "jax"

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        jax.config.update("jax_enable_x64", program.dtype == "float64")
        function = jax.jit(program.jax(jax, row), donate_argnums=row.donated)
        arguments = mapped(native, inputs)
        wait = partial(wait_for, path_to_leaf(jax.eval_shape(function, *arguments)))
        if row.donated:
            return DonatedWork(function, arguments, wait, row.donated, partial(mapped, copied))
        return Work(function, arguments, wait)

    def release(self) -> None:
        jax.clear_caches()

    def settings(self) -> dict[str, Any]:
        """Where it runs."""
        return {"platform": jax.default_backend()}


def native(leaf: Any) -> Any:
    """Arrays on JAX's device; numbers as they are."""
    return jax.numpy.asarray(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def copied(leaf: Any) -> Any:
    """An array of its own memory."""
    return jax.numpy.array(leaf) if isinstance(leaf, jax.Array) else deepcopy(leaf)


def wait_for(path: list[Any], result: Any) -> None:
    """Block until the call is done: all its results are there when one of them is."""
    for key in path:
        result = result[key]
    result.block_until_ready()
