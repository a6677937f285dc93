"""`python -m benchmarks.contest.first_gradient NAME FOLDER`: a fresh process on its way to a compiled gradient.

Prints when it began, when the library was imported and when the gradient was there, by the clock that all processes
of a Linux system share. Writes value and gradient for whoever checks them.
"""

from __future__ import annotations

from time import monotonic

BEGAN = monotonic()  # before anything else is imported

import json  # noqa: E402
import sys  # noqa: E402
from importlib import import_module  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable


def imported(name: str) -> Any:
    """The library, as a user of it begins a program."""
    for module in ("numpy", "autograd.numpy" if name == "autograd" else name.partition(".")[0]):
        import_module(module)
    return sys.modules[name.partition(".")[0]]


def prepared(name: str, library: Any, x: Any) -> tuple[Any, tuple[Any, ...]]:
    """The compiled function of the first row, and its arguments."""
    from benchmarks.compiled_programs.elementwise import Elementwise  # noqa: PLC0415 - NumPy comes first

    program, row = Elementwise(), Elementwise.rows[0]
    if name == "autodiff":
        return library.jit(program.autodiff(library, row)), (x,)
    if name == "jax":
        return library.jit(program.jax(library, row)), (x,)
    if name == "autograd":
        return program.autograd(library, row), (x,)
    compiled: Callable[..., Any] = library.compile if name == "torch.compile" else lambda function: function
    return program.torch(library, compiled, row, (library.from_numpy(x),)), ()


def main(name: str, folder: Path) -> None:
    """Import, compile, run; then say when."""
    library = imported(name)
    after_import = monotonic()
    import numpy as np  # noqa: PLC0415 - imported above

    x = np.load(folder / "x.npy")
    function, arguments = prepared(name, library, x)
    value, gradient = function(*arguments)
    if name == "jax":
        gradient.block_until_ready()
    done = monotonic()
    kernels = len(function.kernels(*arguments)) if hasattr(function, "kernels") else None
    for number, result in enumerate((value, gradient)):
        plain = result.detach().numpy() if name.startswith("torch") else np.asarray(result)
        np.save(folder / f"result{number}.npy", plain)
    print(json.dumps({"began": BEGAN, "imported": after_import, "done": done, "kernels": kernels}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
