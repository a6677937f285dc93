"""``custom_vjp``: a function whose reverse mode the user writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autodiff.trace.errors import RuleError, described
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.trees.tree import TreeDef
from autodiff.transforms.custom.arguments import Layout
from autodiff.transforms.custom.call import CustomCall
from autodiff.transforms.custom.function import CustomFunction, UserRule
from autodiff.transforms.custom.results import matching_leaves, result_leaves
from autodiff.transforms.custom.rule import BackwardRule, Leaves
from autodiff.transforms.transformed import DECORATED


class custom_vjp(CustomFunction):
    """A function whose reverse-mode derivative is a rule that you write; forward mode follows by transposing it.

    Args:
        fun: the function. Closed-over values are constants: pass traced values as arguments.
        nondiff_argnums: positions of arguments that are not arrays, which are passed on unchanged. Without ``fun``,
            it makes a decorator.

    Raises:
        RuleError: if the function is called before :meth:`defvjp`, or a rule returns a wrong structure,
            shape or dtype.
        DifferentiationError: if the function closes over a traced value.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> @custom_vjp
    ... def clipped_gradient(x):
    ...     return x
    >>> clipped_gradient.defvjp(lambda x: (x, None), lambda residuals, g: (np.clip(g, -1.0, 1.0),))
    >>> grad(lambda x: 5.0 * clipped_gradient(x))(2.0)
    1.0
    """

    call = CustomCall("custom_vjp")
    usage = "defvjp(fwd, bwd)"

    def __init__(self, fun: Callable[..., Any] = DECORATED, nondiff_argnums: Sequence[int] = ()) -> None:
        super().__init__(fun, nondiff_argnums)
        self.fwd: Callable[..., Any] | None = None
        self.bwd: Callable[..., Any] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Give the rule.

        Args:
            fwd: takes the function's arguments and returns ``(result, residuals)``; residuals is any tree.
            bwd: ``bwd(*nondiff_args, residuals, cotangent)`` returns a tuple with one cotangent for each other
                argument, of the argument's structure; None stands for zero. Where forward mode is wanted it must be
                linear in the cotangent.
        """
        self.fwd, self.bwd = fwd, bwd

    @property
    def ready(self) -> bool:
        return self.fwd is not None

    def rule_for(self, layout: Layout) -> UserRule:
        return VjpRule(self, layout)


class Residuals(NamedTuple):
    """What the user's fwd kept, and the form of what bwd gets and returns."""

    kept: Any
    results: TreeDef
    specs: tuple[Spec, ...]


class VjpRule(UserRule, BackwardRule):
    """fwd and bwd on leaves."""

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        pair = self.function.fwd(*self.layout.full(values))
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise RuleError(
                f"fwd of {self.name} must return a pair (result, residuals), but returned {described(pair)}"
            )
        outs, self.results = result_leaves(f"fwd of {self.name}", pair[0])
        return outs, Residuals(pair[1], self.results, tuple(map(spec_of, values)))

    def pull(self, kept: Residuals, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        who = f"bwd of {self.name}"
        cts = self.function.bwd(*self.layout.static_args, kept.kept, kept.results.unflatten(g))
        wanted = len(self.layout.structure.children)
        if not isinstance(cts, tuple) or len(cts) != wanted:
            got = f"a tuple of {len(cts)}" if isinstance(cts, tuple) else described(cts)
            raise RuleError(
                f"{who} must return a tuple with one cotangent for each argument that is not in nondiff_argnums, "
                f"{wanted} in all, but returned {got}"
            )
        specs = self.layout.leaf_specs(kept.specs)
        leaves = matching_leaves(who, "the cotangents", cts, self.layout.structure, specs, [*map(spec_of, g)])
        return tuple(leaves[self.layout.operands[p]] for p in positions)
