"""The texts of kernels and of straight-line programs, compared letter by letter with those in ``golden/*.txt``.

A pass or printer that changes what is run changes these files, and so the change shows in review. To write them anew:

    RENEW_GOLDEN=1 python -m pytest tests/backends/kernels/test_golden.py

and look at the difference. The texts depend on nothing of the machine, and nothing is compiled: Numba need not be there.
"""

import importlib.util
import os
from pathlib import Path

import pytest

from autodiff.backends.kernels.programs.call import whole
from autodiff.backends.kernels.rows.call import rows

FOLDER = Path(__file__).parent / "golden"


def load_programs():
    where = importlib.util.spec_from_file_location("golden_programs", FOLDER / "programs.py")
    module = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    return module


programs = load_programs()


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch):
    monkeypatch.setattr("autodiff.backends.choice.numba_is_there", lambda: True)
    for primitive in (rows, whole):
        monkeypatch.setattr(primitive, "made", lambda **params: object())
    for function, _ in programs.PROGRAMS.values():
        function.clear_cache()


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_kernels_and_programs_read_as_they_are_written_down(name):
    file = FOLDER / f"{name}.txt"
    found = programs.printed(name)
    if os.environ.get("RENEW_GOLDEN"):
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8"), f"if this is meant to change: see {__file__}"


def test_every_text_is_of_a_program():
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(programs.PROGRAMS)
