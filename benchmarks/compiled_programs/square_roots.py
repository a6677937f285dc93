"""Newton's method for many square roots: loops under vmap, by count and by condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Program, Row

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

STEPS, TOLERANCE = 20, 1e-9


class CountedSquareRoots(Program):
    """Value and gradient of the sum of 1e4 roots, each of 20 steps of a `fori_loop`."""

    name = "square roots by fori_loop"
    title = "20 Newton steps for 1e4 square roots, vmapped, by fori_loop, value and gradient, float32"
    rows = (Row("1e4", (10_000,), 0.5, "jax", "0.49 ms", "0.2 ms floor"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return (random.uniform(0.5, 4, row.parameters).astype(self.dtype),)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        def root(a: Any) -> Any:
            return autodiff.fori_loop(0, STEPS, lambda _, x: improved(x, a), a)

        return autodiff.value_and_grad(lambda a: np.sum(autodiff.vmap(root)(a)))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        def root(a: Any) -> Any:
            return jax.lax.fori_loop(0, STEPS, lambda _, x: improved(x, a), a)

        return jax.value_and_grad(lambda a: jax.numpy.sum(jax.vmap(root)(a)))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        if compiled is torch.compile:
            raise LeftOutError("torch.compile does not end within five minutes for 20 steps written out")
        a = inputs[0].requires_grad_()

        def step() -> Any:
            x = a
            for _ in range(STEPS):
                x = improved(x, a)
            value = torch.sum(x)
            return value, *torch.autograd.grad(value, a)

        return step


class ConvergedSquareRoots(Program):
    """The same in reverse mode through a `while_loop`, which ends for each root when it has converged."""

    name = "square roots by while_loop"
    title = "Newton's method for 1e4 square roots, vmapped, by while_loop, value and gradient, float64"
    dtype = "float64"
    tolerance = 1e-9
    rows = (Row("1e4", (10_000,), None, None, "no peer in reverse", "works"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return (random.uniform(0.5, 4, row.parameters),)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        def root(a: Any) -> Any:
            return autodiff.while_loop(lambda x: abs(x * x - a) > TOLERANCE, lambda x: improved(x, a), a)

        return autodiff.value_and_grad(lambda a: np.sum(autodiff.vmap(root)(a)))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        raise LeftOutError("jax has no reverse mode through while_loop")

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        if compiled is torch.compile:
            raise LeftOutError("torch.compile stops at a loop that depends on values")
        a = inputs[0].requires_grad_()

        def step() -> Any:
            x = a
            while (active := abs(x * x - a) > TOLERANCE).any():
                x = torch.where(active, improved(x, a), x)
            value = torch.sum(x)
            return value, *torch.autograd.grad(value, a)

        return step


def improved(x: Any, a: Any) -> Any:
    """One step."""
    return 0.5 * (x + a / x)
