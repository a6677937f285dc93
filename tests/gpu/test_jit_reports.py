"""What programs on GPUs show of themselves: texts, costs, reasons, times."""

import numpy as np

import autodiff
from autodiff import jit, profile, scan
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import needs_compiler

X, W = np.ones((6, 5), np.float32), np.ones((5, 4), np.float32)


def energy(x, w):
    return np.sum(np.tanh(x @ w))


def test_source_and_kernels_need_no_gpu():
    program = jit(energy, backend="cupy")
    specs = spec((6, 5), np.float32), spec((5, 4), np.float32)
    assert program.source(*specs) == (
        "def run(a, b, room_0, room_1):\n"
        "    c = matmul_1(a, b)\n"
        "    del a, b\n"
        "    (d,) = kernel_1(c, room_0, room_1)\n"
        "    del c\n"
        "    return (d, )\n"
    )
    (kernel,) = program.kernels(*specs)
    assert (kernel.operations, kernel.sizes) == ("tanh, sum", "kernel: 1 blocks of 256 threads")
    line = energy.__code__.co_firstlineno + 1
    head = f"// tanh, sum\n// test_jit_reports.py:{line}\n// kernel: 1 blocks of 256 threads\nextern"
    assert str(kernel).startswith(head)
    assert [equation.primitive.name for equation in program.schedule(*specs).equations] == ["matmul", "device_kernel"]


@needs_compiler
def test_a_program_shows_how_its_arguments_run(cupy):
    program = jit(energy)
    x, w = cupy.asarray(X), cupy.asarray(W)
    assert "extern" in str(program.kernels(x, w))
    assert "extern" not in str(program.kernels(X, W))
    assert [line.kind for line in program.cost(x, w).lines] == ["cuBLAS", "kernel"]
    assert program.cost(x, w).total.operations > 0
    found = program.explain(x, w)
    assert [(call.kind, call.name, call.reason) for call in found.calls] == [("cuBLAS", "matmul", "cuBLAS does it")]
    assert [kernel.operations for kernel in found.kernels] == ["tanh, sum"]
    assert "It is not replayed as a CUDA graph: " in str(found)
    assert "CUDA graph" not in str(program.explain(X, W))


def test_reasons_on_a_gpu():
    def fun(x):
        return np.sort(x), np.linalg.inv(x), scan(lambda c, row: (c + row, c), x[0], x)[1]

    found = jit(fun, backend="cupy").explain(spec((3, 3), np.float32))
    reasons = {(call.kind, call.name): call.reason for call in found.calls if not call.inside}
    assert reasons["cuSOLVER", "inv"] == "cuSOLVER does it"
    assert reasons["loop", "scan"] == "Python calls its bodies, which are programs"
    assert [kernel.inside for kernel in found.kernels][-1:] == [("scan",)]


@needs_compiler
def test_profiles_wait_for_each_statement(cupy):
    program = jit(lambda x, w: scan(lambda c, row: (np.tanh(c + row), c), x[0] @ w, x @ w)[1])
    x, w = cupy.asarray(X), cupy.asarray(W)
    expected = program(x, w).get()
    with profile() as found:
        for _ in range(2):
            np.testing.assert_array_equal(program(x, w).get(), expected)
    calls = {(row.kind, row.name): row.calls for row in found.rows}
    assert calls["loop", "scan"] == 2
    assert calls["cuBLAS", "matmul"] == 2
    assert calls["kernel", "add, tanh"] == 12
    assert sum(count for (kind, _), count in calls.items() if kind == "program") == 2
    with profile() as nothing:
        pass
    program(x, w)
    assert nothing.rows == []


@needs_compiler
def test_why_a_function_is_recorded_again(cupy):
    program = jit(np.exp)
    with autodiff.explain_recompiles() as records:
        program(X)
        program(cupy.asarray(X))
    assert [record.reasons for record in records] == [(), ("args[0]: on the host became on GPU 0",)]
