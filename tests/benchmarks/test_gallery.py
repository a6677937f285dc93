"""The gallery beside JAX: every program is there, the command runs, and wrong results are seen."""

import ast
import json
from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks.gallery.__main__ import main
from benchmarks.gallery.process import FOLDERS, leaves
from benchmarks.gallery.table import ROWS, Row


def test_every_program_is_written_for_both():
    for folder in FOLDERS.values():
        assert {path.stem for path in folder.glob("[!_]*.py")} == set(ROWS)
    for path in FOLDERS["jax"].glob("[!_]*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert "main" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, path.name


def test_it_runs_and_writes_figures(capsys, tmp_path):
    path = tmp_path / "gallery.json"
    assert main(["--only", "robot_arm", "--rounds", "1", "--json", str(path)]) == 0
    [row] = json.loads(path.read_text())["rows"]
    assert row["mismatch"] is None
    figures = row["libraries"]["autodiff"]
    assert figures["failure"] is None
    assert figures["median"] > 0
    said = capsys.readouterr().out
    assert "robot_arm" in said
    assert ("jax is not installed" in said) == (find_spec("jax") is None)


def test_leaves_have_names():
    found = leaves({"losses": [1.0, 2.0], "parts": ([1, 2], 3.0), "task": {"x": np.ones(2)}})
    assert {name: value.tolist() for name, value in found.items()} == {
        "losses": [1.0, 2.0],
        "parts/0": [1, 2],
        "parts/1": 3.0,
        "task/x": [1.0, 1.0],
    }


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ({"x": np.array([1.0, 2.0 + 1e-9])}, None),
        ({"x": np.array([1.0, 2.1])}, "1.0e-01 apart, of numbers as large as 2.0e+00"),
        ({"x": np.array([1.0, np.nan])}, "nan apart, of numbers as large as 2.0e+00"),
        ({"x": np.ones(3)}, "shape (2,), and (3,) by the other library"),
        ({}, "1 results, and 0 by the other library"),
    ],
)
def test_what_differs_is_named(theirs, said):
    assert Row().mismatch({"x": np.array([1.0, 2.0])}, theirs) == said
