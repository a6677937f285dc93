"""``custom_jvp``: a function whose forward mode the user writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.trace.errors import RuleError, described
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import map_tree
from autodiff.transforms.custom.arguments import Layout, place_of
from autodiff.transforms.custom.call import CustomCall
from autodiff.transforms.custom.function import CustomFunction, UserRule
from autodiff.transforms.custom.results import matching_leaves, result_leaves
from autodiff.transforms.custom.rule import ForwardRule, Leaves
from autodiff.transforms.gradient import zeros
from autodiff.transforms.transformed import DECORATED


class custom_jvp(CustomFunction):
    """A function whose forward-mode derivative is a rule that you write; reverse mode follows by transposing it.

    Args:
        fun: the function. Closed-over values are constants: pass traced values as arguments.
        nondiff_argnums: positions of arguments that are not arrays, which are passed on unchanged. Without ``fun``,
            it makes a decorator.

    Raises:
        RuleError: if the function is called before its rule is given, the rule returns the wrong structure,
            shape or dtype, or, for reverse mode, it is not linear in the tangents.
        DifferentiationError: if the function closes over a traced value.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> @custom_jvp
    ... def log1pexp(x):
    ...     return np.logaddexp(0.0, x)
    >>> @log1pexp.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return log1pexp(x), t / (1 + np.exp(-x))
    >>> grad(log1pexp)(0.0)
    0.5
    """

    call = CustomCall("custom_jvp")
    usage = "defjvp(rule)"

    def __init__(self, fun: Callable[..., Any] = DECORATED, nondiff_argnums: Sequence[int] = ()) -> None:
        super().__init__(fun, nondiff_argnums)
        self.rule: Callable[..., Any] | None = None

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Give the rule; also as a decorator.

        Args:
            rule: ``rule(*nondiff_args, primals, tangents)`` returns ``(result, tangent)``, where the tangent is like
                the result and linear in the tangents. The tangent of what is no floating-point number is None; None
                may be returned for a tangent that is zero.
        """
        self.rule = rule
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """Give a rule for each argument.

        Args:
            rules: ``rule(tangent, result, *primals)`` returns the part of the tangent that comes from one argument;
                None in place of a rule where that is zero.
        """
        if self.nondiff_argnums:
            raise TypeError(f"{place_of(self.fun)}: defjvps does not go with nondiff_argnums; use defjvp")

        def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
            if len(rules) != len(primals):
                raise RuleError(
                    f"defjvps of {place_of(self.fun)} was given {len(rules)} rules for {len(primals)} arguments"
                )
            result = self(*primals)
            parts = [
                own(tangent, result, *primals)
                for own, tangent in zip(rules, tangents, strict=True)
                if own is not None and tangent is not None
            ]
            return result, map_tree(lambda *terms: sum(terms[1:], terms[0]), *parts) if parts else None

        self.rule = rule

    @property
    def ready(self) -> bool:
        return self.rule is not None

    def rule_for(self, layout: Layout) -> UserRule:
        return JvpRule(self, layout)


class JvpRule(UserRule, ForwardRule):
    """The user's rule on leaves."""

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        who = f"the rule of {self.name}"
        directions = [direction(value, tangent) for value, tangent in zip(values, tangents, strict=True)]
        primals, along = self.layout.trees(values), self.layout.trees(directions, [None] * len(self.layout.fixed))
        pair = self.function.rule(*self.layout.static_args, primals, along)
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise RuleError(f"{who} must return a pair (result, tangent), but returned {described(pair)}")
        outs, self.results = result_leaves(who, pair[0])
        specs = [spec_of(out) for out in outs]
        pushed = matching_leaves(who, "the tangent", pair[1], self.results, specs, [*map(spec_of, values)])
        return outs, tuple(t if s.inexact else None for t, s in zip(pushed, specs, strict=True))


def direction(value: Any, tangent: Any) -> Any:
    """The tangent as rules see it: zero where there is none, None where there can be none."""
    spec = spec_of(value)
    if not spec.inexact:
        return None
    return zeros(spec, value) if tangent is None else tangent
