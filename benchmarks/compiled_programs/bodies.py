"""The forces between a hundred bodies: a sum over all pairs of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

SOFTENING = 0.01


class Bodies(Program):
    """The gradient of the potential, by an array of all differences."""

    name = "bodies"
    title = "gradient of the potential of bodies that attract each other, float64"
    dtype = "float64"
    tolerance = 1e-10
    rows = (Row("100 bodies", (100,), 2.2, "numba", "9.4 us", "8 us"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return standard_normal(random, self.dtype, *row.parameters, 3), random.uniform(0.5, 1.5, row.parameters)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.grad(potential(np))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.grad(potential(jax.numpy))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        gradient = compiled(torch.func.grad(potential(torch)))
        return lambda: gradient(*inputs)

    def drjit(self, drjit: Any, row: Row, inputs: tuple[Any, ...]) -> Function:
        numbers, places = drjit.llvm.ad.Float64, drjit.llvm.ad.UInt32
        (count,), (points, masses) = row.parameters, inputs
        first, second = drjit.meshgrid(drjit.arange(places, count), drjit.arange(places, count))
        mass = numbers(masses)

        @drjit.freeze
        def gradient(x: Any, y: Any, z: Any) -> Any:
            parts = [x, y, z]
            for part in parts:
                drjit.enable_grad(part)
            squares = SOFTENING + sum(
                drjit.square(drjit.gather(numbers, own, first) - drjit.gather(numbers, own, second)) for own in parts
            )
            pairs = drjit.gather(numbers, mass, first) * drjit.gather(numbers, mass, second)
            drjit.backward(drjit.sum(-0.5 * pairs * drjit.rsqrt(squares)))
            return [drjit.grad(own) for own in parts]

        columns = [numbers(np.ascontiguousarray(points[:, k])) for k in range(3)]

        def call() -> Any:
            found = gradient(*(drjit.detach(own) for own in columns))
            drjit.eval(found)
            drjit.sync_thread()
            return found

        return lambda: call()

    def drjit_leaves(self, found: Any) -> Any:
        """The three columns as the gradient."""
        return np.stack([own.numpy() for own in found], axis=1)

    def numba(self, numba: Any, row: Row) -> Function:
        @numba.njit(fastmath=True)
        def gradient(points: Any, masses: Any) -> Any:
            found = np.zeros(points.shape)
            for i in range(len(points)):
                a = b = c = 0.0
                for j in range(len(points)):
                    x, y, z = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1], points[i, 2] - points[j, 2]
                    square = x * x + y * y + z * z + SOFTENING
                    factor = masses[i] * masses[j] / (square * np.sqrt(square))
                    a, b, c = a + factor * x, b + factor * y, c + factor * z
                found[i, 0], found[i, 1], found[i, 2] = a, b, c
            return found

        return gradient  # type: ignore[no-any-return]


def potential(np: Any) -> Function:
    """The energy of all pairs, over one library's names."""

    def energy(points: Any, masses: Any) -> Any:
        apart = points[:, None] - points[None]
        return -0.5 * np.sum(masses[:, None] * masses[None] / np.sqrt(np.sum(apart * apart, -1) + SOFTENING))

    return energy
