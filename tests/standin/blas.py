"""cuBLAS: products of matrices that lie at addresses, which NumPy computes."""

import ctypes
import functools
import types

import numpy as np

from tests.standin import streams

DTYPES = {0: "float32", 1: "float64", 2: "float16", 4: "complex64", 5: "complex128", 14: "bfloat16"}
"""CUDA's numbers of dtypes."""

SUMS = {68: "float32", 70: "float64", 75: "float32", 77: "float32"}
"""cuBLAS's numbers of computations, and the dtype in which sums are taken."""

BITS = {75: 7, 77: 10}
"""So many bits of the mantissa of float32 factors are read."""

ALPHA, BETA = 6, {"gemmEx": (13, 17), "gemmStridedBatchedEx": (15, 20)}
"""Which arguments are the number before a product, the one before what is there already, and the computation."""

calls = []
"""The names and sizes of the products that were computed: (name, rows, columns, inner, count)."""


def gemmEx(
    handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc, computing, algorithm
):  # fmt: skip
    """One product."""
    refuse()
    alpha, beta = (number_at(place, computing, atype) for place in (alpha, beta))
    calls.append(("gemmEx", n, m, k, 1))
    streams.submit(
        lambda: one_product(
            handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc, computing,
            algorithm,
        )
    )  # fmt: skip


def one_product(
    handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc, computing, algorithm
):  # fmt: skip
    """One product, as cuBLAS itself computes it."""
    product(transa, transb, m, n, k, alpha, (a, atype, lda), (b, btype, ldb), beta, (c, ctype, ldc), computing)


def gemmStridedBatchedEx(
    handle, transa, transb, m, n, k, alpha, a, atype, lda, stride_a, b, btype, ldb, stride_b, beta, c, ctype, ldc,
    stride_c, count, computing, algorithm,
):  # fmt: skip
    """One product after the other, at equal distances."""
    refuse()
    alpha, beta = (number_at(place, computing, atype) for place in (alpha, beta))
    calls.append(("gemmStridedBatchedEx", n, m, k, count))
    streams.submit(
        lambda: stack_of_products(
            handle, transa, transb, m, n, k, alpha, a, atype, lda, stride_a, b, btype, ldb, stride_b, beta, c, ctype,
            ldc, stride_c, count, computing, algorithm,
        )
    )  # fmt: skip


def stack_of_products(
    handle, transa, transb, m, n, k, alpha, a, atype, lda, stride_a, b, btype, ldb, stride_b, beta, c, ctype, ldc,
    stride_c, count, computing, algorithm,
):  # fmt: skip
    """One product after the other, as cuBLAS itself computes them."""
    assert min(stride_a, stride_b) >= 0
    for step in range(count):
        first, second, out = (
            (place + step * stride * itemsize(kind), kind, pitch)
            for place, kind, pitch, stride in (
                (a, atype, lda, stride_a), (b, btype, ldb, stride_b), (c, ctype, ldc, stride_c)
            )
        )  # fmt: skip
        product(transa, transb, m, n, k, alpha, first, second, beta, out, computing)


def refuse():
    """Refuse what CuPy refuses: it calls cuBLAS in no stream that is captured."""
    if streams.captured() is not None:
        raise NotImplementedError("calling cuBLAS API during stream capture is currently unsupported")


class Library:
    """cuBLAS itself, as ``ctypes`` gives it: what it does can be captured.

    Attributes:
        stream: that it works in.
    """

    def __init__(self):
        self.stream = None
        for name in ("cublasSetStream_v2", "cublasSetWorkspace_v2", "cublasGemmEx", "cublasGemmStridedBatchedEx"):
            setattr(self, name, functools.partial(getattr(self, f"own_{name}")))

    def own_cublasSetStream_v2(self, handle, stream):
        self.stream = stream
        return 0

    def own_cublasSetWorkspace_v2(self, handle, room, size):
        assert room % 256 == 0 or size
        return 0

    def own_cublasGemmEx(self, *arguments):
        return self.done(one_product, arguments, *BETA["gemmEx"])

    def own_cublasGemmStridedBatchedEx(self, *arguments):
        return self.done(stack_of_products, arguments, *BETA["gemmStridedBatchedEx"])

    def done(self, product, arguments, beta, computing):
        assert self.stream == streams.get_current_stream().ptr
        own = list(arguments)
        for place in (ALPHA, beta):
            own[place] = number_at(own[place], own[computing], own[ALPHA + 2])
        streams.submit(lambda: noted(product, own))
        return 0


