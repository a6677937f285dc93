"""The stand-in as a fixture of tests: ``cupy`` is importable, and autodiff finds it."""

import sys
from contextlib import nullcontext

import pytest

from autodiff.backends import gpu
from tests.standin import device, memory, streams
from tests.standin.module import build


class Mode:
    """How the stand-in works in these tests: whether work is done as late as CUDA allows."""

    late = False


@pytest.fixture
def cupy():
    """A program's CuPy with two GPUs.

    What autodiff has found is forgotten once the stand-in is gone again: what is freed meanwhile may still ask for it.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if name.partition(".")[0] in ("cupy", "cupyx")]:
            patch.delitem(sys.modules, name)
        modules = build()
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        gpu.found.cache_clear()
        device.set_device(0)
        memory.forget()
        with streams.late() if Mode.late else nullcontext():
            yield modules["cupy"]
        streams.finish()
        memory.forget()
        device.set_device(0)
    gpu.found.cache_clear()
