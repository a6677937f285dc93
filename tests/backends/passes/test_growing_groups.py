"""A group that grows by one operation has the grid that all its operations have when they are looked at together."""

import numpy as np
import pytest

import autodiff
from autodiff.backends.kernels.forms import grid_of
from autodiff.backends.passes.fusion import groups

X = np.linspace(0.1, 0.9, 24).reshape(4, 6)
PROGRAMS = {
    "rows": lambda x: np.tanh((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)) * x,
    "columns": lambda x: np.sum(np.exp(x) * x, axis=0) + np.sin(x[0]),
    "equal lengths": lambda x: np.sin(x[:, :4]) * x[:, 0] + np.sin(x[:, :4]) * x[:, :1],
    "dtypes": lambda x: np.where(x > 0.5, x, np.float32(2.0) * x.astype(np.float32)).astype(np.float32) + 1,
    "views": lambda x: np.cos(x.T[1:] + x[0, 1:, None]) * x.T[:-1] - x.T[1:],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_growing_is_looking_at_all(name, monkeypatch):
    gradient = autodiff.grad(lambda x: np.sum(PROGRAMS[name](x)))
    compared = []

    def both(grid, equation, specs):
        grown = grown_by(grid, equation, specs)
        if grown is not None:
            again = grid_of([*made[id(grid)], equation], specs, grid.shape)
            made[id(grown)] = [*made[id(grid)], equation]
            kept.append(grown)
            assert vars(again) == vars(grown)
            compared.append(equation)
        return grown

    def noted(equations, specs, shape):
        found = grid_of(equations, specs, shape)
        made[id(found)] = list(equations)
        kept.append(found)
        return found

    made, kept, grown_by = {}, [], groups.grid_with
    monkeypatch.setattr(groups, "grid_with", both)
    monkeypatch.setattr(groups, "grid_of", noted)
    groups.Fusion(autodiff.make_tape(gradient)(X))
    assert compared
