"""The contract, items 123 to 128: everything it says about devices that raises, with the whole text."""

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import Variable
from autodiff.chainer.backends import cuda
from tests.chainer.error_texts import heard


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


ROWS = {
    "123 a GPU by name": (
        lambda: chainer.get_device("@cupy:0"),
        (
            "RuntimeError: CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        ),
    ),
    "123 a GPU by number": (
        lambda: chainer.get_device(0),
        (
            "RuntimeError: CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        ),
    ),
    "123 an unknown name": (
        lambda: chainer.get_device("@foo"),
        ("ValueError: there is no device '@foo' (LINE); the names are '@numpy' and '@cupy:N', N the number of a GPU"),
    ),
    "123 ChainerX": (
        lambda: chainer.get_device("native"),
        (
            "RuntimeError: 'native' would be a device of ChainerX, which is not available (LINE); use '@numpy' or "
            "-1 for the CPU, '@cupy:0' or 0 for a GPU"
        ),
    ),
    "123 another type": (
        lambda: chainer.get_device(1.5),
        (
            "TypeError: a device is given by a name, a number or a Device, got float (LINE); for example '@numpy', "
            "'@cupy:0', -1 (the CPU) or 0 (the first GPU)"
        ),
    ),
    "123 None": (
        lambda: chainer.get_device(None),
        (
            "TypeError: a device is given by a name, a number or a Device, got NoneType (LINE); for example "
            "'@numpy', '@cupy:0', -1 (the CPU) or 0 (the first GPU)"
        ),
    ),
    "124 using_device": (
        lambda: chainer.using_device("@foo"),
        ("ValueError: there is no device '@foo' (LINE); the names are '@numpy' and '@cupy:N', N the number of a GPU"),
    ),
    "124 a device as context": (
        lambda: chainer.get_device(-1).__enter__(),
        "RuntimeError: a Device is no context (LINE); use chainer.using_device(device)",
    ),
    "124 sending a Variable": (
        lambda: chainer.get_device(-1).send(variable(1)),
        "TypeError: @numpy takes arrays, got Variable (LINE); a Variable or a link has its own to_device()",
    ),
    "125 to_gpu": (
        lambda: variable(1).to_gpu(),
        (
            "RuntimeError: CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        ),
    ),
    "125 to_chx": (
        lambda: variable(1).to_chx(),
        (
            "RuntimeError: ChainerX is not available (LINE): it was not continued; use the CPU (device -1 or "
            "'@numpy') or a GPU (device 0 or '@cupy:0')"
        ),
    ),
    "125 to_intel64": (
        lambda: variable(1).to_intel64(),
        "RuntimeError: iDeep is not available (LINE): it was not continued; use the CPU: device -1 or '@numpy'",
    ),
    "125 to_device": (
        lambda: variable(1).to_device("@foo"),
        ("ValueError: there is no device '@foo' (LINE); the names are '@numpy' and '@cupy:N', N the number of a GPU"),
    ),
    "125 chx_array": (
        lambda: variable(1).chx_array,
        "ValueError: chx_array is for arrays of ChainerX (LINE), and there are none; use .array",
    ),
    "125 as_layout": (
        lambda: variable(1).as_layout("NHWC"),
        "ValueError: there is no layout 'NHWC' (LINE); arrays have NumPy's layout, called None",
    ),
    "126 to_cpu of a Variable": (
        lambda: cuda.to_cpu(variable(1)),
        "TypeError: @numpy takes arrays, got Variable (LINE); a Variable or a link has its own to_device()",
    ),
    "126 to_gpu": (
        lambda: cuda.to_gpu(np.ones(1)),
        (
            "RuntimeError: CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        ),
    ),
    "126 elementwise": (
        lambda: cuda.elementwise("T x", "T y", "y = x", "copy"),
        (
            "RuntimeError: CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        ),
    ),
    "126 get_device_from_id": (
        lambda: cuda.get_device_from_id(0),
        (
            "RuntimeError: CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        ),
    ),
    "126 cupy": (
        lambda: cuda.cupy.zeros(3),
        "AttributeError: there is no cupy.zeros: CUDA is not correctly set up (REASON) (LINE)",
    ),
    "126 check_cuda_available": (
        lambda: cuda.check_cuda_available(),
        (
            "RuntimeError: CUDA is not correctly set up (REASON) (LINE); install CuPy for the version of CUDA (pip "
            "install cupy-cuda12x, say), or stay on the CPU: device -1 or '@numpy'"
        ),
    ),
    "128 copyto": (
        lambda: chainer.backend.copyto([1.0], np.ones(1)),
        "TypeError: copyto writes into an array, got list (LINE); pass its .array",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, text = ROWS[name]
    if cuda.available and "CUDA is not" in text:
        pytest.skip("there is a GPU")
    assert heard(bad) == text
