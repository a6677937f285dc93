"""Backward passes in which something else happens at each node: somebody watches, or only some gradients are wanted."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from autodiff.facade.functions.own_gradient import OwnLink
from autodiff.facade.graph.node import operation_of
from autodiff.facade.graph.observing import get_function_hooks, pull_observed, watched_alone
from autodiff.facade.settings.configuration import config, deviations
from autodiff.facade.variables.variable import Variable
from autodiff.transforms.masking import unmasked
from autodiff.transforms.reverse import Pull, pulled


def pull_in_this_thread(graph: bool, on_path: Collection[Any] | None = None) -> Pull | None:
    """How the reader gets cotangents of operands; None for the ordinary way.

    Args:
        graph: whether cotangents are Variables.
        on_path: the nodes whose cotangents are wanted; None for all.
    """
    pull = pulled if on_path is None else towards(on_path)
    if deviations and (config.debug or get_function_hooks() or watched_alone):
        return watched(pull, graph)
    return None if on_path is None else pull


def towards(on_path: Collection[Any]) -> Pull:
    """Compute the cotangents of these nodes alone."""

    def pull(node: Any, g: Any, residuals: Any) -> Any:
        link = node.link
        if link.arity == 1:
            return pulled(node, g, residuals) if node.operands in on_path else None
        wanted = [operand in on_path for operand in node.operands]
        if not any(wanted):
            return (None,) * link.arity
        if isinstance(link, OwnLink):
            return link.pull(g, residuals, [p for p, own in zip(link.positions, wanted, strict=True) if own])
        cts = pulled(node, g, residuals)
        return tuple(ct if own else None for ct, own in zip(cts, wanted, strict=True))

    return pull


def watched(pull: Pull, graph: bool) -> Pull:
    """The same, with hooks called and gradients looked at."""

    def array(g: Any) -> Any:
        g = None if g is None else unmasked(g)
        return g._array if graph and isinstance(g, Variable) else g

    def watched_pull(node: Any, g: Any, residuals: Any) -> Any:
        if isinstance(node.link, OwnLink):
            return pull(node, g, residuals)  # which looks for those who watch it
        compute: Callable[[], Any] = lambda: pull(node, g, residuals)  # noqa: E731
        return pull_observed(operation_of(node), compute, g if type(g) is list else [g], array)

    return watched_pull
