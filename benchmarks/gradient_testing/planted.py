"""A function with a wrong derivative: its value, the rules that a careless author wrote, and what should find them.

The same value and rules are planted in every library that takes part: as a primitive of autodiff, as an
autograd.Function of torch, as a custom_vjp of jax, as a FunctionNode of Chainer, as the `grad` of scipy's check_grad.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np

from autodiff.testing import domains
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete

Rule = Callable[..., Any]


@dataclass(frozen=True)
class Planted:
    """A function with one fault in its derivative.

    Attributes:
        name: what is wrong.
        value: the function, of plain arrays.
        rules: for each operand the vector-Jacobian product as a function of the cotangent `g` and of what it names: the
            operands, or `out`, the value.
        laws: the laws of which one should name the fault.
        family: "elementwise" where rules need not sum over what was broadcast, "general" where they do.
        options: further rules of the primitive: `forward`, `batch`, `spec`.
        fun: what to test in autodiff in place of a primitive made of the rules.
        given: what `laws` has to know: domain, shapes, dtypes.
        autodiff_only: whether the fault lies in what other libraries do not have: batching, staging, a forward rule.
        raises: the error that the fault raises; most of them just compute something wrong.
    """

    name: str
    value: Callable[..., Any]
    rules: Mapping[str, Rule]
    laws: tuple[str, ...] = ("forward",)
    family: Any = "elementwise"
    options: Mapping[str, Any] = field(default_factory=dict)
    fun: Callable[..., Any] | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    autodiff_only: bool = False
    raises: str = ""

    @property
    def arity(self) -> int:
        return max(len(self.rules), 1)

    def planted(self) -> Callable[..., Any]:
        """The function for autodiff."""
        if self.fun is not None:
            return self.fun
        return Primitive(
            "planted", self.family, tuple(self.rules), self.value, rules=dict(self.rules), register=False,
            **{"spec": self.spec, **self.options},
        )  # fmt: skip

    def spec(self, *specs: Spec, **params: Any) -> Spec:
        """The spec of the value, found by computing one."""
        ones = [1.0 if one.kind == "python" else np.ones(one.shape, one.dtype) for one in specs]
        return spec_of(np.asarray(self.value(*ones, **params))[()])

    def pullback(self, cotangent: Any, *args: Any) -> tuple[Any, ...]:
        """The gradients by all arguments as plain arrays, by the planted rules."""
        known = {"out": self.value(*args), "g": cotangent, **dict(zip(self.rules, args, strict=True))}
        found = [rule(*(known[name] for name in signature(rule).parameters)) for rule in self.rules.values()]
        if self.family != "elementwise":
            return tuple(found)
        return tuple(summed_to(np.shape(x), gradient) for gradient, x in zip(found, args, strict=True))

    def laws_options(self) -> dict[str, Any]:
        """What to give `laws`."""
        return {"domain": [domains.real] * self.arity, "name": self.name, **self.given}


def summed_to(shape: Sequence[int], gradient: Any) -> Any:
    """A gradient summed over the axes along which its operand was broadcast."""
    array = np.asarray(gradient)
    array = array.sum(axis=tuple(range(array.ndim - len(shape)))) if array.ndim > len(shape) else array
    axes = tuple(k for k, side in enumerate(shape) if side == 1 != array.shape[k])
    return np.broadcast_to(array.sum(axis=axes, keepdims=True) if axes else array, shape)


plain = concrete
"""The array inside of a traced value, or its spec where only that is known."""


def nested(value: Callable[..., Any], **rules: Rule) -> Callable[..., Any]:
    """A function with rules of its own, for rules of rules."""
    return Planted("", value, rules).planted()
