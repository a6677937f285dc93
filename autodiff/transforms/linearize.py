"""``linearize``: the derivative at a point as a tape of tangents, which can be run as often as wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.backends.reference import run_tape
from autodiff.ops.masked import Masked
from autodiff.trace.errors import run_user_code
from autodiff.trace.primitive import newest_traced
from autodiff.trace.spec import spec_of
from autodiff.trace.staging import Body, Staged
from autodiff.trace.tape import in_turn
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.arguments import Places, differentiable_leaves
from autodiff.transforms.forward import Forward, apart, own_tangent, peeled, tangents_of
from autodiff.transforms.gradient import separate, split_aux, zeros
from autodiff.transforms.jvp import matching_tangents
from autodiff.transforms.masking import has_nan, seeded, unmasked
from autodiff.transforms.results import result_leaf


class TangentMap:
    """A function that has run once at a point, with the tape of its tangents.

    Args:
        name: the transformation, for error texts.
        fun: the function; its arguments are trees.
        primals: where it runs.
        has_aux: whether it returns a pair of which the second part is only passed on.
        places: where the user's function has these arguments, for error texts.
        original: the user's function, where ``fun`` only calls it.

    Attributes:
        leaves: the primals' leaves.
        structure: the structure of the tuple of primals.
        values: the leaves of the result.
        results: the structure of the result.
        aux: the second part.
        staged: from the tangents of the leaves to the tangents of the results that depend on them.
    """

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        primals: tuple[Any, ...],
        has_aux: bool,
        places: Places = None,
        original: Callable[..., Any] | None = None,
    ) -> None:
        self.leaves, self.structure = differentiable_leaves(name, primals, places=places)
        body, forward = Body(), Forward()
        try:
            traced = [Tracer(leaf, forward, body.input(spec_of(leaf))) for leaf in self.leaves]
            result = run_user_code(fun, self.structure.unflatten(traced))
            result, aux = split_aux(name, result) if has_aux else (result, None)
            outs, self.results = flatten(result)
            pairs = [apart(result_leaf(name, original or fun, out), forward) for out in outs]
            self.values = [value for value, _ in pairs]
            self.aux = peeled(aux, forward)
            self.depends = [tangent is not None for _, tangent in pairs]
            self.staged: Staged = body.freeze(
                [unmasked(tangent) for _, tangent in pairs if tangent is not None], self.structure, self.results
            )
        finally:
            forward.close()
            body.close()

    @property
    def value(self) -> Any:
        """The function's value."""
        return self.results.unflatten(self.values)

    @property
    def known(self) -> bool:
        """Whether nobody records what happens to the residuals, so that a NaN would be seen."""
        return newest_traced(tuple(self.staged.captures)) is None

    def push(self, directions: Sequence[Any]) -> list[Any]:
        """The tangents of the result's leaves from those of the primals' leaves, which are arrays."""
        with np.errstate(all="ignore"):
            return self.placed(self.run(*directions))

    def push_masked(self, directions: Sequence[Any]) -> list[Any]:
        """The same of directions that may be masked, or None for leaves that do not move."""
        origin = [zeros(spec_of(leaf), leaf) for leaf in self.leaves]
        with np.errstate(all="ignore"):
            return self.placed([tangent for _, tangent in tangents_of(self.run, origin, directions)])

    def push_seeded(self, directions: Sequence[Any]) -> list[Any]:
        """The same, where zeros of the directions contribute nothing.

        It takes longer, and makes a difference only where a zero meets an infinity: where values are known, the result
        is looked at first. What has its turn is done once, whatever the values are.
        """
        seeds = [seeded(direction) for direction in directions]
        if in_turn(self.staged.tape) or not any(type(seed) is Masked for seed in seeds):
            return self.push(directions)
        if self.known and newest_traced(tuple(directions)) is None:
            found = self.push(directions)
            if not has_nan(found):
                return found
        return self.push_masked(seeds)

    def run(self, *directions: Any) -> list[Any]:
        """The tape of tangents, which is linear."""
        return run_tape(self.staged.tape, [*directions, *self.staged.captures])

    def placed(self, found: Sequence[Any]) -> list[Any]:
        """The tangents of all leaves of the result, from those of the leaves that have one."""
        remaining = iter(found)
        return [
            own_tangent(value, next(remaining) if depends else None)
            for value, depends in zip(self.values, self.depends, strict=True)
        ]


def linearize(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The function's value, and its derivative at this point as a linear function of tangents.

    ``fun`` runs once; each tangent then costs only the linear part of the work.

    Args:
        fun: a function of the primals that returns a tree of arrays.
        primals: real or complex numbers, arrays, or trees of them.
        has_aux: whether ``fun`` returns ``(value, aux)``; aux is passed on.

    Returns:
        ``(value, push)`` or ``(value, push, aux)``. ``push(*tangents)``, with one tangent for each primal, is the
        tangent ``J @ v`` of the value. It may be called again.

    Raises:
        DifferentiationError: if a primal is not made of floating-point numbers.
        ValueError: if a tangent does not have the structure or shape of its primal.

    >>> import numpy as np
    >>> value, push = linearize(np.sin, 0.0)
    >>> push(2.0)
    np.float64(2.0)
    """
    at = TangentMap("linearize", fun, primals, has_aux)

    def push(*tangents: Any) -> Any:
        directions = matching_tangents(at.leaves, at.structure, tangents)
        found = at.push_seeded(directions)
        return at.results.unflatten(separate(found, directions))

    return (at.value, push, at.aux) if has_aux else (at.value, push)
