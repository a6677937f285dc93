import platform
import re

import numba
import numpy as np
import pytest

from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.llvm.mathematics import MAXIMUM_ULPS, fingerprint, program
from autodiff.backends.llvm.mathematics.language import ByWidth
from autodiff.backends.llvm.mathematics.lowering import Library
from autodiff.backends.numba.intrinsics.functions import intrinsics
from tests.backends.llvm.mathematics_inputs import specials
from tests.backends.llvm.mathematics_kernels import compiled

DTYPES = ("float32", "float64")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_loops_become_vector_code_without_calls(name, dtype):
    text = compiled(name, dtype).inspect_llvm()
    vectors = re.findall(rf"<\d+ x {'float' if dtype == 'float32' else 'double'}>", text)
    assert len(vectors) > 5
    called = set(re.findall(r"call .*?@([\w.$]+)\(", text))
    of_numba = ("llvm.", "_ZN", "Py", "NRT_", "numba_")  # of its wrapper, which reports exceptions
    assert {one for one in called if not one.startswith(of_numba)} == set()


# ---------------------------------------------------------------------------------------------------------------
# Selection, extremes, rounding, reductions.


def elementwise(names, *arrays):
    """The results of intrinsics for arrays, one element after the other, by name."""
    names = names.split()
    operands = ", ".join(f"x{i}[i]" for i in range(len(arrays)))
    lines = [f"        out[{row}, i] = {name}({operands})" for row, name in enumerate(names)]
    parameters = ", ".join(f"x{i}" for i in range(len(arrays)))
    text = f"def loop({parameters}, out):\n    for i in range(x0.size):\n" + "\n".join(lines)
    scope = dict(intrinsics())
    exec(text, scope)
    out = np.empty((len(names), arrays[-1].size), arrays[-1].dtype)
    numba.njit(scope["loop"], error_model="numpy")(*arrays, out)
    return dict(zip(names, out))


@pytest.mark.parametrize("dtype", DTYPES)
def test_unary(dtype):
    x = specials(dtype)
    for name, found in elementwise("sqrt floor ceil trunc rint absolute", x).items():
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(x)
        np.testing.assert_array_equal(found, expected)
        zero = found == 0
        np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("dtype", [*DTYPES, "int32", "int64", "uint8", "bool"])
def test_extremes(dtype):
    values = specials(dtype) if dtype in DTYPES else np.array([0, 1, 2, 100, 200, -1, -100]).astype(dtype)
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))
    for name, found in elementwise("minimum maximum fmin fmax reduce_minimum reduce_maximum", x, y).items():
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(found, getattr(np, name.removeprefix("reduce_"))(x, y))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "bool"])
def test_absolute_of_integers(dtype):
    x = np.array([0, 1, -1, 100, -128, 127]).astype(dtype)
    np.testing.assert_array_equal(elementwise("absolute", x)["absolute"], np.absolute(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_copysign_and_fma(dtype):
    x, y = (grid.ravel() for grid in np.meshgrid(specials(dtype), specials(dtype)))
    found, expected = elementwise("copysign", x, y)["copysign"], np.copysign(x, y)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    x = np.array([3, 0.5, np.nan, np.inf], dtype)
    np.testing.assert_array_equal(elementwise("fma", x, x + 1, x + 2)["fma"], x * (x + 1) + (x + 2))


@pytest.mark.parametrize("dtype", [*DTYPES, "int64", "bool"])
def test_where(dtype):
    condition, x, y = np.array([True, False]), np.array([1, 1]).astype(dtype), np.array([0, 0]).astype(dtype)
    np.testing.assert_array_equal(elementwise("where", condition, x, y)["where"], np.where(condition, x, y))


REDUCTIONS = {"reduce_add": 0, "reduce_multiply": 1, "reduce_maximum": -np.inf, "reduce_minimum": np.inf}


def reduction(name, dtype):
    function, start = intrinsics()[name], np.dtype(dtype).type(REDUCTIONS[name])

    @numba.njit([f"{dtype}({dtype}[::1])"], error_model="numpy")
    def reduce(x):
        total = start
        for i in range(x.size):
            total = function(total, x[i])
        return total

    return reduce


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["reduce_maximum", "reduce_minimum"])
def test_extremes_become_vector_code(name, dtype):
    reduce = reduction(name, dtype)
    kind = "float" if dtype == "float32" else "double"
    assert len(re.findall(rf"<\d+ x {kind}>", reduce.inspect_llvm(reduce.signatures[0]))) > 4


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_reductions(name, dtype):
    reduce = reduction(name, dtype)
    x = np.random.default_rng(0).uniform(0.5, 1.5, 1000).astype(dtype)
    expected = {"add": np.sum, "multiply": np.prod, "maximum": np.max, "minimum": np.min}[name.removeprefix("reduce_")]
    assert reduce(x) == pytest.approx(expected(x.astype(np.float64)), rel=1e-4 if dtype == "float32" else 1e-12)
    for place in (0, 500, 999):
        with_nan = x.copy()
        with_nan[place] = np.nan
        assert np.isnan(reduce(with_nan))


def test_integers_add_up_exactly():
    x = np.array([2**40, -3, 5])
    np.testing.assert_array_equal(elementwise("reduce_add", x, x)["reduce_add"], x + x)
    np.testing.assert_array_equal(elementwise("reduce_multiply", x, x)["reduce_multiply"], x * x)


def test_mixed_types_are_refused():
    function = intrinsics()["power"]
    with pytest.raises(numba.TypingError):
        numba.njit([numba.float64(numba.float32, numba.float64)])(lambda x, y: function(x, y))


# ---------------------------------------------------------------------------------------------------------------
# Without Numba, and on other machines.


def test_import_needs_no_numba(python):
    program = """
        import sys
        from autodiff.backends.llvm.mathematics import MAXIMUM_ULPS, fingerprint, program
        program("exp", "float32"), fingerprint()
        print({"numba", "llvmlite"} & sys.modules.keys())
    """
    assert python(program) == "set()\n"


def test_fingerprint_is_that_of_the_text():
    assert re.fullmatch(r"[0-9a-f]{64}", fingerprint())


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="others have a fused multiply-add")
def test_machines_without_fused_multiply_add(python):
    """The stated errors hold there too, but for the roundings that `fma` saves elsewhere."""
    program = """
        import numpy as np
        from autodiff.backends.llvm.mathematics import MAXIMUM_ULPS
        from tests.backends.llvm.mathematics_inputs import unit_of
        from tests.backends.llvm.mathematics_kernels import call, compiled

        with np.load("tests/backends/llvm/mathematics_reference.npz") as reference:
            for name in ("exp", "log", "log1p", "sin", "tan", "power", "cbrt", "erfc"):
                *operands, value, missing = reference[name].T
                error = np.max(np.abs((call(name, *operands) - value) / unit_of(name, value, operands) - missing))
                assert "fma" not in compiled(name, "float64")._library.get_asm_str().replace("fmax", "")
                if not error <= MAXIMUM_ULPS[name, "float64"] + 0.6:
                    print(name, error)
    """
    assert python(program, NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="") == ""


