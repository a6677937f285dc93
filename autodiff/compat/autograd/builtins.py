"""Python's own classes: containers hold traced values here as they hold any others."""

from __future__ import annotations

import builtins
from typing import Any

from autodiff.compat.autograd.boxes import getval
from autodiff.compat.autograd.extend import (
    Box,
    SparseObject,
    VSpace,
    defjvp,
    defjvp_argnum,
    defvjp,
    defvjp_argnum,
    notrace_primitive,
    primitive,
    vspace,
)
from autodiff.compat.autograd.substitution import subvals
from autodiff.trace.trees.tree import flatten

tuple = tuple_ = builtins.tuple
list = list_ = builtins.list
dict = dict_ = builtins.dict
isinstance_, type_ = builtins.isinstance, builtins.type


def isinstance(x: Any, A: Any) -> bool:
    """Whether a value, or the plain one that a traced value stands for, is of a class."""
    return isinstance_(getval(x), A)


def type(x: Any) -> Any:
    """The class of a value, or of the plain one that a traced value stands for."""
    return type_(getval(x))


class ContainerType(builtins.type):
    """The type of classes of containers that hold traced values, which are Python's own here."""

    def __instancecheck__(cls, instance: Any) -> bool:
        is_container = isinstance_(instance, cls.kinds)  # type: ignore[attr-defined]
        return is_container and any(isinstance_(leaf, Box) for leaf in flatten(instance)[0])


class DictBox(metaclass=ContainerType):
    """A dictionary that holds traced values: for ``isinstance`` and annotations."""

    kinds = (builtins.dict,)


class SequenceBox(metaclass=ContainerType):
    """A list or tuple that holds traced values: for ``isinstance`` and annotations."""

    kinds = (builtins.list, builtins.tuple)


def make_sequence(seq_type: Any, *args: Any) -> Any:
    """A tuple or list of values."""
    return seq_type(args)


__all__ = [
    "Box", "DictBox", "SequenceBox", "SparseObject", "VSpace", "defjvp", "defjvp_argnum", "defvjp", "defvjp_argnum",
    "dict", "dict_", "isinstance", "isinstance_", "list", "list_", "make_sequence", "notrace_primitive", "primitive",
    "subvals", "tuple", "tuple_", "type", "type_", "vspace",
]  # fmt: skip