def noted(product, arguments):
    """A product of a graph, in each of its launches."""
    m, n, k = arguments[3:6]
    count = arguments[18] if product is stack_of_products else 1
    calls.append((product_names[product], n, m, k, count))
    product(*arguments)


product_names = {one_product: "gemmEx", stack_of_products: "gemmStridedBatchedEx"}


def product(transa, transb, m, n, k, alpha, a, b, beta, c, computing):
    """alpha a b + beta c, written to c; columns lie together."""
    sums, dtype = np.dtype(SUMS[computing]), dtype_of(computing, a[1])
    assert a[1] == b[1]
    assert (sums == np.float64) == (a[1] in (1, 5))
    assert c[1] == a[1] or (c[1] == 0 and a[1] in (2, 14))
    left, right = matrix(a, k if transa else m, m if transa else k), matrix(b, n if transb else k, k if transb else n)
    left, right = (rounded(x.astype(dtype), computing, itemsize(a[1])) for x in (left, right))
    out = matrix(c, m, n)
    with np.errstate(all="ignore"):
        found = alpha * ((left.T if transa else left) @ (right.T if transb else right))
        out[...] = found + beta * out.astype(dtype) if beta else found


def matrix(place, rows, columns):
    """A matrix at an address."""
    address, kind, pitch = place
    assert pitch >= max(rows, 1)
    dtype = np.dtype(DTYPES[kind])
    memory = (ctypes.c_uint8 * (((columns - 1) * pitch + rows) * dtype.itemsize)).from_address(address)
    return np.ndarray((rows, columns), dtype, memory, 0, (dtype.itemsize, pitch * dtype.itemsize))


def dtype_of(computing, kind):
    """The dtype in which a product is computed, and in which its two numbers are given."""
    sums = np.dtype(SUMS[computing])
    return np.result_type(sums, np.complex64) if np.dtype(DTYPES[kind]).kind == "c" else sums


def number_at(address, computing, kind):
    """A number of the host, which cuBLAS reads while it is called, and not later."""
    dtype = dtype_of(computing, kind)
    return np.ndarray((), dtype, (ctypes.c_uint8 * dtype.itemsize).from_address(address)).item()


def itemsize(kind):
    return np.dtype(DTYPES[kind]).itemsize


def rounded(x, computing, size):
    """Factors as tensor cores read them."""
    if computing not in BITS or size == 2:
        return x
    parts = x.view(np.float32)
    whole = parts.view(np.uint32).astype(np.uint64)
    dropped = 23 - BITS[computing]
    whole = (whole + (1 << (dropped - 1))) >> dropped << dropped
    return np.ascontiguousarray(whole.astype(np.uint32)).view(np.float32).reshape(parts.shape).view(x.dtype)


def module():
    """``cupy.cuda.cublas``."""
    made = types.ModuleType("cupy.cuda.cublas")
    made.gemmEx, made.gemmStridedBatchedEx = gemmEx, gemmStridedBatchedEx
    calls.clear()
    return made


def core():
    """``cupy._core``, as far as it says how CuPy's own products are computed."""
    made, linalg = types.ModuleType("cupy._core"), types.ModuleType("cupy._core._routines_linalg")
    linalg.COMPUTE_TYPE_DEFAULT, linalg.COMPUTE_TYPE_TF32 = 1, 7
    made._routines_linalg, made.set_compute_type = linalg, lambda dtype, compute_type: None
    return made
