"""The stand-in's modules: ``cupy``, ``cupyx`` and what they contain.

They offer what real ones do, by the names in ``names.json``, made when it is first asked for.
"""

import importlib
import types

import numpy as np

from tests.standin import (
    blas,
    device,
    function,
    functions,
    indexing,
    kernels,
    memory,
    nvrtc,
    randomness,
    solvers,
    streams,
)
from tests.standin.recorded import FUNCTIONS, UFUNCS, VERSION
from tests.standin.ufuncs import ufunc

NUMPY = {"cupy": "numpy", "cupy.linalg": "numpy.linalg", "cupy.fft": "numpy.fft",
         "cupy.lib.stride_tricks": "numpy.lib.stride_tricks", "cupyx.scipy.special": "scipy.special"}  # fmt: skip
NAMES = (
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128", "intp", "dtype", "inf", "nan", "pi", "e", "euler_gamma", "newaxis", "generic", "number",
    "floating", "integer", "inexact", "complexfloating", "signedinteger", "unsignedinteger", "finfo", "iinfo",
    "broadcast", "errstate", "s_", "index_exp", "r_", "c_", "mgrid", "ogrid", "ndindex",
)  # fmt: skip


class Module(types.ModuleType):
    """A module whose functions are made when they are asked for."""

    def __getattr__(self, name):
        made = self.find(name)
        setattr(self, name, made)
        return made

    def find(self, name):
        module = self.__name__
        if name in UFUNCS.get(module, ()):
            return ufunc(module, name, numpy_function(module, name))
        if name in FUNCTIONS.get(module, ()):
            return functions.evaluated(module, name, numpy_function(module, name))
        raise AttributeError(f"module {module!r} has no attribute {name!r}")


def numpy_function(module, name):
    """The function of NumPy or SciPy that computes what a function of CuPy computes."""

    def call(*args, **kwargs):
        own = getattr(importlib.import_module(NUMPY.get(module, "numpy")), name, None)
        if own is None:
            raise NotImplementedError(f"the stand-in for CuPy does not run {module}.{name}")
        return own(*args, **kwargs)

    return call


def build():
    """The modules by their names, all of them new."""
    modules = {
        name: Module(name)
        for name in (
            "cupy", "cupy.linalg", "cupy.fft", "cupy.random", "cupy.lib", "cupy.lib.stride_tricks", "cupy.cuda",
            "cupy.cuda.runtime", "cupy.cuda.driver", "cupy.cuda.nvrtc", "cupy.cuda.function", "cupy.cuda.memory", "cupy.cuda.device",
            "cupy.cuda.stream", "cupyx", "cupyx.scipy", "cupyx.scipy.special",
        )
    }  # fmt: skip
    for name, module in modules.items():
        module.__path__ = []
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(modules[parent], own, module)
    fill_main(modules["cupy"])
    fill_cuda(modules)
    fill_random(modules["cupy.random"])
    modules["cupy.linalg"].LinAlgError = np.linalg.LinAlgError
    modules["cupy.linalg"].lstsq, modules["cupy.linalg"].solve = functions.lstsq, functions.solve
    fill_more(modules["cupyx"])
    solvers.enter(modules["cupy.linalg"], modules["cupyx"])
    return modules


def fill_main(cupy):
    """What ``cupy`` has besides the functions of NumPy."""
    cupy.__version__ = VERSION
    cupy.ndarray, cupy.ufunc = indexing.ndarray, ufunc
    cupy.is_available = lambda: True
    cupy._core = blas.core()
    for name in NAMES:
        setattr(cupy, name, getattr(np, name))
    for name, own in functions.OWN.items():
        setattr(cupy, name, own)
    for name in ("ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule", "fuse"):
        setattr(cupy, name, getattr(kernels, name))
    cupy.get_default_memory_pool = lambda: memory.default_pool
    pinned = memory.MemoryPool()
    cupy.get_default_pinned_memory_pool = lambda: pinned
    cupy.show_config = lambda *, full=False: None


def fill_cuda(modules):
    """``cupy.cuda``."""
    cuda, runtime = modules["cupy.cuda"], modules["cupy.cuda.runtime"]
    for kind in (device.Device, memory.MemoryPointer, memory.MemoryPool, memory.Memory):
        setattr(cuda, kind.__name__, kind)
    for kind in (streams.Stream, streams.ExternalStream, streams.Event, streams.Graph):
        setattr(cuda, kind.__name__, kind)
    cuda.get_current_stream, cuda.get_elapsed_time = streams.get_current_stream, streams.get_elapsed_time
    cuda.alloc, cuda.is_available = memory.alloc, lambda: True
    cuda.alloc_pinned_memory = memory.alloc_pinned_memory
    cuda.cublas, cuda.get_cublas_handle = blas.module(), lambda: 1
    cuda.memory.OutOfMemoryError = type("OutOfMemoryError", (MemoryError,), {"__module__": "cupy.cuda.memory"})
    cuda.memory.MemoryPointer = memory.MemoryPointer
    cuda.device.Device, cuda.stream.Stream = device.Device, streams.Stream
    runtime.CUDARuntimeError = device.CUDARuntimeError
    nvrtc.fill(modules["cupy.cuda.nvrtc"])
    function.fill(modules["cupy.cuda.function"])
    modules["cupy.cuda.driver"].CUDADriverError = device.CUDADriverError
    modules["cupy.cuda.driver"].funcSetAttribute = function.set_attribute
    cuda.using_allocator, cuda.set_allocator = memory.using_allocator, lambda allocator=None: None
    runtime.getDeviceCount, runtime.getDeviceProperties = device.device_count, device.properties
    runtime.getDevice, runtime.setDevice = device.current, device.set_device
    runtime.driverGetVersion = runtime.runtimeGetVersion = lambda: 12080
    runtime.deviceSynchronize = streams.finish
    runtime.is_hip = False
    runtime.deviceCanAccessPeer = lambda one, other: 0
    runtime.streamCaptureModeGlobal, runtime.streamCaptureModeThreadLocal, runtime.streamCaptureModeRelaxed = 0, 1, 2
    for kind in (device.Device, streams.Stream, streams.Event, memory.MemoryPool, memory.MemoryPointer):
        kind.__module__ = "cupy.cuda"


def fill_random(random):
    """``cupy.random``."""
    random.RandomState, random.Generator = randomness.RandomState, randomness.Generator
    random.default_rng, random.get_random_state = randomness.default_rng, randomness.get_random_state
    random.seed = randomness._global.seed
    random.shuffle = randomness._global.shuffle
    for name in randomness.FUNCTIONS:
        setattr(random, name, getattr(randomness._global, name))


def fill_more(cupyx):
    """``cupyx``."""
    cupyx.zeros_pinned = np.zeros
    for name in ("scatter_add", "scatter_max", "scatter_min"):
        setattr(cupyx, name, lambda a, slices, value, name=name: getattr(a, name)(slices, value))
