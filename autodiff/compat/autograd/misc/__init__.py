"""Flat vectors of trees, optimizers, fixed points."""

from autodiff.compat.autograd.misc.flatten import flatten
from autodiff.compat.autograd.misc.tracers import const_graph

__all__ = ["const_graph", "flatten"]
