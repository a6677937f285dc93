"""JAX, compiled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from benchmarks.contest.trees import mapped, path_to_leaf
from benchmarks.gpu_contest.clocks import HostClock
from benchmarks.gpu_contest.peers.peer import DevicePeer, Place
from benchmarks.gpu_contest.work import DeviceWork, DonatedDeviceWork

if TYPE_CHECKING:
    from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow


class Jax(DevicePeer):
    """`jax.jit(function)` on arrays of its own. It shows no events: a sample ends when its last result is there."""

    name = "jax"
    distribution = "jax"

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        if not place.standin and jax.default_backend() != "gpu":
            raise RuntimeError(f"JAX finds no GPU, only {jax.default_backend()!r}")
        jax.config.update("jax_default_matmul_precision", "highest")

    def work(self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        function = jax.jit(program.jax(jax, row), donate_argnums=row.donated)  # type: ignore[arg-type]
        arguments = mapped(partial(native, row.kind), inputs)
        clock = HostClock(partial(wait_for, path_to_leaf(jax.eval_shape(function, *arguments))))
        if row.donated:
            return DonatedDeviceWork(function, arguments, HostClock(jax.block_until_ready), row.donated, copied)
        return DeviceWork(function, arguments, clock, noop if row.cold else None)

    def set_precision(self, row: DeviceRow) -> None:
        jax.config.update("jax_default_matmul_precision", "tensorfloat32" if row.precision == "TF32" else "highest")

    def plain(self, leaf: Any) -> Any:
        found = np.asarray(leaf)
        return found.astype(np.float32) if found.dtype.name == "bfloat16" else found

    def release(self) -> None:
        jax.clear_caches()

    def settings(self) -> dict[str, Any]:
        """Where it runs, and the products of matrices."""
        return {"platform": jax.default_backend(), "matmul": jax.config.jax_default_matmul_precision}


def native(kind: str, leaf: Any) -> Any:
    """Arrays on JAX's device, floats of the dtype; numbers as they are."""
    if not isinstance(leaf, (np.ndarray, np.generic)):
        return leaf
    there = jax.numpy.asarray(leaf)
    return there.astype(kind) if there.dtype == np.float32 else there


def copied(tree: Any) -> Any:
    """The same tree of new arrays."""
    return mapped(lambda leaf: jax.numpy.array(leaf) if isinstance(leaf, jax.Array) else leaf, tree)


def wait_for(path: list[Any], result: Any) -> None:
    """Block until the call is done: all its results are there when one of them is."""
    for key in path:
        result = result[key]
    result.block_until_ready()


def noop() -> None:
    """Never called: a cold row leaves JAX out."""