# ---------------------------------------------------------------------------------------------------------------
# The language.


def small_library(text, **constants):
    return Library([(text, constants)])


def test_a_program_is_a_list_of_typed_instructions():
    library = small_library(
        "def f(x):\n    return g(x) * SCALE\ndef g(x):\n    return x + 1\n", SCALE=ByWidth(2.0, 4.0)
    )
    instructions = library.program("f", ("float64",)).instructions
    assert [(one.operation, one.type, one.operands, one.number) for one in instructions] == [
        ("parameter", "float64", (), None),
        ("constant", "float64", (), 1.0),
        ("add", "float64", (0, 1), None),
        ("constant", "float64", (), 4.0),
        ("multiply", "float64", (2, 3), None),
    ]
    assert library.program("f", ("float32",)).instructions[3].number == 2.0


def test_flags_are_decided_when_lowering():
    library = small_library("def f(x):\n    if fused:\n        return fma(x, x, x)\n    return x * x + x\n")
    operations = [
        [one.operation for one in library.program("f", ("float32",), fused).instructions] for fused in (True, False)
    ]
    assert operations == [["parameter", "fma"], ["parameter", "multiply", "add"]]


def test_windows_of_tables():
    library = small_library("def f(i):\n    a, b = window(TABLE, i, 2)\n    return a + b\n", TABLE=(1, 2, 4, 8, 16))
    operations = [one.operation for one in library.program("f", ("int64",)).instructions]
    assert operations.count("where") == 3 + 2  # those 2 on, then those 1 on


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "def f(x):\n    while x:\n        pass\n",
            SyntaxError,
            "not in the language of vector mathematics: while x:\n    pass",
        ),
        ("def f(x):\n    return x ** 2\n", SyntaxError, "not in the language of vector mathematics: x ** 2"),
        ("def f(x):\n    return [x]\n", SyntaxError, "not in the language of vector mathematics: [x]"),
        ("def f(x):\n    y = x\n", SyntaxError, "f does not return a value"),
        ("def f(x):\n    return x, x\n", TypeError, "f returns 2 values, where one is needed"),
        ("def f(x):\n    return x + bits(x)\n", TypeError, "operands of different types: float64, int64"),
    ],
)
def test_errors_of_sources(text, error, message):
    with pytest.raises(error) as raised:
        small_library(text).program("f", ("float64",))
    assert str(raised.value) == message


def test_names_are_defined_once():
    text = "def f(x):\n    return x\n"
    with pytest.raises(ValueError, match=r"^defined in two sources of vector mathematics: A, f$"):
        Library([(text, {"A": 1.0}), (text, {"A": 1.0})])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_lowers_for_every_machine(name, dtype):
    for fused, scales in ((True, False), (True, True), (False, False)):
        instructions = program(name, dtype, fused, scales).instructions
        assert instructions[-1].type == dtype
        assert {one.operation for one in instructions} >= {"parameter"}
    assert (name, dtype) in MAXIMUM_ULPS
