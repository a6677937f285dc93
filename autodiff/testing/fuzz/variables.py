"""Gradients by Variables, and the same gradients without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.facade.graph.multi_output import grad
from autodiff.testing.fuzz.transformations import Function, direction, smooth
from autodiff.trace.trees.tree import flatten


def array_gradient(f: Function) -> Function:
    """The smooth results, and their fixed combination of gradients by all smooth arguments that are arrays."""

    def pulled(*args: Any) -> Any:
        of_primals, primals = array_part(f, args)
        values, pullback = autodiff.vjp(of_primals, *primals)
        return values, pullback(tuple(map(direction, values)))

    return pulled


def variable_gradient(f: Function) -> Function:
    """The same by Variables, with arrays without axes in place of numbers."""

    def pulled(*args: Any) -> Any:
        of_primals, primals = array_part(f, args)
        inputs = [autodiff.Variable(primal) for primal in primals]
        results = of_primals(*inputs)
        reached = [one for one in results if isinstance(one, autodiff.Variable)]
        found = grad(reached, inputs, [autodiff.Variable(np.asarray(direction(one.array))) for one in reached])
        gradients = [np.zeros_like(x) if g is None else g.array for x, g in zip(primals, found, strict=True)]
        values = (one.array if isinstance(one, autodiff.Variable) else one for one in results)
        return tuple(values), tuple(gradients)

    return pulled


def array_part(f: Function, args: Sequence[Any]) -> tuple[Callable[..., tuple[Any, ...]], tuple[Any, ...]]:
    """The function of the smooth arguments that are arrays which returns its smooth results, and these arguments."""
    places = [k for k, arg in enumerate(args) if smooth(arg) and not isinstance(arg, np.generic | float | complex)]

    def of_primals(*primals: Any) -> tuple[Any, ...]:
        whole = list(args)
        for place, primal in zip(places, primals, strict=True):
            whole[place] = primal
        return tuple(leaf for leaf in flatten(f(*whole))[0] if smooth(leaf))

    return of_primals, tuple(args[place] for place in places)
