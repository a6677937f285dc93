"""The programs of the gallery are short and complete, and find what they look for; here with fewer steps."""

from __future__ import annotations

import ast
import importlib.util
import sys

import numpy as np
import pytest

from docs.building.gallery import programs
from tests.docs.pages import ROOT

GALLERY = ROOT / "docs" / "gallery"
LONGEST = 80
ALLOWED = {"numpy", "autodiff", "functools"}


def falls(values, to):
    """Whether the last of some numbers is at most so much of the first."""
    return values[-1] <= to * values[0]


# For each program: what it is called with, and what must hold of what it finds.
CASES = {
    "bundle_adjustment": ({"steps": 8, "count": 12, "views": 4}, lambda f: f["costs"][-1] < 1.1e-3),
    "cnn_digits": ({"steps": 40}, lambda f: falls(f["losses"], 0.95) and f["accuracy"] > 0.15),
    "fixed_point": ({"steps": 20, "size": 6}, lambda f: f["errors"][-1] < 1e-10 and falls(f["losses"], 0.5)),
    "gaussian_process": ({"steps": 100}, lambda f: 0.1 < np.exp(f["log"]["noise"]) < 0.3),
    "hamiltonian_monte_carlo": (
        {"samples": 2000},
        lambda f: f["rate"] > 0.8 and abs(np.mean(f["samples"][:, 1] - f["samples"][:, 0] ** 2)) < 0.1,
    ),
    "heat_equation": ({"steps": 20}, lambda f: np.abs(f["found"] - f["truth"]).max() < 0.15),
    "ising": (
        {"points": 12, "widths": (3, 4)},
        lambda f: f["magnetisation"][1][0] > 0.95 and np.all(np.diff(f["energy"][1]) > 0),
    ),
    "kalman_filter": ({"count": 200}, lambda f: np.allclose(f["found"], [0.5, 0.4], rtol=0.25)),
    "meta_learning": ({"steps": 60, "width": 10}, lambda f: falls(f["losses"], 0.9)),
    "mini_gpt": ({"steps": 25, "letters": 20}, lambda f: falls(f["losses"], 0.9) and f["written"].startswith("Tyger")),
    "molecular_dynamics": (
        {"side": 5, "steps": 300},
        lambda f: np.ptp(f["kinetic"] + f["potential"]) < 0.01 * np.ptp(f["kinetic"]),
    ),
    "neural_ode": ({"steps": 100, "width": 20}, lambda f: falls(f["losses"], 0.5)),
    "normalizing_flow": ({"steps": 60, "width": 8, "depth": 4}, lambda f: f["costs"][-1] < f["costs"][0] - 0.3),
    "optics": ({"steps": 25}, lambda f: falls(f["spots"], 1e-3)),
    "option_greeks": (
        {"size": 9},
        lambda f: abs(f["implied"] - 0.31) < 1e-12 and np.all(np.diff(f["surfaces"]["delta"], axis=1) > 0),
    ),
    "orbit": ({"steps": 200}, lambda f: f["misses"][-1] < 1e-12),
    "portfolio": (
        {"steps": 300, "investors": 12},
        lambda f: np.allclose(f["weights"].sum(axis=1), 1) and np.all(np.diff(f["frontier"][:, 1]) < 0),
    ),
    "quantum_circuit": (
        {"steps": 60},
        lambda f: np.allclose(*f["slopes"].T) and f["exact"] < f["energies"][-1] < f["exact"] + 0.1,
    ),
    "robot_arm": ({"points": 40}, lambda f: f["missed"].max() < 1e-4),
    "sparse_hessian": (
        {"n": 60, "steps": 15},
        lambda f: falls(f["sizes"], 1e-10) and np.allclose(f["banded"], f["dense"]),
    ),
    "spline_fit": ({"steps": 30}, lambda f: f["costs"][-1] < 0.06),
    "survival": ({}, lambda f: np.all(np.abs(f["effects"] - f["truth"]) < 3 * f["errors"]) and f["sizes"][-1] < 1e-12),
    "tomography": ({"steps": 60, "n": 24, "directions": 16}, lambda f: falls(f["costs"], 0.02)),
    "vae": ({"steps": 80, "width": 16}, lambda f: falls(f["losses"], 0.9)),
}  # fmt: skip


def module_of(name):
    """A program as a module, which does not stay."""
    spec = importlib.util.spec_from_file_location(f"gallery_{name}", GALLERY / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


def test_every_program_has_a_case_and_a_picture():
    names = {program.name for program in programs(ROOT / "docs")}
    assert names == set(CASES)
    assert len(names) == 24
    assert {path.stem for path in (GALLERY / "pictures").glob("*.png")} == names


@pytest.mark.parametrize("name", CASES)
def test_programs_are_short_and_need_nothing_else(name):
    source = (GALLERY / f"{name}.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) <= LONGEST
    body = [node for node in ast.parse(source).body if not isinstance(node, ast.If)]  # the end draws, by Matplotlib
    imported = {
        name.partition(".")[0]
        for node in body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module])
    }
    assert imported <= ALLOWED


@pytest.mark.parametrize("name", CASES)
def test_programs_find_what_they_look_for(name):
    settings, holds = CASES[name]
    module = module_of(name)
    found = module.main(**settings)
    assert holds(found)
    figures = pytest.importorskip("matplotlib.figure")
    module.draw(figures.Figure(figsize=(6.4, 3.6), layout="constrained"), found)
