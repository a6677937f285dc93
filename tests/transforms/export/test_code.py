"""What exported code is: C compiles against its header, threads share it, it calls C alone, it says what is wrong."""

import ctypes
import os
import subprocess
import threading

import numpy as np
import pytest

from autodiff import export, grad, value_and_grad
from autodiff.backends.compiling import ALLOWED
from autodiff.backends.export import linking, processors
from autodiff.backends.export.steps import ExportError
from autodiff.backends.native.symbols import undefined_symbols
from tests.docs.pages import ROOT, snippets
from tests.transforms.export.calling import COMPILER, Function, memory, needs_compiler

pytestmark = needs_compiler
RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(40, 30))


def loss(w, x, y):
    return np.mean((x @ w - y) ** 2)


def large(x):
    return np.cumsum(np.sin(x @ WEIGHTS), 0) @ WEIGHTS.T


@pytest.mark.parametrize("options", [["-std=c99"], ["-x", "c++", "-std=c++11"]], ids=["C", "C++"])
def test_the_program_of_the_guide_descends_a_gradient(options, tmp_path):
    found = export(value_and_grad(loss), (np.zeros(3), np.zeros((4, 3)), np.zeros(4)), "descent", tmp_path)
    (program,) = (each.code for each in snippets(ROOT / "docs/guides/deploying.md") if each.language == "c")
    (tmp_path / "main.c").write_text(program)
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", *options]
    command = [COMPILER, *flags, "main.c", "-x", "none", found.path.name, "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True, env={})
    assert ran.stdout == "1.000000 1.000000 -2.000000\n"


def test_compilers_of_c_see_an_array_that_is_too_small(tmp_path):
    export(grad(loss), (np.zeros(3), np.zeros((4, 3)), np.zeros(4)), "descent", tmp_path)
    text = '#include "descent.h"\nint main(void) { double x[11], w[3]; return descent(w, x, x, w, 0); }\n'
    (tmp_path / "main.c").write_text(text)
    ran = subprocess.run([COMPILER, "-O2", "-c", "main.c"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "warning" in ran.stderr


def test_the_header_says_what_the_function_takes(tmp_path):
    def model(params, n, *, scale):
        return {"loss": np.sum(params["w*/"][0] ** n) * scale, "all": params["w*/"][1][None]}

    params = {"w*/": (np.ones(3), np.ones((2, 2), np.float32)), "int": np.zeros((0, 2), bool)}
    found = export(model, (params, 3), "model", tmp_path, kwargs={"scale": np.float32(2)})
    text = found.header.read_text()
    assert [(each.name, each.size) for each in (*found.inputs, *found.outputs)] == [
        ("params_int", "bool[0, 2]"),
        ("params_w_0", "double[3]"),
        ("params_w_1", "float[2, 2]"),
        ("n", "int64_t"),
        ("scale", "float"),
        ("out_all", "float[1, 2, 2]"),
        ("out_loss", "double"),
    ]
    assert "params['w* /'][1]" in text
    assert text.index("#ifndef MODEL_H") < text.index("extern") < text.index("int model(")
    declared = " ".join(text[text.index("int model(") :].partition(";")[0].split())
    assert declared == (
        "int model( const bool *params_int, const double params_w_0[MODEL_AT_LEAST(3)], "
        "const float params_w_1[MODEL_AT_LEAST(4)], int64_t n, float scale, float out_all[MODEL_AT_LEAST(4)], "
        "double out_loss[MODEL_AT_LEAST(1)], void *workspace)"
    )


def test_it_calls_nothing_but_functions_of_c(tmp_path):
    found = export(lambda x: (large(x), np.fmod(x, 2), np.copy(x)), (np.ones((500, 40)),), "program", tmp_path)
    assert set(undefined_symbols(found.path.read_bytes())) <= ALLOWED


def test_threads_share_it_with_a_workspace_each(tmp_path):
    function = Function(large, (WEIGHTS.T[:25] * 0,), "program", tmp_path)
    assert function.exported.workspace_size > 0
    inputs = [RNG.normal(size=(25, 40)) for _ in range(4)]
    found = [[] for _ in inputs]

    def work(k):
        found[k] += [function(inputs[k])[0] for _ in range(20)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, x in enumerate(inputs):
        np.testing.assert_allclose(found[k], [large(x)] * 20, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("start", [0, 1, 8, 63])
def test_a_workspace_may_begin_anywhere(start, tmp_path):
    function = Function(large, (WEIGHTS.T[:25],), "program", tmp_path)
    size = function.exported.workspace_size
    outs = function.new()
    assert function.code([WEIGHTS.T[:25]], outs, memory(size + start)[start:]) == 0
    np.testing.assert_allclose(outs[0], large(WEIGHTS.T[:25]), rtol=1e-12, atol=1e-12)


def test_what_is_wrong_is_a_number(tmp_path):
    def model(a, b, i):
        return np.linalg.solve(a, np.ones(3))[i], np.linalg.cholesky(b)

    one, zero = np.eye(3), np.zeros((3, 3))
    function = Function(model, (one, one, np.array([0, 1])), "model", tmp_path)

    def message(a, b, i):
        return function.exported.messages[function.code([a, b, np.array(i)], function.new())]

    assert message(one, one, [0, -3]) == ""
    assert message(one, one, [0, 3]) == "an index is out of range for the axis that it picks from"
    assert message(zero, one, [0, 1]).endswith("Singular matrix")
    assert message(one, -one, [0, 1]).endswith("Matrix is not positive definite")
    assert all(text in function.exported.header.read_text() for text in function.exported.messages)


def test_a_workspace_that_is_missing_is_a_number(tmp_path):
    function = Function(large, (WEIGHTS.T[:25],), "program", tmp_path)
    assert function.exported.messages[function.code([WEIGHTS.T[:25]], function.new())] == "the workspace is NULL"


@pytest.mark.skipif(os.uname().machine != "x86_64" if hasattr(os, "uname") else True, reason="levels are of x86-64")
@pytest.mark.parametrize("cpu", ["generic", *processors.LEVELS])
def test_levels_of_processors_take_their_own_instructions(cpu, tmp_path):
    export(lambda x: np.exp(x) * 2 + x, (np.ones(64),), "program", tmp_path, cpu=cpu)
    read = subprocess.run(["objdump", "-d", "program.o"], cwd=tmp_path, capture_output=True, text=True, check=False)
    if read.returncode:
        pytest.skip("there is no objdump")
    assert ("%zmm" in read.stdout) == (cpu == "x86-64-v4")
    assert ("%ymm" in read.stdout or "%zmm" in read.stdout) == (cpu in ("x86-64-v3", "x86-64-v4"))


def test_without_a_compiler_a_library_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(ExportError) as error:
        export(np.sin, (1.0,), "program", tmp_path, library=True)
    assert str(error.value) == (
        "export: a shared library is linked by the C compiler of the system, and there is none (cc, gcc, clang, or "
        "what CC names in the environment); install one, or write the object file, library=False"
    )
    monkeypatch.setenv("CC", f"{COMPILER} -no-such-option")
    with pytest.raises(ExportError, match=f"cannot link program{linking.SUFFIX}: .*no-such-option"):
        export(np.sin, (1.0,), "program", tmp_path, library=True)


def test_a_library_is_loaded_beside_others_of_the_same_kernels(tmp_path):
    one = Function(lambda x: np.sin(x) + 1, (np.ones(3),), "first", tmp_path)
    other = Function(lambda x: np.sin(x) + 2, (np.ones(3),), "second", tmp_path)
    x = np.arange(3.0)
    np.testing.assert_allclose(other(x)[0] - one(x)[0], 1.0)
    assert ctypes.CDLL(str(one.exported.path)).first
