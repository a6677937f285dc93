"""Automatic differentiation of NumPy programs."""

from autodiff import numpy as _numpy  # noqa: F401 - enters NumPy's functions in the dispatch tables
from autodiff.trace.tree import register_tree
from autodiff.transforms.batch import vmap
from autodiff.transforms.forward import jvp
from autodiff.transforms.gradient import grad, value_and_grad, vjp
from autodiff.transforms.stage import eval_shape, eval_tape, make_tape

__version__ = "0.1.0"
__all__ = ["eval_shape", "eval_tape", "grad", "jvp", "make_tape", "register_tree", "value_and_grad", "vjp", "vmap"]
