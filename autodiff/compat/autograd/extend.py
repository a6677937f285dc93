"""Functions with rules of the user's own."""

from autodiff.compat.autograd.boxes import Box, notrace_primitive, register_notrace
from autodiff.compat.autograd.rules import (
    def_linear,
    defjvp,
    defjvp_argnum,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    primitive,
)
from autodiff.compat.autograd.unsupported import JVPNode, SparseObject, VJPNode
from autodiff.compat.autograd.vspace import VSpace, vspace

__all__ = [
    "Box",
    "JVPNode",
    "SparseObject",
    "VJPNode",
    "VSpace",
    "def_linear",
    "defjvp",
    "defjvp_argnum",
    "defjvp_argnums",
    "defvjp",
    "defvjp_argnum",
    "defvjp_argnums",
    "notrace_primitive",
    "primitive",
    "register_notrace",
    "vspace",
]
