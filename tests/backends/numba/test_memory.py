"""What the text of a kernel may do."""

import ctypes
import re
import sys

import numpy as np
import pytest

from autodiff.backends.compiling import compile_object, kernel_address
from autodiff.backends.native.errors import KernelError
from autodiff.backends.native.launching import bits
from autodiff.backends.native.loading import load_object
from autodiff.backends.native.symbols import undefined_symbols

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]


def call(text, *words, rows=1):
    """Run a kernel, by ctypes alone."""
    block = np.array([each.ctypes.data if isinstance(each, np.ndarray) else bits(each) for each in words], np.int64)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)
    function(kernel_address(text))(block.ctypes.data, 0, rows)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("address", ["pointer", "word"])
def test_elements_of_each_dtype(dtype, address):
    text = f"""
def kernel(block, lo, hi):
    x, out = {address}(block, 0), {address}(block, 1)
    for i in range(lo, hi):
        store_{dtype}(out, i, load_{dtype}(x, i))
"""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 100).astype(dtype) if dtype == "bool" else rng.integers(-9, 250, 100).astype(dtype)
    out = np.zeros_like(x)
    call(text, x, out, rows=99)
    assert np.array_equal(out[:99], x[:99])
    assert out[99] == 0


def test_numbers_in_words_and_casts():
    text = """
def kernel(block, lo, hi):
    out = pointer(block, 3)
    store_float64(out, 0, real64(block, 0) / f8(3))
    store_float64(out, 1, f8(real32(block, 1) / f4(3)))
    store_float64(out, 2, f8(word(block, 2) + 1))
    store_float64(out, 3, f8(f4(16777217.0)))
    store_float64(out, 4, f8(u1(300)))
"""
    out = np.zeros(5)
    call(text, 1.0, np.float32(1), -(2**40), out)
    assert out.tolist() == [1 / 3, float(np.float32(1) / np.float32(3)), -(2**40) + 1, 16777216.0, 44.0]


def test_an_array_that_is_read_and_written_through_one_word_keeps_the_order():
    text = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    for i in range(lo, hi):
        store_float64(x, i + 1, load_float64(x, i) + load_float64(x, i + 1))
"""
    x = np.ones(1001)
    call(text, x, rows=1000)
    assert np.array_equal(x, np.arange(1, 1002))


def test_arrays_of_different_words_need_no_check_for_overlap():
    text = """
def kernel(block, lo, hi):
    a, b, c, d, e, f = (pointer(block, 0), pointer(block, 1), pointer(block, 2), pointer(block, 3), pointer(block, 255),
        pointer(block, 254))
    for i in range(lo, hi):
        s = load_float32(a, i) * load_float32(b, i) + load_float32(c, i)
        store_float32(d, i, s)
        store_float32(e, i, s * load_float32(a, i))
        store_float32(f, i, s * load_float32(b, i))
"""
    unknown = text.replace("pointer(", "word(")
    assert len(compile_object(text)) < len(compile_object(unknown))  # the checks, and the loop for when they fail


def test_strided_access_and_functions_that_are_called():
    text = """
@callee
def double(x):
    return x + x


def kernel(block, lo, hi):
    x, out = pointer(block, 0), pointer(block, 1)
    for i in range(lo, hi):
        store_float64(out, i, double(load_float64(shifted(x, i * word(block, 2)), 0)))
