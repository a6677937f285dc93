"""The derivatives of callbacks: the user's rules, which are callbacks themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.errors import DifferentiationError, RuleError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, result_spec, spec_of
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.transforms.callbacks.operation import Callback, call_python
from autodiff.transforms.custom.call import CustomCall, call_with_rule
from autodiff.transforms.custom.results import spread_none
from autodiff.transforms.custom.rule import BatchedBackward, BatchedForward, CustomRule, Leaves
from autodiff.transforms.gradient import zeros

UserFunction = Callable[..., Any]
Transpose = Callable[[Leaves, Leaves], Sequence[Any]]


class CallbackRule(CustomRule):
    """What is known of the derivative of a callback.

    Args:
        callback: the function.
        count: how many leaves it takes.
        vjp: ``vjp(cotangent, result, *args)`` or None.
        jvp: ``jvp(tangents, result, *args)`` or None.
    """

    def __init__(self, callback: Callback, count: int, vjp: UserFunction | None, jvp: UserFunction | None) -> None:
        self.callback = callback
        self._count = count
        self.vjp = vjp
        self.jvp = jvp

    @property
    def name(self) -> str:
        return self.callback.name

    @property
    def count(self) -> int:
        return self._count

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        if self.vjp is None and positions:
            raise self.refusal("reverse", "vjp=, a function (cotangent, result, *args) that returns the cotangents")
        outs = called(self.callback, values, self.vjp, self.jvp)
        return outs, (tuple(values), outs)

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        values, outs = kept
        full = [zeros(spec_of(out), out) if ct is None else ct for ct, out in zip(g, outs, strict=True)]
        own, who = self.callback, f"the vjp of {self.name}"

        def pulled(cotangent: Any, result: Any, *args: Any) -> list[Any]:
            cts = self.vjp(cotangent, result, *args)  # type: ignore[misc] # where it is None, run has raised
            if not isinstance(cts, tuple) or len(cts) != len(args):
                got = f"a tuple of {len(cts)}" if isinstance(cts, tuple) else described(cts)
                raise RuleError(f"{who} must return a tuple of {len(args)}, a cotangent for each argument, got {got}")
            leaves = filled(who, cts, own.arguments, flatten(args)[0])
            return [leaves[p] for p in positions]

        def transpose(now: Leaves, found: Leaves) -> Sequence[Any]:
            along: list[Any] = [None] * len(values)
            for p, tangent in zip(positions, found, strict=True):
                along[p] = tangent
            return self.push(now[len(outs) :], along)[1]

        trees = own.results.unflatten(full), own.results.unflatten(outs), *own.arguments.unflatten(values)
        specs = [spec_of(values[p]) for p in positions]
        return self.derivative(who, pulled, trees, specs, len(outs), self.jvp and transpose)

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        if self.jvp is None:
            raise self.refusal(
                "forward", "jvp=, a function (tangents, result, *args) that returns the result's tangent"
            )
        own, who = self.callback, f"the jvp of {self.name}"
        outs = called(own, values, self.vjp, self.jvp)
        smooth = [k for k, out in enumerate(outs) if spec_of(out).inexact]

        def pushed(along: Any, result: Any, *args: Any) -> list[Any]:
            leaves = filled(who, self.jvp(along, result, *args), own.results, flatten(result)[0])  # type: ignore[misc]
            return [leaves[k] for k in smooth]

        along = own.arguments.unflatten(direction(*pair) for pair in zip(values, tangents, strict=True))
        trees = along, own.results.unflatten(outs), *own.arguments.unflatten(values)

        def transpose(now: Leaves, found: Leaves) -> Sequence[Any]:
            cts = iter(found)
            full = [next(cts) if k in smooth else None for k in range(len(outs))]
            moving = [k for k, value in enumerate(values) if spec_of(value).inexact]
            pulled = iter(self.pull((tuple(now[len(outs) :]), tuple(now[: len(outs)])), full, moving))
            return [next(pulled) if k in moving else None for k in range(len(values))]

        specs = [spec_of(outs[k]) for k in smooth]
        parts = iter(self.derivative(who, pushed, trees, specs, len(values), self.vjp and transpose))
        return outs, tuple(next(parts) if k in smooth else None for k in range(len(outs)))

    def derivative(
        self,
        who: str,
        function: UserFunction,
        trees: tuple[Any, ...],
        specs: Sequence[Spec],
        directions: int,
        transpose: Transpose | None,
    ) -> tuple[Any, ...]:
        """The user's rule, as a callback that is linear in its first leaves."""
        leaves, structure = flatten(trees)
        results = flatten([0.0] * len(specs))[1]
        made = [result_spec(own.shape, own.dtype) for own in specs]
        callback = Callback(who, function, structure, results, made, self.callback.vectorized, casts=True)
        return applied(DerivativeRule(callback, len(leaves), directions, transpose), leaves)

    def refusal(self, mode: str, wanted: str) -> DifferentiationError:
        """What is said where a rule is missing."""
        return DifferentiationError(
            f"{self.name} has no derivative in {mode} mode{at_user_line()}. Give pure_callback {wanted}; or call it "
            "with autodiff.stop_gradient(x), where none is wanted"
        )

    def batched(self, flags: tuple[bool, ...]) -> CustomRule:
        return BatchedCallback(self, flags)


