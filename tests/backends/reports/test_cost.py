"""What programs cost, by counting."""

import numpy as np
import pytest

from autodiff import checkpoint, cond, fori_loop, jit, make_tape, scan, vjp, while_loop
from autodiff.backends.reports.counts import Count, count
from autodiff.backends.reports.table import seconds, short
from autodiff.ops.images.convolution import convolve_nd
from autodiff.trace.spec import spec

X, Y = np.ones((4, 5)), np.ones((5, 6))


@pytest.mark.parametrize(
    ("fun", "args", "operations", "functions"),
    [
        (lambda x: x + 1, (X,), 20, 0),
        (lambda x: -x, (X,), 20, 0),
        (np.exp, (X,), 0, 20),
        (lambda x: np.where(x > 0, x, 0), (X,), 40, 0),
        (lambda x: np.clip(x, 0, 1), (X,), 40, 0),
        (lambda x: np.logaddexp(x, x), (X,), 160, 40),
        (lambda x: x.astype(np.float32), (X,), 0, 0),
        (lambda x: np.sum(x), (X,), 20, 0),
        (lambda x: np.max(x, axis=0), (X,), 20, 0),
        (lambda x: np.cumsum(x), (X,), 20, 0),
        (lambda x, y: x @ y, (X, Y), 2 * 4 * 5 * 6, 0),
        (lambda x, y: x @ y, (np.ones((7, 4, 5)), Y), 2 * 7 * 4 * 5 * 6, 0),
        (lambda x, y: np.einsum("ij,jk->i", x, y), (X, Y), 2 * 4 * 5 * 6, 0),
        (lambda x: np.convolve(x, x), (np.ones(7),), 2 * 49, 0),
        (convolve_nd, (np.ones((2, 3, 6, 6)), np.ones((5, 3, 2, 2))), 2 * 2 * 5 * 25 * 12, 0),
        (np.linalg.inv, (np.ones((3, 4, 4)),), 2 * 3 * 64, 0),
        (np.linalg.cholesky, (np.eye(6),), 72, 0),
        (np.fft.fft, (np.ones(8),), 5 * 8 * 3, 0),
        (lambda x: x.T, (X,), 0, 0),
        (np.sort, (X,), 0, 0),
    ],
)
def test_operations_and_functions(fun, args, operations, functions):
    tape = make_tape(fun)(*args)
    found = sum((count(equation, tape.specs) for equation in tape.equations), Count())
    assert (found.operations, found.functions) == (operations, functions)


@pytest.mark.parametrize(
    ("fun", "args", "read", "written"),
    [
        (lambda x: x + 1, (X,), 160, 160),
        (lambda x: x * x, (X,), 160, 160),
        (lambda x, y: x @ y, (X, Y), 160 + 240, 192),
        (lambda x: x.T, (X,), 0, 0),
        (lambda x: x[1:], (X,), 0, 0),
        (lambda x, i: np.take(x, i, axis=0), (np.ones((1000, 2)), np.array([1, 2])), None, 32),
        (lambda x: np.sum(x), (X,), 160, 0),
        (lambda a: a + 1, (1.5,), 0, 0),
    ],
)
def test_bytes(fun, args, read, written):
    equation = make_tape(fun)(*args).equations[-1]
    tape = make_tape(fun)(*args)
    found = count(equation, tape.specs)
    assert found.written == written
    assert found.read == (written + 16 if read is None else read)


def test_gradients_of_a_convolution_cost_as_much_as_it_does():
    x, w = np.ones((2, 3, 6, 6)), np.ones((5, 3, 2, 2))
    tape = make_tape(lambda x, w: vjp(convolve_nd, x, w)[1](convolve_nd(x, w)))(x, w)
    found = [count(e, tape.specs).operations for e in tape.equations if e.primitive.name.startswith("convolve")]
    assert set(found) == {2 * 2 * 5 * 25 * 12}
    assert {e.primitive.name for e in tape.equations} >= {"convolve_nd", "convolve_to_input", "convolve_to_kernel"}


