"""Many points as one array for each coordinate."""

import numpy as np
import pytest

import autodiff
from autodiff import make_tape
from autodiff.backends.passes.fusion.coordinates import FEW, LARGE, coordinates_apart
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

RNG = np.random.default_rng(0)


def between(x):
    return x[:, None] - x[None]


def distances(x):
    return np.sqrt(np.sum(between(x) ** 2, -1) + 0.1)


def forces(x):
    d = between(x)
    square = np.sum(d * d, -1, keepdims=True) + 0.1
    return np.sum(d / (square * np.sqrt(square)), 1)


PROGRAMS = {
    "distances": distances,
    "forces": forces,
    "gradient": autodiff.grad(lambda x: np.sum(1 / distances(x))),
    "gradient of forces": autodiff.grad(lambda x: np.sum(forces(x) ** 2)),
    "second derivative": lambda x: autodiff.hvp(lambda x: np.sum(1 / distances(x)), (x,), (np.cos(x),)),
    "largest": lambda x: np.max(np.abs(between(x)), -1) + np.min(between(x), -1),
    "products": lambda x: np.prod(between(x) + 1.5, -1),
    "norm": lambda x: np.linalg.norm(between(x), axis=-1),
    "everything": lambda x: np.sum(between(x) ** 2) + np.sum(np.sum(between(x), -1)),
    "over points and coordinates": lambda x: np.sum(np.cos(between(x)), (1, 2)),
    "a vector": lambda x: np.sum((between(x) / np.arange(1.0, 1 + x.shape[1])) ** 2, -1),
    "a period": lambda x: np.sum((between(x) - np.round(between(x))) ** 2, -1),
    "chosen": lambda x: np.sum(np.where(between(x) > 0, between(x), 0.5), -1),
    "turned": lambda x: np.sum(np.swapaxes(np.exp(between(x)), 0, 1), -1),
    "returned too": lambda x: (np.sum(between(x) ** 2, -1), forces(x), x * 2),
    "float32": lambda x: np.sum(between(x.astype(np.float32)) ** 2, -1),
    "two sets": lambda x: np.sum((x[:, None] - np.sin(x[:20])) ** 2, -1),
    "a batch": lambda x: np.sum((np.stack([x, -x])[:, :, None] - x) ** 2, -1),
}


def converted(f, *args):
    before = simplify(make_tape(f)(*args))
    after = coordinates_apart(before)
    check_tape(after)
    for x, y in zip(run(before, args), run(after, args), strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(y, x, rtol=1e-5 if x.dtype == np.float32 else 1e-12, atol=1e-12)
    return before, after


@pytest.mark.parametrize("width", [2, 3, 8])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_the_same(name, width):
    before, after = converted(PROGRAMS[name], RNG.normal(size=(40, width)))
    assert after is not before
    most = max((s.size for s in after.specs if s.ndim > 1 and s.shape[-1] == width), default=0)
    assert most < LARGE or name in ("a batch", "turned")


@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_programs_agree(name):
    x = RNG.normal(size=(40, 3))
    compiled, plain = autodiff.jit(PROGRAMS[name])(x), PROGRAMS[name](x)
    tolerance = 1e-4 if name == "float32" else 1e-11
    for one, other in zip(autodiff.tree.leaves(compiled), autodiff.tree.leaves(plain), strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


LEFT = {
    "few points": lambda x: np.sum(between(x[:8]) ** 2, -1),
    "no sum over coordinates": lambda x: np.exp(between(x)),
    "no larger than the points": lambda x: np.sum(x**2, -1),
    "other axes": lambda x: np.sum(np.cos(x.T[:, None] - x.T[None]), -1),
    "float16, which NumPy adds up in float32": lambda x: np.sum(between(x.astype(np.float16)), -1),
    "counts": lambda x: np.sum(between(x) > 0, -1),
    "whole numbers": lambda x: np.sum(between((x * 9).astype(np.int32)), -1),
    "one coordinate alone": lambda x: np.cumsum(between(x), -1)[..., 1],
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name):
    before, after = converted(LEFT[name], RNG.normal(size=(40, 3)))
    assert after is before


def test_points_of_many_coordinates_are_left_alone():
    before, after = converted(distances, RNG.normal(size=(40, FEW.stop)))
    assert after is before


def test_bodies_of_loops():
    def f(x):
        return autodiff.scan(lambda x, _: (x + 0.01 * forces(x), None), x, None, length=3)[0]

    before, after = converted(f, RNG.normal(size=(40, 3)))
    (scan,) = (e for e in after.equations if e.primitive.name == "scan")
    assert "unstack" in names(dict(scan.params)["tape"])
    assert after is not before


def test_reductions_of_small_results_stay_as_they_are():
    _, after = converted(PROGRAMS["gradient"], RNG.normal(size=(40, 3)))
    assert names(after)[-1] in ("add", "subtract")  # of the two sums, which are points of their own
    assert names(after).count("stack") == 2
