"""The CUDA texts of a few programs, compared letter by letter with those in ``golden/*.cu``.

They are those programs whose texts for CPUs are written down too. To write them anew:

    RENEW_GOLDEN=1 python -m pytest tests/backends/cupy/test_golden.py

and look at the difference. Nothing is compiled.
"""

import importlib.util
import os
from dataclasses import replace
from pathlib import Path

import pytest

from autodiff.backends.cupy.kernels.call import device_kernel, kernel_of
from autodiff.backends.cupy.schedule import schedule_for_gpu
from autodiff.trace.formats.text import tape_text

FOLDER = Path(__file__).parent / "golden"
NAMES = ("elementwise_gradient", "cross_entropy_gradient", "layer_norm", "layer_norm_gradient", "mlp_gradient")


def programs():
    where = FOLDER.parents[1] / "kernels" / "golden" / "programs.py"
    found = importlib.util.spec_from_file_location("golden_programs", where)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.PROGRAMS


def printed(name):
    """What a program does on a GPU, and its kernels with their launches."""
    function, args = programs()[name]
    tape = schedule_for_gpu(replace(function.tape(*args), constants=(), arguments=None, results=None))
    parts = ["\n".join(f"// {line}" for line in tape_text(tape).splitlines())]
    for equation in tape.equations:
        if equation.primitive is device_kernel:
            kernel = kernel_of(**dict(equation.params))
            launches = [
                f"// {one.function}: {one.blocks[0]} x {one.blocks[1]} blocks of {one.threads}"
                for one in kernel.launches
            ]
            parts.append("\n".join((*launches, kernel.text)))
    return "\n\n".join(parts)


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_as_written_down(name):
    file = FOLDER / f"{name}.cu"
    found = printed(name)
    if os.environ.get("RENEW_GOLDEN"):
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8"), f"if this is meant to change: see {__file__}"


def test_every_text_is_of_a_program():
    assert {file.stem for file in FOLDER.glob("*.cu")} == set(NAMES)
