"""The notebooks run from the first cell to the last."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[1]
NEEDS = {"06_build_it_from_nothing": "numba", "04_jit": "numba"}


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")  # of Jupyter's own machinery, in this process
def test_notebook_runs(path, monkeypatch):
    needed = NEEDS.get(path.stem)
    if needed and find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert any(outputs)
    assert not [out for cell in outputs for out in cell if out.get("name") == "stderr"]
