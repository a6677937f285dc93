"""What a program must say about itself to be measured on a GPU, beside what all programs say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Program
from benchmarks.contest.trees import mapped

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Native

COARSE = {"TF32": 1e-2, "bfloat16": 5e-2}  # allowed differences of rows that round more

FRACTION = 0.9  # of the copy bandwidth, that a program reaches which does little but read and write


@dataclass(frozen=True)
class DeviceRow:
    """One figure of the table.

    Attributes:
        size: what tells it from the program's other rows.
        parameters: what `Program.inputs` makes arrays of.
        small: the same for a run on the stand-in for CuPy.
        copied: elements whose copy moves as many bytes as the program must; 0 where that bounds nothing.
        replayed: launches are the cost, so that programs captured as graphs take part.
        cold: the caches of the device hold nothing of the arguments when a call begins.
        donated: positions of arguments whose memory the results may take; they are the first results in turn.
        goal: our time over the best peer's at most.
        rival: nobody has been measured before.
        native: no program in C or C++ takes part.
        precision: "float32"; "TF32" for products of float32 by tensor cores; or "bfloat16" for all floats.
        fast_math: division, exp and tanh may be approximate, as they are in most others anyway.
    """

    size: str
    parameters: tuple[Any, ...]
    small: tuple[Any, ...]
    copied: int = 0
    replayed: bool = False
    cold: bool = False
    donated: tuple[int, ...] = ()
    goal: float = 1.0
    rival: str | None = None
    native: Native | None = None
    precision: str = "float32"
    fast_math: bool = False

    @property
    def kind(self) -> str:
        """The dtype of floats, as they are given and returned."""
        return "bfloat16" if self.precision == "bfloat16" else "float32"


class DeviceProgram(Program):
    """A program with rows for a GPU."""

    rows: tuple[DeviceRow, ...] = ()  # type: ignore[assignment]

    def cupy(self, cupy: Any, row: DeviceRow) -> Function:
        """Plain array code for CuPy, with derivatives written by hand, where somebody would write them."""
        raise LeftOutError("nobody writes its derivative by hand")

    def operations(self, row: DeviceRow) -> int:
        """Multiplications and additions of products of matrices, two a pair of factors; 0 if few."""
        return 0

    def allowed(self, row: DeviceRow) -> float:
        """The largest difference from double precision, in proportion to the largest element."""
        return max(self.tolerance, COARSE.get(row.precision, 0.0))

    def given(self, row: DeviceRow, inputs: Any) -> Any:
        """Inputs as all libraries get them, in float32: rounded where a row is of fewer bits."""
        return mapped(shortened, inputs) if row.kind == "bfloat16" else inputs

    def reference(self, autodiff: Any, row: DeviceRow, inputs: tuple[Any, ...]) -> Any:
        """The results, from the inputs in double precision, by NumPy."""
        return self.autodiff(autodiff, row)(*mapped(doubled, inputs))  # type: ignore[arg-type]


def shortened(leaf: Any) -> Any:
    """float32 rounded to the numbers of bfloat16, to even ones in the middle; all else as it is."""
    if not isinstance(leaf, np.ndarray) or leaf.dtype != np.float32:
        return leaf
    bits = np.atleast_1d(leaf).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32).reshape(leaf.shape)


def doubled(leaf: Any) -> Any:
    """float32 as float64, all else as it is."""
    return leaf.astype(np.float64) if isinstance(leaf, np.ndarray) and leaf.dtype == np.float32 else leaf


def normal(random: np.random.Generator, *shape: int, scale: float = 1.0) -> Any:
    """Normal numbers of float32, drawn as such: large arrays are there sooner."""
    array = random.standard_normal(shape, dtype=np.float32)
    array *= np.float32(scale)
    return array
