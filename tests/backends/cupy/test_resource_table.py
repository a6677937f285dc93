"""The table of kernels in the documentation is the one that NVRTC gives."""

import re

import numpy as np

from tests.backends.cupy import resource_table
from tests.backends.cupy.nvrtc import Resources, needs_nvrtc, version
from tests.backends.cupy.resource_table import BEGIN, END, PAGE, ROWS, line, warps


def written():
    """The table of the page."""
    return PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def test_all_rows_are_there_and_none_spills():
    rows = [[cell.strip() for cell in row.split("|")] for row in written().splitlines() if row.startswith("|")][2:]
    assert [row[1] for row in rows] == list(ROWS)
    assert all(row[5] == row[9] == row[13] == "0" for row in rows)


@needs_nvrtc
def test_rows_are_as_written_down(monkeypatch):
    (known,) = re.findall(r"By NVRTC (\S+)\. ", written())
    if known == version():  # others take other registers
        for name in ("sum of 10 million", "the same, `fast_math=True`"):
            assert line(name, ROWS[name]) in written().splitlines()


def test_warps_at_once():
    assert warps(Resources(32, 0, 0, 0), 256) == 64
    assert warps(Resources(33, 0, 0, 0), 256) == 48
    assert warps(Resources(64, 0, 0, 0), 1024) == 32
    assert warps(Resources(16, 0, 0, 0), 32) == 32


def test_bytes_are_counted_for_each_reading():
    row = ROWS["softmax, 4096 x 50257"]
    programs = resource_table.Programs({"": (row.fun, *row.args)})
    ((params, kernel),) = programs.kernels.items()
    assert resource_table.moved(kernel, dict(params)["tape"].inputs) == 3 * 4096 * 50257 * np.dtype("f").itemsize
