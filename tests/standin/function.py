"""``cupy.cuda.function``: modules of kernels, and launches, which the host's processor runs.

While a stream is captured nothing runs: launches are noted, as CUDA does it, and run when the graph is launched.
"""

import weakref

import numpy as np

from tests.backends.cupy import hosting
from tests.standin import device, streams
from tests.standin.array import ndarray

launched = []
"""The names of the kernels that were asked for, with the blocks of their grids; those of a graph in each of its launches."""

POINTERS = (np.generic, bool, int, float)


known = weakref.WeakValueDictionary()
"""Functions by what CUDA knows them by."""


class Launch:
    """What kernels are launched with: an order of threads, and whether CUDA refuses."""

    order = 0
    refusal = None


class Module:
    """A module of kernels."""

    def __init__(self):
        self.library = None

    def load(self, code):
        assert isinstance(code, bytes)
        if not code.startswith(b"\x7fELF"):
            raise RuntimeError("CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid")
        self.library, self.device = hosting.load(code), device.current()

    def get_function(self, name):
        return Function(self, name)


class Function:
    """A kernel."""

    def __init__(self, module, name):
        self.module, self.name = module, name
        self.hosted = hosting.Function(module.library, name)
        self.shared = device.PROPERTIES["sharedMemPerBlock"]
        self.ptr = id(self)
        known[self.ptr] = self

    def __call__(self, grid, block, args, shared_mem=0, stream=None, enable_cooperative_groups=False):
        if Launch.refusal is not None:
            raise Launch.refusal
        assert isinstance(grid, tuple)
        assert isinstance(block, tuple)
        if device.current() != self.module.device:
            raise RuntimeError("CUDA_ERROR_INVALID_HANDLE: invalid resource handle")
        refuse_sizes(grid, block)
        if shared_mem > self.shared:
            raise RuntimeError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        values = [value_of(arg) for arg in args]
        contents = [arg._content for arg in args if isinstance(arg, ndarray)]

        once = (streams.get_current_stream() if stream is None else stream)._nodes is None
        if once:
            launched.append((self.name, grid))

        def run(kept=contents):  # mapped as long as a graph may write there, whoever has it meanwhile
            if not once:
                launched.append((self.name, grid))
            self.hosted.launch(grid, block, values, shared_mem, Launch.order)

        streams.submit(run, stream)


def set_attribute(ptr, attribute, value):
    """``cuFuncSetAttribute``, of the one attribute that is known here."""
    if attribute != 8 or not 0 <= value <= device.PROPERTIES["sharedMemPerBlockOptin"]:
        raise device.CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
    known[ptr].shared = value


def refuse_sizes(grid, block):
    """Refuse more blocks or threads than a GPU takes."""
    for sizes, limits in ((grid, device.PROPERTIES["maxGridSize"]), (block, device.PROPERTIES["maxThreadsDim"])):
        if any(not 0 < size <= limit for size, limit in zip(sizes, limits)):
            raise RuntimeError("CUDA_ERROR_INVALID_VALUE: invalid argument")
    if np.prod(block) > device.PROPERTIES["maxThreadsPerBlock"]:
        raise RuntimeError("CUDA_ERROR_INVALID_VALUE: invalid argument")


def value_of(argument):
    """An argument as CuPy hands it to CUDA: arrays by where they begin, numbers by value."""
    if isinstance(argument, ndarray):
        return np.uintp(argument.data.ptr)
    if isinstance(argument, np.ndarray):
        raise TypeError(f"You are trying to pass a numpy.ndarray of shape {argument.shape} as a kernel parameter.")
    if not isinstance(argument, POINTERS):
        raise TypeError(f"Unsupported type {type(argument)}")
    return argument


def forget():
    """Nothing has been launched yet."""
    launched.clear()
    Launch.order, Launch.refusal = 0, None


def fill(module):
    """Put everything into ``cupy.cuda.function``."""
    module.Module, module.Function = Module, Function
    forget()


__all__ = ["Function", "Launch", "Module", "fill", "launched", "set_attribute"]
