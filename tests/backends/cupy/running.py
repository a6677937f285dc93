"""Programs as they are run on a GPU, run on the host: their kernels by the shim, everything else by NumPy."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from autodiff import make_tape
from autodiff.backends.cupy.kernels.call import device_kernel, kernel_of
from autodiff.backends.cupy.runtime.modules import KernelModule
from autodiff.backends.cupy.schedule import schedule_for_gpu
from autodiff.backends.passes.rewrite.known import use_constants
from autodiff.trace.trees.tree import flatten
from tests.backends.cupy.hosting import Hosted, run_kernel


def plain(tape):
    """The operations of a tape alone: its constants are inputs like others."""
    return replace(tape, constants=(), arguments=None, results=None)


class Programs:
    """Several programs whose kernels are compiled together.

    Args:
        given: by their names a function and the arguments with which it is recorded.
    """

    def __init__(self, given):
        self.tapes, self.module, self.kernels = {}, KernelModule(), {}
        for name, (fun, *args) in given.items():
            recorded = use_constants(make_tape(fun)(*args))
            scheduled = schedule_for_gpu(plain(recorded))
            self.tapes[name] = scheduled, recorded.constants
            for equation in scheduled.equations:
                if equation.primitive is device_kernel and equation.params not in self.kernels:
                    kernel = kernel_of(**dict(equation.params))
                    names = self.module.add(kernel)
                    launches = [replace(launch, function=own) for launch, own in zip(kernel.launches, names)]
                    self.kernels[equation.params] = replace(kernel, launches=tuple(launches))

    @cached_property
    def host(self):
        return Hosted(self.module.source)

    def names(self, name):
        """What a program does, operation by operation."""
        return [equation.primitive.name for equation in self.tapes[name][0].equations]

    def run(self, name, *args, order=0, anywhere=False, late=False):
        """The outputs of a program; inputs of kernels begin at any place, or at multiples of 16 bytes."""
        tape, constants = self.tapes[name]
        slots = dict(enumerate((*flatten(args)[0], *constants)))
        for equation in tape.equations:
            operands = [slots[o] if isinstance(o, int) else o.value for o in equation.operands]
            if equation.primitive is device_kernel:
                outs = run_kernel(
                    self.kernels[equation.params], *operands, order=order, host=self.host, anywhere=anywhere, late=late
                )
            else:
                outs = equation.primitive.evaluate(*operands, **dict(equation.params))
                outs = outs if isinstance(outs, tuple) else (np.asarray(outs),)
            slots.update(zip(equation.results, outs, strict=True))
        return [slots[out] if isinstance(out, int) else out.value for out in tape.outputs]
