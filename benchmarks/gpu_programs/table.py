"""All programs for GPUs, by name, and their rows in the order in which they are measured."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.gpu_programs.attention import Attention
from benchmarks.gpu_programs.columns import Columns
from benchmarks.gpu_programs.cross_entropy import DeviceCrossEntropy
from benchmarks.gpu_programs.elementwise import DeviceElementwise
from benchmarks.gpu_programs.embedding import Embedding
from benchmarks.gpu_programs.layer_norm import LayerNorm
from benchmarks.gpu_programs.lstm import Lstm
from benchmarks.gpu_programs.networks import DeviceConvolutional, DeviceTransformer
from benchmarks.gpu_programs.perceptron import DevicePerceptron
from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow
from benchmarks.gpu_programs.residual import Residual

SMALL_COPY = 1000  # elements, beside the stand-in

PROGRAMS: dict[str, DeviceProgram] = {
    program.name: program
    for program in (
        DeviceElementwise(),
        DeviceCrossEntropy(),
        LayerNorm(),
        DevicePerceptron(),
        Lstm(),
        DeviceTransformer(),
        DeviceConvolutional(),
        Residual(),
        Embedding(),
        Columns(),
        Attention(),
    )
}


def chosen_rows(only: list[str]) -> list[tuple[str, int]]:
    """Program and number of the rows whose names contain one of the texts; all where there are none."""
    rows = [(name, number, row.size) for name, program in PROGRAMS.items() for number, row in enumerate(program.rows)]
    return [
        (name, number) for name, number, size in rows if not only or any(text in f"{name}, {size}" for text in only)
    ]


def row_of(program: str, number: int, small: bool) -> DeviceRow:
    """A row, at the size of the stand-in if `small`."""
    row = PROGRAMS[program].rows[number]
    return replace(row, parameters=row.small, copied=min(row.copied, SMALL_COPY)) if small else row