"""
    x, out = np.arange(20.0).reshape(10, 2), np.zeros(10)
    call(text, x, out, x.strides[0], rows=10)
    assert np.array_equal(out, 2 * x[:, 0])


@pytest.mark.parametrize("body", ["assert lo == 0", "if lo:\n        raise ValueError('lo')"])
def test_a_kernel_that_would_need_numba_is_refused(body):
    text = f"def kernel(block, lo, hi):\n    {body}\n"
    with pytest.raises(KernelError) as caught:
        compile_object(text)
    assert re.fullmatch(
        r"the code of this kernel needs [\w, .]+, which only Numba or Python define: it allocates memory or may raise. Let it use "
        r"the numbers and the memory that its block gives, and nothing that may raise, such as an assertion\.\n"
        + re.escape(text),
        str(caught.value),
    )


@pytest.mark.parametrize(
    "body",
    [
        "a = [1.0]\n    a.append(f8(lo))\n    store_float64(block, 0, a[lo])",
        "store_int64(block, 0, len({lo: hi}))",
        "store_int64(block, 0, lo ** hi)",
        "print(lo)",
    ],
)
def test_what_kernels_need_no_part_of_numba_for_is_refused(body):
    text = f"def kernel(block, lo, hi):\n    {body}\n"
    with pytest.raises(KernelError) as caught:
        compile_object(text)
    assert str(caught.value).startswith("Numba cannot compile this kernel: ")
    assert str(caught.value).endswith(text)


def test_what_numba_refuses_is_shown_with_the_text():
    text = "def kernel(block, lo, hi):\n    store_float64(block, 0, unheard_of(lo))\n"
    with pytest.raises(KernelError) as caught:
        compile_object(text)
    assert str(caught.value).startswith("Numba cannot compile this kernel: ")
    assert "name 'unheard_of' is not defined" in str(caught.value)
    assert str(caught.value).endswith(text)


IR = """
declare double @sin(double)
declare void @a_function_that_nobody_has()
@size = common global i64 0
define double @kernel(double %x) {
  %y = call double @sin(double %x)
  call void @a_function_that_nobody_has()
  %n = load i64, ptr @size
  %f = sitofp i64 %n to double
  %z = frem double %y, %f
  ret double %z
}
"""


def emitted(text, triple=None):
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_triple(triple) if triple else llvm.Target.from_default_triple()
    module.triple = target.triple
    return target.create_target_machine().emit_object(module)


@pytest.mark.parametrize(
    ("system", "own"), [("unknown-linux-gnu", []), ("apple-darwin", []), ("pc-windows-msvc", ["_fltused"])]
)
def test_undefined_symbols_of_object_files(system, own):
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    processor = llvm.get_default_triple().split("-")[0]
    found = undefined_symbols(emitted(IR, f"{processor}-{system}"))
    assert found == sorted(["a_function_that_nobody_has", "fmod", "sin", *own])


def test_object_code_of_an_unknown_format():
    with pytest.raises(ValueError, match=r"^object code of an unknown format: it begins with b'whatever'$"):
        undefined_symbols(b"whatever this is")


def test_a_function_that_is_missing_is_an_error_and_no_crash():
    with pytest.raises(
        KernelError,
        match=r"^the code of a kernel needs a_function_that_nobody_has, which this process does not have$",
    ):
        load_object(emitted(IR))


def test_the_first_kernel_of_a_process_may_call_what_the_process_has(python):
    program = """
        from autodiff.backends.compiling import compile_object
        from autodiff.backends.native.loading import load_object
        from autodiff.backends.native.symbols import undefined_symbols

        text = '''def kernel(block, lo, hi):
            x = pointer(block, 0)
            k = 0
            while k < hi:
                store_float64(x, k, 0.0)
                k = k + 1
        '''
        code = compile_object(text)
        print(undefined_symbols(code), load_object(code).address != 0)
    """
    assert python(program) == "['memset'] True\n"


def test_object_code_without_an_entry():
    text = "define void @another() {\n  ret void\n}\n"
    with pytest.raises(
        KernelError,
        match=r"^the object code of a kernel has no function kernel; clear the cache: autodiff\.clear_cache\(\)$",
    ):
        load_object(emitted(text))


FOR_NUMBA = "@callee\ndef nothing():\n    pass\n\n\ndef kernel(block, lo, hi):\n    nothing()\n"


def test_a_numba_that_cannot_be_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(KernelError, match=r"^Numba cannot be imported: import of numba halted; None in sys\.modules$"):
        compile_object(FOR_NUMBA)


def test_a_numba_that_is_too_old(monkeypatch):
    import numba

    monkeypatch.setattr(numba, "__version__", "0.61.2")
    with pytest.raises(KernelError, match=r"^Numba 0\.61\.2 is too old: kernels need 0\.62 \(pip install -U numba\)$"):
        compile_object(FOR_NUMBA)
