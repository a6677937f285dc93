"""What cannot be exported is refused by name, with the user's line and what to do."""

import numpy as np
import pytest

from autodiff import export, grad, jit
from autodiff.backends.choice import numba_is_there
from autodiff.backends.export.header import KEYWORDS
from autodiff.backends.export.steps import ExportError
from autodiff.trace.spec import spec
from autodiff.transforms import export as module

pytestmark = pytest.mark.skipif(not numba_is_there(), reason="programs are compiled by Numba's LLVM")


def refusal(error, *args, **kwargs):
    with pytest.raises(error) as found:
        export(*args, **kwargs)
    return str(found.value)


def test_operations_without_a_kernel_are_named_with_their_lines(tmp_path):
    def model(x):
        roots = np.linalg.eigvalsh(x)
        return np.exp(roots) + x[0][np.argpartition(x[0], 3)]

    at = model.__code__.co_firstlineno + 1
    assert refusal(ExportError, model, (np.eye(30),), "model", tmp_path) == (
        "export: some operations have no kernel, and would need Python where the program runs:\n"
        f"  eigvalsh (test_refusals.py:{at}): eigvalsh of 30 x 30 matrices\n"
        f"  argpartition (test_refusals.py:{at + 1}): argpartition has no form in kernels\n"
        "Compute their results outside and pass them as arguments, or write them in terms of others."
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "1a", "a b", "a;b", "é", "_a", "a-b", "int", "class", "x\n", "a(void){}//"])
def test_a_name_that_is_none_in_c_is_refused(name, tmp_path):
    text = refusal(ValueError, np.sin, (1.0,), name, tmp_path)
    assert text.startswith(f"export: {name!r} is no name of a C function (test_refusals.py:")
    assert text.endswith("; take ASCII letters, digits and underscores, a letter first, and no keyword of C or C++")
    assert not list(tmp_path.iterdir())


def test_names_of_functions_of_c_are_refused(tmp_path):
    for name in ("exp", "memcpy", "main"):
        text = refusal(ValueError, np.sin, (1.0,), name, tmp_path)
        assert text.startswith(f"export: {name!r} is a function of C's own libraries (test_refusals.py:")
    assert refusal(TypeError, np.sin, (1.0,), 3, tmp_path).startswith("export: the name must be a str, got int")


def test_names_of_arguments_are_names_in_c_and_differ(tmp_path):
    def model(double, x, *args):
        return {"a b": double + x["1"] + x[" 1"], "a_b": args[0], "workspace": args[1], "": 1.0}

    found = export(model, (1.0, {"1": 2.0, " 1": 3.0}, 4.0, 5.0), "x", tmp_path)
    names = [each.name for each in (*found.inputs, *found.outputs)]
    assert names == ["double_2", "x_1", "x_1_2", "args_0", "args_1", "out", "out_a_b", "out_a_b_2", "out_workspace"]
    assert KEYWORDS.isdisjoint(names)


@pytest.mark.parametrize(
    ("args", "start"),
    [
        ((np.ones(3, np.float16),), "export: x is float16[3] (test_refusals.py:"),
        ((1j,), "export: x is complex (test_refusals.py:"),
        ((np.ones(3, ">f8"),), "export: x is float64[3] (test_refusals.py:"),
    ],
    ids=["float16", "complex", "byte order"],
)
def test_dtypes_that_code_does_not_know_are_refused(args, start, tmp_path):
    text = refusal(ExportError, lambda x: x, args, "model", tmp_path)
    assert text.startswith(start)
    assert text.endswith(
        "; code for C knows float64, float32, int64, int32, uint8, bool, in this machine's order of bytes: cast it, or "
        "split complex numbers into two arrays"
    )


def test_results_and_constants_of_such_dtypes_are_refused(tmp_path):
    text = refusal(ExportError, lambda x: [x, x.astype(np.float16)], (np.ones(2),), "model", tmp_path)
    assert text.startswith("export: out[1] is float16[2] (test_refusals.py:")
    closed = np.arange(3, dtype=np.int16)
    text = refusal(ExportError, lambda x: x + closed, (np.ones(3),), "model", tmp_path)
    assert text.startswith("export: an array that the function closes over is int16[3] (test_refusals.py:")


def test_arguments_that_are_no_arrays_are_refused(tmp_path):
    text = refusal(TypeError, lambda x, how: x, (1.0, "fast"), "model", tmp_path)
    assert text.startswith("export: how is str (test_refusals.py:")
    assert text.endswith(
        "), which is no array or number; bind it with functools.partial if it only says what to compute"
    )
    text = refusal(TypeError, np.sin, np.ones(3), "model", tmp_path)
    assert text.startswith(
        "export: args must be a tuple of the function's arguments, got float64[3] (test_refusals.py:"
    )
    text = refusal(TypeError, 3.0, (1.0,), "model", tmp_path)
    assert text.startswith("export needs a function, got float (test_refusals.py:")


def test_traced_values_are_refused(tmp_path):
    text = ""

    def outer(x):
        nonlocal text
        text = refusal(TypeError, np.sin, (x,), "model", tmp_path)
        with pytest.raises(ExportError, match="closes over a value that is being traced"):
            export(lambda y: x * y, (1.0,), "model", tmp_path)
        return x

    grad(outer)(1.0)
    assert text.startswith(("export: x is a traced float (", "export: args[0] is a traced float ("))


def test_processors_that_are_not_known_are_refused(tmp_path):
    text = refusal(ValueError, np.sin, (1.0,), "model", tmp_path, cpu="pentium")
    assert text.startswith("export: cpu='pentium' is no processor that is known here (test_refusals.py:")
    assert "choose from 'generic', 'native'" in text


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    text = refusal(FileNotFoundError, np.sin, (1.0,), "model", tmp_path / "none")
    assert text.startswith(f"export: there is no folder {tmp_path / 'none'} (test_refusals.py:")


def test_without_numba_nothing_is_exported(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "numba_is_there", lambda: False)
    text = refusal(ModuleNotFoundError, np.sin, (1.0,), "model", tmp_path)
    assert text.startswith("export needs Numba, which is not installed (test_refusals.py:")


def test_specs_do_as_well_as_arrays_and_static_arguments_stay(tmp_path):
    @jit(static_argnums=1)
    def power(x, n, y):
        return x**n * y

    found = export(power, (spec((3,), np.float64), 3, spec((), np.float64, "python")), "power", tmp_path)
    assert [(each.name, each.size) for each in found.inputs] == [("x", "double[3]"), ("y", "double")]
