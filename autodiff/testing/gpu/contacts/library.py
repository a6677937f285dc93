"""What autodiff asks of CuPy and of CUDA, each thing by itself: names, dtypes, streams, capture, cuBLAS, memory."""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

import autodiff
from autodiff.backends.cupy.libraries.blas import capturable, direct_blas, workspace
from autodiff.backends.cupy.prelude import prelude
from autodiff.backends.cupy.runtime.compiling import device_code
from autodiff.backends.gpu import require
from autodiff.testing.gpu.item import Given, Item, LeftOutError, Said, check
from autodiff.trace.syntax import parse

KERNEL = """
extern "C" __global__ void doubled(const float* in, float* out, const int64 size) {
  const int64 k = int64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < size) out[k] = 2 * in[k];
}
"""
SIZE, THREADS = 1000, 128
KINDS = ("bool", "int32", "int64", "float16", "float32", "float64", "complex64")
ROOTS = ("cupy", "require", "library")


def names_used() -> Iterator[tuple[str, ...]]:
    """The names of CuPy that the text of autodiff uses: ``cupy.cuda.Stream`` as ("cuda", "Stream")."""
    for path in sorted(Path(autodiff.__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "backends.gpu import" in text or path.name == "gpu.py":
            yield from chains(parse(text))


def chains(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """Attributes of what is called ``cupy``, or is returned by ``require()``, as far as they go."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue
        names: list[str] = []
        part: ast.expr = node
        while isinstance(part, ast.Attribute):
            names.append(part.attr)
            part = part.value
        called = isinstance(part, ast.Call) and not part.args and isinstance(part.func, ast.Name)
        root = part.func.id if called else part.id if isinstance(part, ast.Name) else ""  # type: ignore[attr-defined]
        if root == "cupy" or (called and root == "require"):
            yield tuple(reversed(names))


def names(given: Given) -> Said:
    """Every name that autodiff uses is there."""
    cupy, missing = require(), []
    used = sorted(set(names_used()))
    for name in used:
        try:
            reduce(getattr, name, cupy)
        except AttributeError:
            missing.append(".".join(name))
    check(not missing, f"CuPy {cupy.__version__} has no {', '.join(missing)}")
    return f"{len(used)} names"


BINARY: tuple[Any, ...] = (np.add, np.multiply, np.divide, np.maximum, np.power)
UNARY: tuple[Any, ...] = (np.exp, np.sqrt, np.tanh, np.negative)


def dtypes(given: Given) -> Said:
    """Functions give the dtypes that NumPy gives."""
    wrong: list[str] = []
    for name in BINARY:
        for one in KINDS:
            for other in (*KINDS, 2, 2.5):
                host = tuple(np.ones(2, kind) if isinstance(kind, str) else kind for kind in (one, other))
                wrong += differences(name, host)
    wrong += [text for name in UNARY for kind in KINDS[1:] for text in differences(name, (np.ones(2, kind),))]
    check(not wrong, "; ".join(wrong))
    return f"{len(BINARY)} functions of two arrays, {len(UNARY)} of one"


def differences(function: Any, host: tuple[Any, ...]) -> Iterator[str]:
    """Where CuPy's dtype is another one."""
    needed = function(*host).dtype
    there = [require().asarray(x) if isinstance(x, np.ndarray) else x for x in host]
    found = function(*there).dtype
    if found != needed:
        kinds = ", ".join(str(getattr(x, "dtype", x)) for x in host)
        yield f"{function.__name__}({kinds}) is {found}, not {needed}"


def brain_floats(given: Given) -> Said:
    """Arrays of bfloat16 go there, compute and come back."""
    kind = brain_float()
    x = require().asarray(np.arange(5, dtype=np.float32)).astype(kind)
    check(x.dtype == kind, f"ones are {x.dtype}")
    back = require().asnumpy((x * x).astype(np.float32))
    np.testing.assert_array_equal(back, np.arange(5.0) ** 2)
    return str((x + 1).dtype)


def brain_float() -> Any:
    """The dtype of ml_dtypes."""
    try:
        import ml_dtypes  # noqa: PLC0415 - an optional package
    except ImportError:
        raise LeftOutError("needs the package ml_dtypes") from None
    return np.dtype(ml_dtypes.bfloat16)


def round_trip(given: Given) -> Said:
    """Arrays of each dtype go there and come back, parts of arrays too."""
    cupy = require()
    for kind in KINDS:
        host = np.arange(60).reshape(3, 20).astype(kind)
        np.testing.assert_array_equal(cupy.asnumpy(cupy.asarray(host)), host)
        np.testing.assert_array_equal(cupy.asarray(host)[::2, 3:].get(), host[::2, 3:])
    return f"{len(KINDS)} dtypes"


def streams(given: Given) -> Said:
    """A stream waits for an event of another one."""
    cupy = require()
    side, x = cupy.cuda.Stream(non_blocking=True), cupy.arange(SIZE, dtype=np.float32)
    event = cupy.cuda.get_current_stream().record()
    side.wait_event(event)
    with side:
        y = x * 2
        done = side.record()
    cupy.cuda.get_current_stream().wait_event(done)
    check(float(y.sum()) == SIZE * (SIZE - 1), f"the sum is {float(y.sum())}")
    done.synchronize()
    check(done.done, "an event that was waited for is not done")
    return f"{cupy.cuda.get_elapsed_time(event, done):.3f} ms between two events"


def loaded(given: Given) -> Any:
    """The function of the small kernel, compiled by NVRTC."""
    cupy = require()
    module = cupy.cuda.function.Module()
    module.load(device_code(f"{prelude()}\n{KERNEL}", int(cupy.cuda.runtime.getDevice())))
    return module.get_function("doubled")


def launch(function: Any, x: Any, out: Any) -> None:
    """Double the elements."""
    function((-(-x.size // THREADS),), (THREADS,), (x, out, np.int64(x.size)))


def compiled(given: Given) -> Said:
    """NVRTC compiles a text, and a kernel of it runs."""
    cupy = require()
    x = cupy.arange(SIZE, dtype=np.float32)
    out = cupy.zeros_like(x)
    launch(loaded(given), x, out)
    np.testing.assert_array_equal(out.get(), 2 * np.arange(SIZE, dtype=np.float32))
    return f"NVRTC {'.'.join(map(str, cupy.cuda.nvrtc.getVersion()))}"


def captured(given: Given) -> Said:
    """A kernel and functions of CuPy are captured, and replayed on other contents."""
    cupy, function = require(), loaded(given)
    x, out = cupy.arange(SIZE, dtype=np.float32), cupy.zeros(SIZE, np.float32)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.get_current_stream().synchronize()
    pool = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc), stream:
        launch(function, x, out)
        out + 1
        stream.synchronize()
        stream.begin_capture()
        launch(function, x, out)
        more = out + 1
        graph = stream.end_capture()
    for scale in (1, 3):
        x[...] = cupy.arange(SIZE, dtype=np.float32) * scale
        graph.launch()
        cupy.cuda.get_current_stream().synchronize()
        np.testing.assert_array_equal(more.get(), 2 * scale * np.arange(SIZE, dtype=np.float32) + 1)
    return "a kernel and a ufunc"


def products(given: Given) -> Said:
    """cuBLAS multiplies, in all precisions."""
    cupy, random = require(), np.random.default_rng(0)
    errors = {}
    for kind, most in (("float16", 1e-2), ("float32", 1e-5), ("float64", 1e-13), ("complex64", 1e-5)):
        x, y = (random.standard_normal((33, 33)).astype(kind) for _ in range(2))
        wide = np.complex128 if kind == "complex64" else np.float64
        found, right = (cupy.asarray(x) @ cupy.asarray(y)).get().astype(wide), x.astype(wide) @ y.astype(wide)
        errors[kind] = float(np.max(np.abs(found - right)) / np.max(np.abs(right)))
        check(errors[kind] <= most, f"{kind} is off by {errors[kind]:.2g}")
    return errors


def products_in_capture(given: Given) -> Said:
    """cuBLAS is captured, called as autodiff calls it."""
    if given.standin:
        raise LeftOutError("the stand-in for CuPy is no library that is called by address")
    cupy = require()
    check(direct_blas() is not None, "the library that CuPy has loaded is not found under its name")
    random = np.random.default_rng(0)
    x, y = (cupy.asarray(random.standard_normal((32, 32)).astype(np.float32)) for _ in range(2))
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.get_current_stream().synchronize()
    room = workspace(cupy, cupy.cuda.runtime.getDevice(), int(stream.ptr))
    product = autodiff.jit(lambda x, y: np.tanh(x @ y))
    pool = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc), stream, capturable(stream, room):
        product(x, y)
        stream.synchronize()
        stream.begin_capture()
        out = product(x, y)
        graph = stream.end_capture()
    graph.launch()
    cupy.cuda.get_current_stream().synchronize()
    np.testing.assert_allclose(out.get(), np.tanh(x.get() @ y.get()), rtol=1e-4, atol=1e-5)
    return "a product in a graph"


def pool(given: Given) -> Said:
    """Memory that is freed in a stream is handed out there again; a pool of one's own is used by those who ask."""
    cupy = require()
    own = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(own.malloc):
        first = cupy.empty(1 << 20, np.uint8)
        place = first.data.ptr
        del first
        again = cupy.empty(1 << 20, np.uint8)
    check(again.data.ptr == place, "freed memory was not handed out again")
    check(own.used_bytes() >= 1 << 20, f"the pool says {own.used_bytes()} bytes are in use")
    return f"{own.total_bytes()} bytes held"


def pinned(given: Given) -> Said:
    """Pinned memory of the host is copied to the GPU in a stream."""
    cupy = require()
    memory = cupy.cuda.alloc_pinned_memory(4 * SIZE)
    host = np.frombuffer(memory, np.float32, SIZE)
    host[...] = np.arange(SIZE)
    there = cupy.empty(SIZE, np.float32)
    stream = cupy.cuda.Stream(non_blocking=True)
    there.set(host, stream)
    stream.synchronize()
    np.testing.assert_array_equal(there.get(), host)
    return f"{memory.ptr % 4096} bytes behind a page"


def mapped(given: Given) -> Said:
    """A kernel writes pinned memory, and the host reads it there: a status that nobody copies."""
    cupy = require()
    memory = cupy.cuda.alloc_pinned_memory(4 * SIZE)
    host = np.frombuffer(memory, np.float32, SIZE)
    host[...] = 0
    x = cupy.arange(SIZE, dtype=np.float32)
    loaded(given)((-(-SIZE // THREADS),), (THREADS,), (x, np.uintp(memory.ptr), np.int64(SIZE)))
    cupy.cuda.get_current_stream().synchronize()
    np.testing.assert_array_equal(host, 2 * np.arange(SIZE, dtype=np.float32))
    return "written by a kernel, read by the host"


def grid_limits(given: Given) -> Said:
    """The limits of grids are those that kernels are written for."""
    cupy = require()
    said = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())
    limits = tuple(said["maxGridSize"])
    check(limits[0] >= 2**31 - 1, limits)
    check(limits[1] >= 65535, limits)
    check(said["warpSize"] == 32, said["warpSize"])
    return {"grid": limits, "registers": said["regsPerMultiprocessor"], "shared": said["sharedMemPerBlockOptin"]}


def handles(given: Given) -> Said:
    """The handle of cuBLAS and addresses are whole numbers of 64 bits."""
    cupy = require()
    x = cupy.zeros(3)
    check(isinstance(cupy.cuda.get_cublas_handle(), int), "the handle of cuBLAS is no number")
    check(isinstance(x.data.ptr, int), "an address is no number")
    check(ctypes.sizeof(ctypes.c_void_p) == 8, "pointers have no 64 bits")
    return hex(x.data.ptr)


ITEMS: dict[str, Item] = {
    "names": names,
    "round trip": round_trip,
    "kernel by NVRTC": compiled,
    "streams and events": streams,
    "products by cuBLAS": products,
    "capture and replay": captured,
    "cuBLAS in capture": products_in_capture,
    "dtypes": dtypes,
    "bfloat16": brain_floats,
    "memory pool": pool,
    "pinned memory": pinned,
    "mapped memory": mapped,
    "grid limits": grid_limits,
    "handles and addresses": handles,
}
