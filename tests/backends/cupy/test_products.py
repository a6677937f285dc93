"""Products on GPU arrays: values, what is read where it lies, how exactly, on the stand-in's cuBLAS."""

import itertools
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autodiff
from autodiff import grad, jit, make_tape
from autodiff.backends.cupy.libraries import gemm, layouts, products
from autodiff.backends.cupy.libraries.blas import DirectBlas
from autodiff.backends.cupy.libraries.contractions import contraction
from autodiff.backends.cupy.libraries.products import product_call
from autodiff.backends.cupy.schedule import schedule_for_gpu
from autodiff.ops.matrices.einsum import einsum
from autodiff.ops.matrices.products import dot, linear_map, matmul, matvec
from autodiff.trace.tape import operand_specs
from tests.backends.cupy.running import plain
from tests.backends.passes.tapes import names
from tests.standin import blas

RANDOM = np.random.default_rng(1)
LEADS = [
    ((), ()), ((3,), (3,)), ((3,), ()), ((), (4,)), ((2, 1), (3,)), ((2, 3), (2, 3)), ((2, 1), (1, 3)),
    ((9, 1), (1, 9)),
]  # fmt: skip
SIZES = ((4, 5, 3), (1, 5, 3), (4, 1, 3), (4, 5, 1), (1, 1, 1))
TOLERANCES = {"e": 2e-2, "f": 1e-4, "d": 1e-12, "F": 1e-4, "D": 1e-12}


@pytest.fixture(autouse=True)
def precision(monkeypatch):
    monkeypatch.setenv("CUPY_TF32", "0")
    yield
    autodiff.set_matmul_precision("highest")


def drawn(cupy, shape, dtype):
    x = RANDOM.normal(size=shape)
    return cupy.asarray((x + 1j * RANDOM.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype))


def exact(x):
    return x.get().astype(complex if x.dtype.kind == "c" else float)


