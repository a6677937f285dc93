"""The stages of a run in order of worth: what comes first says most for its seconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import autodiff

CHECKOUT = Path(autodiff.__file__).parents[1]
"""The folder that autodiff lies in: of a checkout it has tests and benchmarks, too."""

HERE = "autodiff.testing.gpu"


@dataclass(frozen=True)
class Stage:
    """Items of one kind.

    Attributes:
        name: in the file and on the command line.
        items: the module below this folder whose ``ITEMS`` they are.
        about: what they show.
        seconds: that one item may take.
        needs: files of a checkout without which there are no such items.
        alone: whether nothing else may run meanwhile, as for what is timed; others run side by side, each in a process.
    """

    name: str
    items: str
    about: str
    seconds: float
    needs: tuple[str, ...] = ()
    alone: bool = False

    @property
    def module(self) -> str:
        """The whole name of the module."""
        return f"{HERE}.{self.items}"

    def why_not(self) -> str:
        """Why it cannot run here; empty if it can."""
        missing = [path for path in self.needs if not (CHECKOUT / path).exists()]
        if not missing:
            return ""
        return f"needs a checkout of autodiff: an installed package has no {' and no '.join(missing)}"


TESTS, BENCHMARKS = "tests/backends/cupy", "benchmarks/gpu.py"
TIMED = (BENCHMARKS,)
BOTH = TESTS, BENCHMARKS

# fmt: off
STAGES = (
    Stage("cupy",      "contacts.library",   "what autodiff asks of CuPy and CUDA",               60),
    Stage("contact",   "contacts.first",     "one program a kind of kernel, graph and call",     120),
    Stage("kernels",   "checkout.suites",    "the tests of kernels, on the device",              300, (TESTS,)),
    Stage("programs",  "checkout.programs",  "small programs, jit and eager, against NumPy",      90, TIMED),
    Stage("races",     "contacts.races",     "streams that read what another one writes",        120, (), alone=True),
    Stage("transfers", "checkout.transfers", "batches copied while the GPU computes",           120, TIMED, alone=True),
    Stage("sanitizer", "checkout.sanitizer", "programs and tests under compute-sanitizer",       240, BOTH),
    Stage("peaks",     "contacts.peaks",     "what this device copies and multiplies at most",    60, (), alone=True),
    Stage("figures",   "checkout.rows",      "programs timed beside the peers",                 150, TIMED, alone=True),
)
# fmt: on


def chosen(names: list[str]) -> tuple[Stage, ...]:
    """The stages of these names, all if there are none."""
    return tuple(stage for stage in STAGES if not names or stage.name in names)
