"""Automatic differentiation of NumPy programs."""

import sys as _sys
import typing as _typing
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from autodiff import numpy as _numpy  # noqa: F401 - enters NumPy's functions in the dispatch tables
from autodiff import random as random  # not in __all__: `import *` must not hide Python's
from autodiff.backends import on_gpu as _on_gpu  # noqa: F401 - enters what primitives do on GPUs
from autodiff.backends.cupy.libraries.precision import get_matmul_precision, set_matmul_precision
from autodiff.ops.matrices.gauge import GaugeWarning
from autodiff.trace.recording import awaited as _awaited
from autodiff.trace.tape import Tape, check_tape
from autodiff.trace.trees.containers import register_tree
from autodiff.transforms.batch import vmap
from autodiff.transforms.callbacks.pure import pure_callback
from autodiff.transforms.checkpoint import checkpoint, remat
from autodiff.transforms.control.associative import associative_scan
from autodiff.transforms.control.cond import cond, switch
from autodiff.transforms.control.map import map as map  # not in __all__: `import *` must not hide Python's
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import fori_loop, while_loop
from autodiff.transforms.custom.jvp import custom_jvp
from autodiff.transforms.custom.vjp import custom_vjp
from autodiff.transforms.gradient import grad, value_and_grad, vjp
from autodiff.transforms.jacobian import hessian, hvp, jacfwd, jacobian, jacrev, value_and_jacobian
from autodiff.transforms.jit.binding import Binding
from autodiff.transforms.jit.function import jit
from autodiff.transforms.jit.randomness import RandomnessWarning
from autodiff.transforms.jit.recompiles import explain_recompiles
from autodiff.transforms.jvp import jvp
from autodiff.transforms.linearize import linearize
from autodiff.transforms.stage import eval_shape, eval_tape, make_tape
from autodiff.transforms.stop_gradient import stop_gradient

if _TYPE_CHECKING:
    from autodiff import debug as debug
    from autodiff import distributed as distributed
    from autodiff import optimize as optimize
    from autodiff import tree as tree
    from autodiff.backends.native.kernels import cache_info, clear_cache
    from autodiff.backends.native.threads import get_num_threads, set_num_threads
    from autodiff.backends.reports.profile import profile
    from autodiff.facade import (
        InvalidType,
        Parameter,
        Variable,
        VariableNode,
        as_array,
        as_variable,
        force_backprop_mode,
        no_backprop_mode,
    )
    from autodiff.programs import differentiable
    from autodiff.saving import load, save
    from autodiff.trace.formats.graphviz import tape_graphviz
    from autodiff.trace.formats.python import tape_python
    from autodiff.trace.formats.save import load_tape, save_tape
    from autodiff.transforms.export import export

functional: _Any
_FOUND_LATER = {  # by __getattr__ below: many programs have no use for them, and they take a while to import
    **dict.fromkeys(("InvalidType", "Parameter", "Variable", "VariableNode"), "autodiff.facade"),
    **dict.fromkeys(("as_array", "as_variable", "force_backprop_mode", "no_backprop_mode"), "autodiff.facade"),
    **dict.fromkeys(("cache_info", "clear_cache"), "autodiff.backends.native.kernels"),
    **dict.fromkeys(("get_num_threads", "set_num_threads"), "autodiff.backends.native.threads"),
    **dict.fromkeys(("load", "save"), "autodiff.saving"),
    **dict.fromkeys(("load_tape", "save_tape"), "autodiff.trace.formats.save"),
    "check_indices": "autodiff.backends.cupy.runtime.states",
    "differentiable": "autodiff.programs",
    "export": "autodiff.transforms.export",
    "functional": "autodiff.chainer.functional",
    "profile": "autodiff.backends.reports.profile",
    "tape_graphviz": "autodiff.trace.formats.graphviz",
    "tape_python": "autodiff.trace.formats.python",
}
_MODULES = frozenset(("debug", "distributed", "optimize", "tree"))
_awaited["scipy.fft"] = lambda: _import_module("autodiff.scipy.fft")
__version__ = "0.1.0"
__all__ = [
    "Binding",
    "GaugeWarning",
    "InvalidType",
    "Parameter",
    "RandomnessWarning",
    "Tape",
    "Variable",
    "VariableNode",
    "as_array",
    "as_variable",
    "associative_scan",
    "cache_info",
    "check_indices",
    "check_tape",
    "checkpoint",
    "clear_cache",
    "cond",
    "custom_jvp",
    "custom_vjp",
    "differentiable",
    "eval_shape",
    "eval_tape",
    "explain_recompiles",
    "export",
    "force_backprop_mode",
    "fori_loop",
    "functional",
    "get_matmul_precision",
    "get_num_threads",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "linearize",
    "load",
    "load_tape",
    "make_tape",
    "no_backprop_mode",
    "profile",
    "pure_callback",
    "register_tree",
    "remat",
    "save",
    "save_tape",
    "scan",
    "set_matmul_precision",
    "set_num_threads",
    "stop_gradient",
    "switch",
    "tape_graphviz",
    "tape_python",
    "value_and_grad",
    "value_and_jacobian",
    "vjp",
    "vmap",
    "while_loop",
]


if not _typing.TYPE_CHECKING:  # type checkers know the names from above, and shall find those that are none

    def __getattr__(name: str) -> _Any:
        if name in _FOUND_LATER:
            found = globals()[name] = getattr(_import_module(_FOUND_LATER[name]), name)
            return found
        if name in _MODULES:
            return _import_module(f"{__name__}.{name}")
        # With both, Python suggests a name that is nearly the same.
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=_sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_FOUND_LATER, *_MODULES})