def close(found, wanted):
    tolerance = TOLERANCES[found.dtype.char]
    assert found.shape == wanted.shape
    np.testing.assert_allclose(exact(found), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", "efD")
def test_stacks_of_matrices_in_all_layouts(cupy, dtype):
    for (one, other), (rows, inner, columns) in [*zip(LEADS, SIZES[:1] * len(LEADS)), *((LEADS[1], s) for s in SIZES)]:
        lead = np.broadcast_shapes(one, other)
        for turned in itertools.product((False, True), repeat=3):
            shapes = (*one, rows, inner), (*other, inner, columns), (*lead, rows, columns)
            x, y, out = (
                drawn(cupy, (*shape[:-2], *shape[:-3:-1]), dtype).swapaxes(-1, -2)
                if turn
                else drawn(cupy, shape, dtype)
                for shape, turn in zip(shapes, turned, strict=True)
            )
            before, wanted = exact(out), exact(x) @ exact(y)
            gemm.multiply(x, y, out)
            close(out, wanted)
            out[...] = cupy.asarray(before.astype(dtype))
            gemm.multiply(x, y, out, add=True)
            close(out, before + wanted)


def test_what_cublas_cannot_read_is_copied(cupy):
    x, y = drawn(cupy, (6, 8), "d")[::2, ::2], drawn(cupy, (4, 3), "d")[::-1]
    close(products.matmul(x, y), exact(x) @ exact(y))
    out = cupy.zeros((6, 6))
    gemm.multiply(x, y, out[::2, ::2])
    close(out[::2, ::2], exact(x) @ exact(y))


def test_nothing_is_copied_that_can_be_read(cupy, monkeypatch):
    """The backward pass of a batched product: transposed stacks, which CuPy's own function copies."""
    for name in ("ascontiguousarray", "broadcast_to"):
        monkeypatch.setattr(cupy, name, None)
    monkeypatch.setattr(cupy, "matmul", None)
    x, y = drawn(cupy, (6, 4, 5), "f"), drawn(cupy, (6, 5, 3), "f")
    product = products.matmul(x, y)
    products.matmul(product, y.swapaxes(-1, -2))
    products.matmul(x.swapaxes(-1, -2), product)
    products.linear_map(x[0], y[0].T)
    products.matmul(x, y[0])
    assert blas.calls == [
        ("gemmStridedBatchedEx", 4, 3, 5, 6),
        ("gemmStridedBatchedEx", 4, 5, 3, 6),
        ("gemmStridedBatchedEx", 5, 3, 4, 6),
        ("gemmEx", 4, 3, 5, 1),
        ("gemmEx", 24, 3, 5, 1),
    ]


def test_results_go_to_given_memory(cupy):
    x, y, out = drawn(cupy, (2, 4, 5), "f"), drawn(cupy, (2, 5, 3), "f"), cupy.empty((2, 4, 3), np.float32)
    assert products.matmul(x, y, out=out) is out
    close(out, exact(x) @ exact(y))


def test_sums_of_no_terms_are_zero(cupy):
    close(products.matmul(cupy.ones((2, 0)), cupy.ones((0, 3))), np.zeros((2, 3)))
    assert products.matmul(cupy.ones((0, 2)), cupy.ones((2, 3))).shape == (0, 3)


def test_integers_are_left_to_cupy(cupy):
    x, y = RANDOM.integers(-9, 9, (3, 4)), RANDOM.integers(-9, 9, (4, 2))
    np.testing.assert_array_equal(products.matmul(cupy.asarray(x), cupy.asarray(y)).get(), x @ y)
    assert not blas.calls


DOTS = [
    ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((3,), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (6, 3, 4)), ((3,), (6, 5, 3, 4)), ((2, 2, 3), (6, 5, 3, 4)), ((), (2, 3)), ((0, 3), (3, 2)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", "ef")
def test_dot(cupy, dtype):
    for one, other in DOTS:
        x, y = drawn(cupy, one, dtype), drawn(cupy, other, dtype)
        close(products.dot(x, y), np.dot(exact(x), exact(y)))


def test_matrices_times_vectors(cupy):
    for one, other in (((4, 3), (3,)), ((5, 4, 3), (3,)), ((4, 3), (5, 3)), ((2, 1, 4, 3), (5, 3))):
        x, v = drawn(cupy, one, "f"), drawn(cupy, other, "f")
        close(products.matvec(x, v), np.matmul(exact(x), exact(v)[..., None])[..., 0])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_einstein_sums(cupy, data):
    letters = "abcdef"
    sizes = {letter: data.draw(st.integers(0, 3)) for letter in letters}
    count = data.draw(st.integers(1, 4))
    terms = ["".join(data.draw(st.permutations(letters))[: data.draw(st.integers(0, 4))]) for _ in range(count)]
    used = sorted(set("".join(terms)))
    out = "".join(data.draw(st.permutations(used))[: data.draw(st.integers(0, len(used)))])
    shapes = [tuple(1 if data.draw(st.integers(0, 7)) == 0 else sizes[k] for k in term) for term in terms]
    xs = [RANDOM.normal(size=shape) for shape in shapes]
    subscripts = f"{','.join(terms)}->{out}"
    found = contraction(subscripts, shapes)(*map(cupy.asarray, xs))
    wanted = np.einsum(subscripts, *xs)
    assert found.flags.c_contiguous
    close(found, np.asarray(wanted))


def test_einstein_sums_are_written_where_they_belong(cupy):
    """Attention: a result whose axes lie between each other needs no copy."""
    q, k = drawn(cupy, (2, 5, 3, 4), "f"), drawn(cupy, (2, 6, 3, 4), "f")
    close(contraction("bqhd,bkhd->bhqk", [q.shape, k.shape])(q, k), np.einsum("bqhd,bkhd->bhqk", exact(q), exact(k)))
    assert sum(count for *_, count in blas.calls) == 6


CALLS = {
    "matmul": (lambda x, y: matmul(x, y), (2, 4, 5), (2, 5, 3)),
    "linear_map": (lambda x, w: linear_map(x, w), (4, 5), (3, 5)),
    "matvec": (lambda x, v: matvec(x, v), (4, 5), (5,)),
    "dot": (lambda x, y: dot(x, y), (2, 4, 5), (6, 5, 3)),
    "einsum": (lambda x, y: einsum(x, y, subscripts="abc,bcd->ad"), (2, 4, 5), (4, 5, 3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_call_of_an_equation(cupy, name):
    fun, one, other = CALLS[name]
    x, y = (RANDOM.normal(size=shape).astype(np.float32) for shape in (one, other))
    tape = make_tape(fun)(x, y)
    (equation,) = tape.equations
    call = product_call(equation, operand_specs(equation.operands, tape.specs))
    found = call(cupy.asarray(x), cupy.asarray(y))
    close(found, np.asarray(fun(x.astype(float), y.astype(float))))
    again = cupy.empty(found.shape, found.dtype)
    assert call(cupy.asarray(x), cupy.asarray(y), out=again) is again


def test_what_is_no_product_of_cublas_has_no_call():
    for fun, args in (
        (np.tanh, [np.ones(3)]),
        (lambda x, y: matmul(x, y), [np.ones((2, 2), int)] * 2),
        (lambda x, y: dot(x, y), [np.ones(3)] * 2),
    ):
        tape = make_tape(fun)(*args)
        assert product_call(tape.equations[0], operand_specs(tape.equations[0].operands, tape.specs)) is None


def test_gradients_through_products(cupy):
    def loss(x, y, v):
        return np.sum(np.tanh(np.einsum("bij,bjk->bik", x, y)) @ v)

    args = [RANDOM.normal(size=shape) for shape in ((2, 4, 5), (2, 5, 3), (3,))]
    wanted = grad(loss, argnums=(0, 1, 2))(*args)
    for compute in (grad(loss, argnums=(0, 1, 2)), jit(grad(loss, argnums=(0, 1, 2)))):
        for one, other in zip(compute(*map(cupy.asarray, args)), wanted, strict=True):
            close(one, other)


# Precision.


def test_float16_is_summed_in_float32(cupy):
    ones = cupy.ones((1, 60000), np.float16)
    assert products.matmul(ones, ones.T).item() == 60000
    assert products.dot(ones[0], ones[0]).item() == 60000
    large = cupy.full((2, 4), 300.0, np.float16)
    half = products.matmul(large, large.T)
    assert np.isinf(half.get()).all()
    out = cupy.empty((2, 2), np.float32)
    gemm.multiply(large, large.T, out)
    np.testing.assert_array_equal(out.get(), 360000)


def bits_read(cupy):
    """So many bits of a factor's mantissa count."""
    x = cupy.asarray([[1 + 2.0**-bit for bit in range(1, 24)]], np.float32)
    found = products.matmul(x.T, cupy.ones((1, 1), np.float32)).get()[:, 0]
    return int(np.count_nonzero(found == x.get()[0]))


def test_levels_of_precision(cupy):
    assert autodiff.get_matmul_precision() == "highest"
    found = {}
    for level in ("highest", "high", "medium"):
        autodiff.set_matmul_precision(level)
        assert autodiff.get_matmul_precision() == level
        found[level] = bits_read(cupy)
    assert found == {"highest": 23, "high": 10, "medium": 7}
    x = drawn(cupy, (3, 3), "d")
    close(products.matmul(x, x), exact(x) @ exact(x))


def test_programs_are_compiled_again_under_another_level(cupy):
    compute = jit(lambda x, y: x @ y)
    x = cupy.asarray([[1 + 2.0**-12]], np.float32)
    one = cupy.ones((1, 1), np.float32)
    assert compute(x, one).item() == 1 + 2.0**-12
    autodiff.set_matmul_precision("high")
    assert compute(x, one).item() == 1


def test_unknown_levels_are_refused():
    text = (
        r"there is no precision 'exact' of products \(test_products\.py:\d+\); choose from 'highest', 'high', 'medium'"
    )
    with pytest.raises(ValueError, match=f"^{text}$"):
        autodiff.set_matmul_precision("exact")


def test_cupy_is_told(cupy, monkeypatch):
    told = []
    monkeypatch.setattr(cupy._core, "set_compute_type", lambda dtype, own: told.append((dtype, own)))
    autodiff.set_matmul_precision("high")
    assert os.environ["CUPY_TF32"] == "1"
    autodiff.set_matmul_precision("highest")
    assert os.environ["CUPY_TF32"] == "0"
    assert told == [("float32", 7), ("complex64", 7), ("float32", 1), ("complex64", 1)]


def test_the_environment_of_cupy_counts():
    script = "import autodiff; print(autodiff.get_matmul_precision())"
    for value, level in (("1", "high"), ("0", "highest")):
        environment = {**os.environ, "CUPY_TF32": value}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        assert re.fullmatch(rf"{level}\s*", done.stdout)


def test_products_of_vectors_are_sums_in_a_kernel():
    def norm(x, y):
        return np.sqrt(np.dot(x, y)) * 2

    x = np.ones(1000, np.float32)
    tape = schedule_for_gpu(plain(make_tape(norm)(x, x)))
    assert set(names(tape)) == {"device_kernel"}
    tape = schedule_for_gpu(plain(make_tape(lambda x, y: np.dot(x, y))(x + 1j, x + 1j)))
    assert names(tape) == ["dot"]


def test_a_stack_times_one_matrix_is_one_product(cupy):
    x, w = drawn(cupy, (4, 10, 6), "f"), drawn(cupy, (6, 5), "f")
    blas.calls.clear()
    close(products.matmul(x, w), exact(x) @ exact(w))
    assert blas.calls == [("gemmEx", 40, 5, 6, 1)]
    blas.calls.clear()
    g = jit(grad(lambda x, w: np.sum(np.tanh(x @ w)), argnums=(0, 1)))(x, w)
    assert blas.calls == [("gemmEx", 40, 5, 6, 1), ("gemmEx", 40, 6, 5, 1), ("gemmEx", 6, 5, 40, 1)]
    slope = 1 - np.tanh(exact(x) @ exact(w)) ** 2
    close(g[0], slope @ exact(w).T)
    close(g[1], np.einsum("btk,btn->kn", exact(x), slope))


@pytest.mark.parametrize(
    ("shape", "part", "product"),
    [
        ((2, 3, 4, 6), (), ("gemmEx", 24, 5, 6, 1)),
        ((3, 2, 4, 6), (slice(None), slice(0, 1)), ("gemmStridedBatchedEx", 4, 5, 6, 3)),
        ((2, 3, 8, 6), (slice(None), slice(None), slice(None, None, 2)), ("gemmEx", 24, 5, 6, 1)),
        ((2, 3, 8, 6), (slice(None), slice(None), slice(None, 4)), ("gemmStridedBatchedEx", 4, 5, 6, 6)),
        ((7, 1, 6), (), ("gemmEx", 7, 5, 6, 1)),
    ],
)
def test_rows_that_follow_each_other_are_those_of_one_matrix(cupy, shape, part, product):
    x, w = drawn(cupy, shape, "f")[part], drawn(cupy, (1, 6, 5), "f")
    blas.calls.clear()
    close(products.matmul(x, w), exact(x) @ exact(w))
    assert blas.calls == [product]


SHAPES = [((12, 3), (3, 4)), ((3, 4), (4, 13)), ((3, 11), (11, 2)), ((13, 2, 3), (13, 3, 2)), ((2, 11, 3), (3, 2)),
          ((11, 12), (12, 13)), ((3, 4, 2, 3), (4, 3, 2)), ((2, 1, 12), (12, 1))]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SHAPES)
def test_more_than_32_bits_count_is_several_products(cupy, monkeypatch, one, other):
    monkeypatch.setattr(layouts, "MOST", 5)
    monkeypatch.setattr(gemm, "known_plan", layouts.known_plan.__wrapped__)  # what was found before counts further
    x, y = drawn(cupy, one, "f"), drawn(cupy, other, "f")
    lead = np.broadcast_shapes(one[:-2], other[:-2])
    out = drawn(cupy, (*lead, one[-2], other[-1]), "f")
    before = exact(out)
    blas.calls.clear()
    gemm.multiply(x, y, out, add=True)
    close(out, before + exact(x) @ exact(y))
    assert all(max(sizes) <= 5 for _, *sizes in blas.calls)


def test_numbers_of_more_than_32_bits_are_not_cut_off():
    direct = DirectBlas(blas.Library())
    with pytest.raises(OverflowError, match=r"^cublasGemmEx: cuBLAS counts with 32 bits, and 2,147,483,648 has more$"):
        direct.gemmEx(1, 0, 0, 1 << 31, *range(15))


def test_a_product_looks_up_once_where_each_operand_lies(cupy, monkeypatch):
    """What is known of shapes and strides is found in the first call of their kind."""
    x, w, found = drawn(cupy, (4, 10, 6), "f"), drawn(cupy, (6, 5), "f"), []
    first = products.matmul(x, w)
    data = cupy.ndarray.data
    monkeypatch.setattr(cupy.ndarray, "data", property(lambda array: (found.append(id(array)), data.fget(array))[1]))
    monkeypatch.setattr(layouts, "stack_of", None)
    out = cupy.empty((4, 10, 5), "f")
    products.matmul(x, w, out)
    assert sorted(found) == sorted(map(id, (x, w, out)))
    np.testing.assert_array_equal(out.get(), first.get())
    assert all(type(place) is int for pair in gemm.SINGLE.values() for place in pair)
