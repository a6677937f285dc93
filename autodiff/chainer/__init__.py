"""Chainer's names over autodiff: ``import autodiff.chainer as chainer``.

Programs that say ``import chainer`` run unchanged under ``python -m autodiff.chainer script.py``.
"""

import sys as _sys
from importlib import import_module as _import_module
from typing import Any as _Any

from autodiff.chainer import (
    backends,
    dataset,
    datasets,
    function_hooks,
    functions,
    graph_optimizations,
    initializers,
    iterators,
    link_hooks,
    links,
    optimizer_hooks,
    optimizers,
    serializers,
    training,
    utils,
)
from autodiff.chainer.arrays import get_array_types, get_cpu_array_types, is_arrays_compatible
from autodiff.chainer.backend import get_device, using_device
from autodiff.chainer.backends import cuda
from autodiff.chainer.backends.cuda import should_use_cudnn, should_use_cudnn_tensor_core
from autodiff.chainer.debugging import DebugMode, is_debug, set_debug
from autodiff.chainer.device_resident import DeviceResident
from autodiff.chainer.distribution import Distribution, cross_entropy, kl_divergence, register_kl
from autodiff.chainer.function_node import Fallback
from autodiff.chainer.graph_optimizations.static_graph import static_code, static_graph
from autodiff.chainer.initializer import Initializer
from autodiff.chainer.link import Chain, ChainList, Link
from autodiff.chainer.link_hook import LinkHook
from autodiff.chainer.link_hook import get_link_hooks as _get_link_hooks  # noqa: F401 - libraries call it
from autodiff.chainer.optimizer import GradientMethod, Optimizer, UpdateRule
from autodiff.chainer.reporter import (
    DictSummary,
    Reporter,
    Summary,
    get_current_reporter,
    report,
    report_scope,
)
from autodiff.chainer.runtime_info import print_runtime_info
from autodiff.chainer.sequential import Sequential
from autodiff.chainer.serializer import AbstractSerializer, Deserializer, Serializer
from autodiff.facade.functions.function import Function, FunctionAdapter
from autodiff.facade.functions.function_node import FunctionNode
from autodiff.facade.graph.multi_output import backward_all as backward
from autodiff.facade.graph.multi_output import grad
from autodiff.facade.graph.node import VariableNode
from autodiff.facade.graph.observing import FunctionHook, get_function_hooks
from autodiff.facade.settings.configuration import config, get_dtype, global_config, mixed16, using_config
from autodiff.facade.settings.mode import force_backprop_mode, no_backprop_mode
from autodiff.facade.variables.conversion import as_array, as_variable
from autodiff.facade.variables.parameter import Parameter
from autodiff.facade.variables.variable import Variable

__version__ = "7.8.1"  # the version of Chainer whose interface this is
disable_experimental_feature_warning = False
_sys.modules[f"{__name__}.cuda"] = cuda

_OF_CHAINER_1 = ("AUTO", "Flag", "FunctionSet", "OFF", "ON", "flag", "function_set", "init_weight")
_ON_DEMAND = {
    "array": "functions.array",
    "basic_math": "functions.math.basic_math",
    **{
        name: name
        for name in (
            "computational_graph", "configuration", "distributions", "function", "function_hook",
            "gradient_check", "memory_layouts", "testing", "types", "variable", "warnings",
        )
    },
}  # fmt: skip
"""Modules that are attributes of this one, imported when somebody asks: where each of them is."""


def get_compute_mode() -> _Any:
    """The mode of matrix products on GPUs: ``config.compute_mode``."""
    return config.compute_mode


def __getattr__(name: str) -> _Any:
    if name in _ON_DEMAND:
        return _import_module(f"{__name__}.{_ON_DEMAND[name]}")
    hint = "; it was Chainer 1's: run the program with --compat v1" if name in _OF_CHAINER_1 else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


__all__ = [
    "AbstractSerializer",
    "Chain",
    "ChainList",
    "DebugMode",
    "Deserializer",
    "DeviceResident",
    "DictSummary",
    "Distribution",
    "Fallback",
    "Function",
    "FunctionAdapter",
    "FunctionHook",
    "FunctionNode",
    "GradientMethod",
    "Initializer",
    "Link",
    "LinkHook",
    "Optimizer",
    "Parameter",
    "Reporter",
    "Sequential",
    "Serializer",
    "Summary",
    "UpdateRule",
    "Variable",
    "VariableNode",
    "as_array",
    "as_variable",
    "backends",
    "backward",
    "config",
    "cross_entropy",
    "cuda",
    "dataset",
    "datasets",
    "force_backprop_mode",
    "function_hooks",
    "functions",
    "get_array_types",
    "get_compute_mode",
    "get_cpu_array_types",
    "get_current_reporter",
    "get_device",
    "get_dtype",
    "get_function_hooks",
    "global_config",
    "grad",
    "graph_optimizations",
    "initializers",
    "is_arrays_compatible",
    "is_debug",
    "iterators",
    "kl_divergence",
    "link_hooks",
    "links",
    "mixed16",
    "no_backprop_mode",
    "optimizer_hooks",
    "optimizers",
    "print_runtime_info",
    "register_kl",
    "report",
    "report_scope",
    "serializers",
    "set_debug",
    "should_use_cudnn",
    "should_use_cudnn_tensor_core",
    "static_code",
    "static_graph",
    "training",
    "using_config",
    "using_device",
    "utils",
]