def test_the_cost_of_a_program_is_that_of_its_statements():
    found = jit(lambda x, y: np.tanh(x @ y) + 1, backend="numpy").cost(X, Y)
    assert [(line.kind, line.name, line.depth, line.times) for line in found.lines] == [
        ("BLAS", "matmul", 0, 1),
        ("NumPy", "tanh", 0, 1),
        ("NumPy", "add", 0, 1),
    ]
    assert found.total == sum((line.count for line in found.lines), Count())
    assert found.total == Count(240 + 24, 24, 160 + 240 + 192 + 192, 3 * 192)
    assert found.intensity == (240 + 24 + 24) / (160 + 240 + 192 * 5)


def test_the_table():
    found = jit(lambda x, y: np.tanh(x @ y), backend="numpy").cost(X, Y)
    assert str(found) == (
        "what runs     operations  functions   read  written  per byte  lines\n"
        "------------  ----------  ---------  -----  -------  --------  ---------------\n"
        f"BLAS: matmul         240          0  400 B    192 B     0.405  {found.lines[0].source}\n"
        f"NumPy: tanh            0         24  192 B    192 B    0.0625  {found.lines[1].source}\n"
        "total                240         24  592 B    384 B      0.27\n"
        "\n"
        "bytes alive at the peak: 784 B"
    )


def test_a_kernel_reads_its_operands_and_writes_its_results_once(numba_is_taken_to_be_there):
    found = jit(lambda x: np.sum(np.exp(x) * x + 1)).cost(spec((10**6,), np.float32))
    (line,) = found.lines
    assert (line.kind, line.name) == ("kernel", "exp, multiply, add, sum")
    assert found.total == Count(3e6, 1e6, 4 * 10**6, 0)
    assert 4 * 10**6 <= found.peak < 4 * 10**6 + 4096  # the sums of chunks


def test_loops_and_branches():
    def body(c, x):
        return np.exp(c * x) + 1, None

    found = jit(lambda c, xs: scan(body, c, xs)[0], backend="numpy").cost(1.0, np.ones(50))
    assert (found.total.operations, found.total.functions) == (100, 50)
    assert [
        (line.name, line.depth, line.times, line.count.functions) for line in found.lines if line.name != "cast"
    ] == [
        ("scan of 50 steps", 0, 1, 50),
        ("multiply", 1, 50, 0),
        ("exp", 1, 50, 50),
        ("add", 1, 50, 0),
    ]
    found = jit(lambda x: cond(x > 0, lambda: np.sin(x), lambda: x * x + x * 3), backend="numpy").cost(1.0)
    assert (found.total.operations, found.total.functions) == (
        2,
        1,
    )  # the comparison and its opposite, and the dearer branch
    found = jit(lambda x: while_loop(lambda x: x < 9, lambda x: x * 2, x), backend="numpy").cost(1.0)
    assert found.total.operations == 2  # one step
    assert found.lines[0].name == "while_loop (one step)"
    found = jit(lambda x: fori_loop(0, 3, lambda k, x: x * 2, x), backend="numpy").cost(np.ones(4))
    assert found.total.operations >= 12
    found = jit(checkpoint(lambda x: np.sin(x) * 2), backend="numpy").cost(X)
    assert (found.total.operations, found.total.functions) == (20, 20)


@pytest.mark.parametrize(
    ("fun", "peak"),
    [
        (lambda x: x + 1, 2 * 256),
        (lambda x: ((np.sin(x) + 1) * 2) ** 2, 3 * 256),  # all in between in one place of the workspace
        (lambda x: np.sin(x.T[1:]), 256 + 192),
        (lambda x: np.sum(np.sin(x)), 2 * 256),
        (lambda x: np.sin(x).T[1:] * 2, 256 + 256 + 192),
        (lambda x: x, 256),
        (checkpoint(lambda x: np.sin(np.sin(x))), 3 * 256),
    ],
)
def test_bytes_alive_at_the_peak(fun, peak):
    assert jit(fun, backend="numpy").cost(np.ones((8, 4))).peak == peak


def test_numbers_as_people_read_them():
    assert [short(n, "B") for n in (0, 999, 1000, 999_600, 12_345_678, 5e15)] == [
        "0 B",
        "999 B",
        "1 kB",
        "1 MB",
        "12.3 MB",
        "5 PB",
    ]
    assert [seconds(n) for n in (1, 999, 1500, 2.5e6, 3e9, 1e12)] == [
        "1 ns",
        "999 ns",
        "1.5 us",
        "2.5 ms",
        "3 s",
        "1e+03 s",
    ]
