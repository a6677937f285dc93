"""Every primitive declares its parameters, so that tapes from files can be checked."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import autodiff.chainer
import autodiff.numpy.elements.special
import autodiff.ops.images.windows
import autodiff.scipy.special  # noqa: F401 - these modules load late, when something needs them
from autodiff.backends.kernels.primitive import KernelPrimitive
from autodiff.trace.primitive import PRIMITIVES, Primitive
from autodiff.transforms.custom.call import CustomCall

OBJECTS = {"linear_along_axis", "sampled_product", "sparse_product", "sparse_solve"}
"""Operations with an object of this process as a parameter: a function of SciPy, the pattern of a sparse matrix."""


def named(function: Any) -> dict[str, bool]:
    """The keyword-only parameters of a function, and whether they are needed."""
    if isinstance(function, np.ufunc):
        return {}
    found = inspect.signature(function).parameters.values()
    return {p.name: p.default is p.empty for p in found if p.kind is p.KEYWORD_ONLY and not p.name.startswith("_")}


def declared(primitive: Primitive) -> dict[str, bool]:
    assert primitive.params is not None
    return {name: domain.needed for name, domain in primitive.params.items()}


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_a_primitive_declares_the_parameters_that_it_has(name: str) -> None:
    primitive = PRIMITIVES[name]
    if isinstance(primitive, KernelPrimitive) or name in OBJECTS:
        assert primitive.params is None  # they are in no file: save_tape says so
        return
    functions = [primitive.spec, primitive.check, primitive.evaluate]
    if getattr(primitive.evaluate, "__module__", "").startswith("numpy"):
        functions.remove(primitive.evaluate)  # its keywords are NumPy's
    wanted: dict[str, bool] = {}
    for function in functions:
        wanted |= named(function) if function is not None else {}
    if isinstance(primitive, CustomCall):
        wanted["rule"] = True  # which is asked for by those who differentiate
    assert declared(primitive) == wanted
