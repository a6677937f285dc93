"""What Variables do not do: each says so where it is asked for, and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autodiff.facade.variables.parameter import Parameter
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line

COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
NEW_ARRAY = "it is that of the array: assign to .array"
IN_THE_GRAPH = "it is the place in the graph: see creator_node"
READ_ONLY = {
    "shape": "use reshape()",
    "ndim": NEW_ARRAY,
    "size": NEW_ARRAY,
    "dtype": "use F.cast",
    "T": NEW_ARRAY,
    "xp": "use to_device()",
    "device": "use to_device()",
    "rank": IN_THE_GRAPH,
    "node": IN_THE_GRAPH,
    "label": "it tells shape and dtype; assign to .name",
    "layout": "arrays have NumPy's layout, called None",
    "raw_array": "assign to .array",
    "requires_grad": "make a new one: Variable(v.array, requires_grad=...)",
}
"""Attributes that cannot be assigned, and what to do instead."""


ELSEWHERE = {
    "abs": "write abs(v)",
    **{name: f"write np.{name}(v)" for name in ("cos", "exp", "log", "sin", "sqrt", "tanh")},
    **{name: f"write F.{name}(v), of autodiff.chainer.functions" for name in ("relu", "sigmoid", "softmax")},
    "clone": "write v + 0.0, or Variable(v.array.copy())",
    "cpu": "write v.to_cpu()",
    "cuda": "write v.to_gpu()",
    "detach": "write Variable(v.array), or v.array for the array",
    "double": "write v.astype(np.float64)",
    "float": "write v.astype(np.float32)",
    "matmul": "write v @ w",
    "mm": "write v @ w",
    "norm": "write np.linalg.norm(v)",
    "numpy": "write v.array",
    "permute": "write v.transpose(axes)",
    "pow": "write v ** exponent",
    "to": "write v.to_gpu(), v.to_cpu() or v.to_device(device), and v.astype(dtype) for a dtype",
    "tolist": "write v.array.tolist()",
    "unsqueeze": "write np.expand_dims(v, axis)",
    "view": "write v.reshape(shape)",
    "zero_grad": "write v.cleargrad()",
}
"""What tensors of other libraries have, and what is written in its place."""


def missing_attribute(self: Variable, name: str) -> Any:
    """What Python asks for attributes that are nowhere found; what a property raised is raised again."""
    if name in ELSEWHERE:
        raise AttributeError(f"Variables have no {name!r}{at_user_line()}: {ELSEWHERE[name]}", name=name, obj=self)
    return object.__getattribute__(self, name)


def comparison(sign: str) -> Callable[[Any, Any], NoReturn]:
    """A comparison."""

    def compare(self: Any, other: Any) -> NoReturn:
        raise TypeError(f"Variables do not support {sign} operator{at_user_line()}; compare their arrays: v.array")

    return compare


def conversion(target: str) -> Callable[[Any], NoReturn]:
    """A conversion to a number of Python."""

    def convert(self: Any) -> NoReturn:
        raise TypeError(
            f"a Variable would become {target}{at_user_line()} and its derivative would be lost; take v.item() where "
            "that is wanted, functions of NumPy or chainer.functions in place of those of math, and np.stack in place "
            "of an array that Variables are written into"
        )

    return convert


def formatted(self: Variable, spec: str) -> str:
    """The Variable as text, without a format."""
    if spec:
        raise TypeError(f"a Variable takes no format, got {spec!r}{at_user_line()}; format its number: v.item()")
    return str(self)


def set_item(self: Variable, key: Any, value: Any) -> NoReturn:
    """``v[key] = value``."""
    raise TypeError(
        f"a Variable does not support item assignment{at_user_line()}: its gradient would be wrong; compute a new one "
        "with F.where or F.scatter_add, or assign into v.array[...] where no gradient depends on it"
    )


def read_only(name: str, remedy: str) -> Callable[[Any, Any], NoReturn]:
    """The assignment to an attribute."""

    def assign(self: Any, value: Any) -> NoReturn:
        raise AttributeError(f"the {name} of a {type(self).__name__} cannot be assigned{at_user_line()}; {remedy}")

    return assign


def install() -> None:
    """Let Variables refuse."""
    refusals: dict[str, Any] = {
        **{name: comparison(sign) for name, sign in COMPARISONS.items()},
        "float": conversion("a float"),
        "int": conversion("an int"),
        "format": formatted,
        "setitem": set_item,
        "getattr": missing_attribute,
    }
    for name, method in refusals.items():
        setattr(Variable, f"__{name}__", method)
    for kind in (Variable, Parameter):
        for name in READ_ONLY.keys() & vars(kind).keys():
            present = vars(kind)[name]
            setattr(kind, name, property(present.fget, read_only(name, READ_ONLY[name]), doc=present.__doc__))


install()
