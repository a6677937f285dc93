"""The kernels of a program: each is compiled by itself, and loaded on every GPU that runs it.

So programs that differ in one kernel have all others in common: those for another batch size, say.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Container, Iterable
from typing import Any

from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.sharing import STAGE
from autodiff.backends.cupy.prelude import prelude
from autodiff.backends.cupy.runtime.compiling import device_codes
from autodiff.backends.cupy.runtime.device import on_device
from autodiff.backends.gpu import require
from autodiff.trace.caching import cached_property

Functions = dict[str, Any]
"""What can be launched, by name."""

MOST_SHARED = 8
"""CUDA's number of the attribute of a function that says how much shared memory a launch may ask for."""

_loaded: dict[tuple[Any, int, bool, str], Functions] = {}
"""By the class that loads them, the GPU, whether mathematics is fast, and the text of a kernel."""
_lock = threading.RLock()


class KernelModule:
    """The kernels of a program.

    Kernels whose texts are the same are one: their functions are written under names that end in a word made of the
    text. So they are the same in all programs, and profilers tell kernels apart.

    Args:
        fast_math: whether division, exp and tanh of float32 may be approximate.

    Attributes:
        texts: the text of each kernel with these names, and the names.
        endings: of the names, by the text without.
        staging: the functions that are launched with shared memory beside what their texts declare.
    """

    def __init__(self, fast_math: bool = False) -> None:
        self.fast_math = fast_math
        self.texts: dict[str, tuple[str, ...]] = {}
        self.endings: dict[str, str] = {}
        self.staging: set[str] = set()

    def add(self, kernel: DeviceKernel, source: str = "") -> tuple[str, ...]:
        """Take a kernel in.

        Args:
            kernel: the kernel.
            source: ``file.py:12``, the user's line, to which tools for GPUs ascribe it.

        Returns:
            the names of the functions that are launched, in their order.
        """
        ending = self.endings.get(kernel.text)
        if ending is None:
            ending = self.endings[kernel.text] = ending_of(kernel.text)
            names = tuple(own.name + ending for own in kernel.functions)
            self.texts[of_line(kernel.text_named(ending), source)] = names
        self.staging.update(launch.function + ending for launch in kernel.launches if launch.shared)
        return tuple(launch.function + ending for launch in kernel.launches)

    @cached_property
    def source(self) -> str:
        """All texts as one, for those who compile them together; no kernel is added any more."""
        return "\n".join((prelude(), *self.texts))

    def functions(self, device: int) -> Functions:
        """The functions on a GPU."""
        if not self.texts:
            return {}
        kind = require().cuda.function.Module, device, self.fast_math
        with _lock:
            new = [text for text in self.texts if (*kind, text) not in _loaded]
            if new:
                codes = device_codes({text: f"{prelude()}\n{text}" for text in new}, device, self.fast_math)
                with on_device(device):
                    for text, code in codes.items():
                        _loaded[*kind, text] = loaded(code, self.texts[text], self.staging)
            parts = [_loaded[*kind, text] for text in self.texts]
        return {name: function for part in parts for name, function in part.items()}


def loaded(code: bytes, names: Iterable[str], staging: Container[str] = ()) -> Functions:
    """The functions of a kernel on the current GPU; some of them may have more shared memory than others."""
    cuda = require().cuda
    module = cuda.function.Module()
    module.load(code)
    found = {name: module.get_function(name) for name in names}
    for name, function in found.items():
        if name in staging:
            cuda.driver.funcSetAttribute(function.ptr, MOST_SHARED, STAGE)
    return found


def ending_of(text: str) -> str:
    """Eight letters and digits that stand for a text, behind a name."""
    return f"_{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def of_line(text: str, source: str) -> str:
    """A text of which the compiler takes every line for one line of the user's."""
    file, _, number = source.rpartition(":")
    if not file or not number.isdecimal():
        return text
    written = "".join(c if c.isprintable() else "?" for c in file.replace("\\", "/").replace('"', "'"))
    lines: list[str] = []
    for line in text.splitlines():
        pragma = line.lstrip().startswith("#pragma")
        if not (lines and lines[-1].lstrip().startswith("#pragma")):  # nothing comes between a pragma and its loop
            lines.append(f'#line {int(number) - pragma} "{written}"')
        lines.append(line)
    return "\n".join((*lines, '#line 1 "autodiff"', ""))


def forget_modules() -> None:
    """Forget what is loaded; programs that use it keep it."""
    with _lock:
        _loaded.clear()