class DerivativeRule(CustomRule):
    """What is known of a rule: it is linear in the directions, and has no derivative by anything else.

    Args:
        callback: the rule, of leaves.
        count: how many leaves it takes.
        directions: how many of them, the first ones, it is linear in.
        transpose: from the other leaves and the cotangents of the results to those of the directions; None where there
            is no rule for the other mode.
    """

    def __init__(self, callback: Callback, count: int, directions: int, transpose: Transpose | None) -> None:
        self.callback = callback
        self._count = count
        self.directions = directions
        self.transpose = transpose

    @property
    def name(self) -> str:
        return self.callback.name

    @property
    def count(self) -> int:
        return self._count

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        if self.transpose is None or any(p >= self.directions for p in positions):
            raise self.refusal("reverse")
        return applied(self, values), tuple(values)

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        found = self.transpose(kept[self.directions :], g)  # type: ignore[misc] # where it is None, run has raised
        return tuple(found[p] for p in positions)

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        if any(tangent is not None for tangent in tangents[self.directions :]):
            raise self.refusal("forward")
        along = [direction(*pair) for pair in zip(values, tangents, strict=True)][: self.directions]
        return applied(self, values), applied(self, [*along, *values[self.directions :]])

    def refusal(self, mode: str) -> DifferentiationError:
        """What is said of second derivatives."""
        return DifferentiationError(
            f"{self.name} is a function of Python itself, and has no derivative in {mode} mode{at_user_line()}. For "
            "derivatives of any order give the rules in NumPy's functions, by custom_vjp or custom_jvp around "
            "pure_callback"
        )

    def batched(self, flags: tuple[bool, ...]) -> CustomRule:
        return BatchedCallback(self, flags)


class BatchedCallback(CustomRule):
    """The rule for each example of a batch.

    Args:
        rule: for one example.
        flags: which operands differ between examples.
    """

    def __init__(self, rule: CustomRule, flags: tuple[bool, ...]) -> None:
        self.backward = BatchedBackward(rule, flags)
        self.forward = BatchedForward(rule, flags)

    @property
    def name(self) -> str:
        return self.backward.name

    @property
    def count(self) -> int:
        return self.backward.count

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        return self.backward.run(values, positions)

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        return self.backward.pull(kept, g, positions)

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return self.forward.push(values, tangents)

    def batched(self, flags: tuple[bool, ...]) -> CustomRule:
        return BatchedCallback(self, flags)


callback_call = CustomCall("pure_callback")
"""A callback with its rule."""


def called(
    callback: Callback, leaves: Leaves, vjp: UserFunction | None = None, jvp: UserFunction | None = None
) -> tuple[Any, ...]:
    """The results' leaves of a callback, with rules of the user's."""
    return applied(CallbackRule(callback, len(leaves), vjp, jvp), leaves)


def applied(rule: CallbackRule | DerivativeRule, leaves: Leaves) -> tuple[Any, ...]:
    """The results' leaves of the callback of a rule."""

    def call(*values: Any) -> tuple[Any, ...]:
        return call_python(*values, callback=rule.callback, lead=(), batched=(False,) * len(values))  # type: ignore[no-any-return]

    return call_with_rule(callback_call, call, rule, leaves)


def direction(value: Any, tangent: Any) -> Any:
    """A tangent as rules see it: zeros where nothing moves, integers for integers."""
    return zeros(spec_of(value), value) if tangent is None else tangent


def filled(who: str, tree: Any, structure: TreeDef, beside: Leaves) -> list[Any]:
    """The leaves of a derivative, in which None, anywhere in the tree, means zero."""
    leaves = spread_none(tree, structure)
    if leaves is None:
        raise RuleError(f"{who} returned {flatten(tree)[1]}, but it belongs to {structure}; they must be alike")
    return [np.zeros_like(own) if leaf is None else leaf for leaf, own in zip(leaves, beside, strict=True)]
