"""Single operations as kernels of GPUs, run on the host: many of them are compiled together."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from hypothesis import HealthCheck, given, settings

import autodiff.numpy
import autodiff.ops.images.windows  # noqa: F401
from autodiff.backends.cupy.kernels.call import kernel_of
from autodiff.backends.cupy.kernels.special import special_kernel
from autodiff.backends.cupy.runtime.modules import KernelModule
from autodiff.backends.kernels.halves import is_half
from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.spec import spec
from autodiff.trace.tape import Equation, Tape
from tests.backends.cupy.hosting import Hosted, run_kernel


def drawn(strategy, count):
    """Examples of a strategy, always the same ones."""
    found = []

    @settings(
        max_examples=count, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(strategy)
    def note(example):
        found.append(example)

    note()
    return found


def tape_of(name, *arrays, **params):
    """The tape of one operation on arrays."""
    primitive = PRIMITIVES[name]
    inputs = tuple(spec(array.shape, array.dtype) for array in arrays)
    found = primitive.spec(*inputs, **params)
    results = tuple(spec(one.shape, one.dtype) for one in (found if isinstance(found, tuple) else (found,)))
    slots = tuple(range(len(inputs), len(inputs) + len(results)))
    equation = Equation(
        primitive, tuple(range(len(inputs))), tuple(sorted(params.items())), slots, results, "user.py:7"
    )
    return Tape(inputs, (equation,), slots)


class Operation:
    """One operation: its name, its operands, its parameters.

    ``given`` are further parameters of the kernel, and ``kind`` which kernel it is, where it is not the one that
    programs take; ``status`` is 1 where an index is out of range.
    """

    def __init__(self, name, *arrays, status=0, given=None, kind=None, **params):
        self.name, self.status = name, status
        self.arrays = tuple(map(np.asarray, arrays))
        self.params = params
        self.tape = tape_of(name, *self.arrays, **params)
        if kind is None:
            found = special_kernel(self.tape)
            assert found is not None, self
            kind, own = found
            given = {**own, **(given or {})}
        self.kernel = kernel_of(kind=kind, tape=self.tape, **(given or {}))

    def __repr__(self):
        operands = ", ".join(f"{array.dtype}{array.shape}" for array in self.arrays)
        return f"{self.name}({operands}, {self.params})"

    def wanted(self):
        """What NumPy gives, computed in double precision where numbers are shorter and not only moved."""
        exact = [a.astype(np.float64) if a.dtype == np.float32 or is_half(a.dtype) else a for a in self.arrays]
        out = np.asarray(PRIMITIVES[self.name].evaluate(*exact, **self.params))
        return [out.astype(self.kernel.results[0].dtype)]


class Together:
    """Operations whose kernels are compiled together."""

    def __init__(self, operations: Mapping[str, Operation] | list[Operation]):
        self.operations = list(operations)
        self.module = KernelModule()
        self.names = [self.module.add(operation.kernel) for operation in self.operations]

    @cached_property
    def host(self):
        return Hosted(self.module.source)

    def run(self, place, order):
        """The results of one operation."""
        operation, names = self.operations[place], self.names[place]
        launches = [replace(one, function=name) for one, name in zip(operation.kernel.launches, names, strict=True)]
        kernel = replace(operation.kernel, launches=tuple(launches))
        return run_kernel(kernel, *operation.arrays, order=order, status=operation.status, host=self.host)

    def check(self, order, compare=np.testing.assert_array_equal):
        """Compare all of them with NumPy."""
        for place, operation in enumerate(self.operations):
            found = self.run(place, order)
            for own, wanted in zip(found, operation.wanted(), strict=True):
                assert (own.dtype, own.shape) == (wanted.dtype, wanted.shape), operation
                compare(own, wanted, err_msg=repr(operation))
