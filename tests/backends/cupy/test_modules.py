"""The kernels of a program as one text, and how it becomes code."""

import re
from dataclasses import replace

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends import cache
from autodiff.backends.cupy.kernels.kernel import DeviceFunction, DeviceKernel, Launch
from autodiff.backends.cupy.runtime import compiling, modules
from autodiff.backends.cupy.runtime.modules import KernelModule, ending_of, of_line
from autodiff.backends.cupy.schedule import schedule_for_gpu
from tests.backends.cupy.hosting import needs_compiler
from tests.backends.cupy.nvrtc import compiled, needs_nvrtc
from tests.standin import device, nvrtc
from tests.standin.fixture import cupy

__all__ = ["cupy"]

KERNEL = DeviceKernel(
    (
        DeviceFunction(
            "kernel", "256", ("float* out0",), ("#pragma unroll", "for (int k = 0; k < 4; ++k) out0[k] = 1.0f;")
        ),
        DeviceFunction("kernel_columns", "1, 1", ("float* out0",), ("out0[0] = 2.0f;",)),
    ),
    (),
    (Launch("kernel", (1, 1), 256), Launch("kernel_columns", (1, 1), 1)),
    (),
)
OTHER = replace(KERNEL, functions=(KERNEL.functions[0], replace(KERNEL.functions[1], body=("out0[0] = 3.0f;",))))
TEXT = """extern "C" __global__ void __launch_bounds__(256) kernel(float* out0) {
  #pragma unroll
  for (int k = 0; k < 4; ++k) out0[k] = 1.0f;
}

extern "C" __global__ void __launch_bounds__(1, 1) kernel_columns(float* out0) {
  out0[0] = 2.0f;
}
"""


def test_texts_are_there_once_and_their_functions_have_names_of_their_own():
    module, one, other = KernelModule(), ending_of(TEXT), ending_of(OTHER.text)
    assert one != other
    names = [f"kernel{one}", f"kernel_columns{one}", f"kernel{other}", f"kernel_columns{other}"]
    assert module.add(KERNEL) == tuple(names[:2])
    assert module.add(OTHER, "model.py:3") == tuple(names[2:])
    assert module.add(KERNEL, "model.py:9") == tuple(names[:2])
    assert [name for own in module.texts.values() for name in own] == names
    assert re.findall(r"(\w+)\(float\* out0\)", module.source) == names
    again = KernelModule()
    assert again.add(OTHER) == tuple(names[2:])  # whatever came before


def test_names_end_as_they_should():
    assert KERNEL.text == TEXT
    assert KERNEL.text_named("_7a") == TEXT.replace("kernel(", "kernel_7a(").replace("columns(", "columns_7a(")


def test_every_line_is_one_of_the_user_s():
    lines = of_line(TEXT, "model.py:12").splitlines()
    assert lines[:6] == [
        '#line 12 "model.py"',
        'extern "C" __global__ void __launch_bounds__(256) kernel(float* out0) {',
        '#line 11 "model.py"',
        "  #pragma unroll",
        "  for (int k = 0; k < 4; ++k) out0[k] = 1.0f;",
        '#line 12 "model.py"',
    ]
    assert of_line(TEXT, "") == TEXT


@needs_nvrtc
def test_tools_for_gpus_find_the_user_s_line():
    module = KernelModule()
    module.add(KERNEL, "model.py:12")
    module.add(OTHER, "loss.py:40")
    code, _ = compiled(module.source, "compute_90")
    files = dict(re.findall(r'\.file\s+(\d+)\s+"([^"]+)"', code.decode()))
    lines = {(files[file].rsplit("/")[-1], line) for file, line in re.findall(r"\.loc\s+(\d+)\s+(\d+)", code.decode())}
    assert lines == {("model.py", "12"), ("loss.py", "40")}
    assert code.decode().count("st.global") == 10  # loops are unrolled all the same


@needs_nvrtc
def test_a_program_compiles_with_the_user_s_lines():
    tape = make_tape(lambda x: np.sum(np.exp(x) * x, axis=0))(np.ones((64, 100), np.float32))
    module = KernelModule()
    for equation in schedule_for_gpu(tape).equations:
        module.add(modules_kernel(equation), equation.source)
    for architecture in ("sm_80", "sm_90", "sm_100"):
        assert compiled(module.source, architecture)[0].startswith(b"\x7fELF")


def modules_kernel(equation):
    from autodiff.backends.cupy.kernels.call import kernel_of

    return kernel_of(**dict(equation.params))


@pytest.fixture
def fresh(cupy, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "_sizes", {})
    monkeypatch.setattr(modules, "_loaded", {})
    monkeypatch.setattr(compiling, "counts", {"hits": 0, "misses": 0, "compiled": 0})
    return tmp_path


@needs_compiler
def test_code_is_kept_by_content_and_loaded_once_on_each_gpu(fresh, monkeypatch):
    module = KernelModule()
    module.add(KERNEL, "model.py:12")
    first = module.functions(0)
    name = f"kernel{ending_of(TEXT)}"
    assert set(first) == {name, f"kernel_columns{ending_of(TEXT)}"}
    assert module.functions(0)[name] is first[name]
    assert module.functions(1)[name] is not first[name]
    assert compiling.counts == {"hits": 1, "misses": 1, "compiled": 1}
    assert len(nvrtc.compilations) == 1
    modules.forget_modules()
    module.functions(0)
    assert compiling.counts == {"hits": 2, "misses": 1, "compiled": 1}
    (stored,) = fresh.glob("*.kernel")
    stored.write_bytes(stored.read_bytes()[:-1] + b"?")
    modules.forget_modules()
    module.functions(0)  # what is damaged is compiled again
    assert compiling.counts == {"hits": 2, "misses": 2, "compiled": 2}


@needs_compiler
def test_another_compiler_or_gpu_has_other_code(fresh, monkeypatch):
    source = f"{TEXT}// of a test\n"
    compiling.device_codes({"": source}, 0)
    monkeypatch.setattr(nvrtc, "getVersion", lambda: (0, 1))
    monkeypatch.setattr(__import__("cupy").cuda.nvrtc, "getVersion", lambda: (0, 1))
    compiling.device_codes({"": source}, 0)
    assert compiling.counts["compiled"] == 2
    monkeypatch.setattr(device.Device, "compute_capability", "80")
    compiling.device_codes({"": source}, 0)
    assert compiling.counts["compiled"] == 3


@needs_compiler
@pytest.mark.parametrize(("own", "given"), [("90", "sm_90"), ("86", "sm_86"), ("120", "compute_100")])
def test_an_architecture_that_the_compiler_does_not_know_gets_portable_code(fresh, monkeypatch, own, given):
    monkeypatch.setattr(device.Device, "compute_capability", own)
    seen = []
    compile_program = nvrtc.compileProgram
    monkeypatch.setattr(
        __import__("cupy").cuda.nvrtc,
        "compileProgram",
        lambda program, options: (seen.append(options), compile_program(program, options)),
    )
    assert compiling.device_codes({"": TEXT}, 0)[""].startswith(b"\x7fELF")
    assert seen == [(*compiling.OPTIONS, f"--gpu-architecture={given}")]
