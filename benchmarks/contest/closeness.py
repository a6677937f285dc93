"""Is a result right? Compared with the same program in double precision, run by autodiff without a compiler."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.contest.trees import leaves, mapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.compiled_programs.program import Program, Row

SEED = 7
BLOCK = 1 << 22  # elements compared at once


class WrongResultError(Exception):
    """A library computes something else than the reference."""


def inputs_of(program: Program, row: Row) -> tuple[Any, ...]:
    """The same arguments in every process."""
    return program.inputs(row, np.random.default_rng(SEED))


def write_reference(program: Program, row: Row, folder: Path) -> None:
    """The program's results for the inputs in double precision, one file a leaf."""
    import autodiff  # noqa: PLC0415 - the processes of other libraries do not import ours
    import autodiff.chainer.functions  # noqa: PLC0415
    import autodiff.scipy.special  # noqa: PLC0415

    results = program.autodiff(autodiff, row)(*mapped(doubled, inputs_of(program, row)))
    for number, leaf in enumerate(leaves(results)):
        np.save(folder / f"{number}.npy", np.asarray(leaf))


def doubled(leaf: Any) -> Any:
    """float32 as float64, all else as it is."""
    return leaf.astype(np.float64) if isinstance(leaf, np.ndarray) and leaf.dtype == np.float32 else leaf


def compare(program: Program, row: Row, results: Sequence[Any], folder: Path) -> float:
    """The largest error, in proportion to the largest element of each result.

    Raises:
        WrongResultError: if a result has another shape or dtype, or an error above the program's tolerance.
    """
    files = sorted(folder.glob("*.npy"), key=lambda file: int(file.stem))
    if len(files) != len(results):
        raise WrongResultError(f"{program.name}, {row.size}: {len(results)} results, needed {len(files)}")
    return max(
        leaf_error(program, row, number, found, file) for number, (found, file) in enumerate(zip(results, files))
    )


def leaf_error(program: Program, row: Row, number: int, found: Any, file: Path) -> float:
    """The error of one result."""
    right = np.load(file, mmap_mode="r")
    where = f"{program.name}, {row.size}: result {number}"
    if found.shape != right.shape:
        raise WrongResultError(f"{where} has shape {found.shape}, needed {right.shape}")
    if found.dtype != program.dtype:
        raise WrongResultError(f"{where} has dtype {found.dtype}, needed {program.dtype}")
    error, size = 0.0, 0.0
    flat, flat_right = np.ravel(found), right.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        expected = flat_right[start : start + BLOCK]
        difference = np.abs(flat[start : start + BLOCK] - expected)
        error, size = np.maximum(error, np.max(difference)), max(size, float(np.max(np.abs(expected))))
    relative = float(error) / size if size else float(error)
    if not relative <= program.tolerance:
        raise WrongResultError(f"{where} is off by {relative:.3g} of its size, allowed {program.tolerance:.3g}")
    return relative
