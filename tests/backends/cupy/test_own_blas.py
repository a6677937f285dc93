"""Which cuBLAS is called while a stream is captured: the one that CuPy's module is linked with, whatever else is there."""

import ctypes
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autodiff.backends.cupy.libraries import blas
from tests.standin.fixture import cupy

__all__ = ["cupy"]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("g++"), reason="libraries are made with g++ on Linux"
)


def library(folder, name, status, *linked):
    """A library whose functions return a status, or that is linked with others."""
    source = folder / f"{name}.cpp"
    names = () if linked else blas.SIGNATURES
    source.write_text("".join(f'extern "C" int {each}(...) {{ return {status}; }}\n' for each in names))
    made = folder / name
    with_others = [f"-Wl,-rpath,{folder}", "-Wl,--no-as-needed", *map(str, linked)]
    command = ["g++", "-shared", "-fPIC", f"-Wl,-soname,{name}", str(source), "-o", str(made), *with_others]
    subprocess.run(command, check=True, timeout=300)
    return made


def test_the_library_that_made_the_handle_is_called(tmp_path):
    stranger = library(tmp_path, "libcublas.so.12", 9)
    own = library(tmp_path, "libcublas.so.of-cupy", 7)
    module = library(tmp_path, "module.so", 0, own)
    for each in (stranger, module):
        ctypes.CDLL(str(each))
    cuda = SimpleNamespace(
        runtime=SimpleNamespace(runtimeGetVersion=lambda: 12080),
        cublas=SimpleNamespace(__file__=str(module)),
        get_cublas_handle=lambda: 1,
    )
    direct = blas.loaded_by.__wrapped__(SimpleNamespace(cuda=cuda))
    with pytest.raises(blas.BlasError, match=r"^cublasSetStream_v2: cuBLAS returned status 7$"):
        direct("cublasSetStream_v2", 1, 0)


def test_a_module_that_is_no_library_has_none(cupy):
    assert blas.loaded_by(cupy) is None
