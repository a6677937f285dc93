"""What the backward pass of a compiled program takes from the forward pass, and does not compute again."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from autodiff.transforms.jit.reverse_mode import ReverseMode


def orbitals(x):
    _, v = np.linalg.eigh(x)
    return v[:, :1] ** 3


def singular_vectors(x):
    u, _, vh = np.linalg.svd(x)
    return u[:, :1] * vh[0]


def triangle(x):
    return np.linalg.qr(x)[1]


def visited(x):
    _, ys = autodiff.scan(lambda c, row: (np.sin(c) * row, c * row), x[0], x)
    return ys**2


@pytest.mark.parametrize("f", [orbitals, singular_vectors, triangle, visited])
def test_nothing_with_several_results_is_computed_again(f):
    x = np.random.default_rng(0).normal(size=(3, 3)) + 3.0 * np.eye(3)
    mode = ReverseMode(autodiff.make_tape(f)(x), (0,))
    several = [e.primitive for e in mode.forward.equations if len(e.results) > 1]
    backward = mode.backward(("plain",))
    assert several
    assert not {e.primitive.name for e in backward.tape.equations} & {"eigh", "svd", "qr"}
    assert len([e for e in backward.tape.equations if e.primitive.name == "scan"]) <= 1
    np.testing.assert_allclose(autodiff.jacrev(autodiff.jit(f))(x), autodiff.jacrev(f)(x), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_eigenvectors_of_which_some_are_kept_are_those_that_were_found(rounds):
    """Of a symmetric molecule: the signs of the vectors depend on the last bits of the matrix."""
    lengths, axes = np.linalg.eigh([[1.0, 0.66], [0.66, 1.0]])
    to_orthonormal = axes @ np.diag(lengths**-0.5) @ axes.T

    @autodiff.differentiable
    def energy(p):
        core = np.array([[-1.1, -0.96], [-0.96, -1.1]]) * p[0]
        repulsion = np.full((2, 2, 2, 2), 0.45) * p[1]
        repulsion[0, 0, 0, 0] = repulsion[1, 1, 1, 1] = 0.77
        density = np.zeros((2, 2))
        for _ in range(rounds):
            fock = (
                core + np.einsum("pqrs,rs->pq", repulsion, density) - np.einsum("prqs,rs->pq", repulsion, density) / 2
            )
            energies, vectors = np.linalg.eigh(to_orthonormal.T @ fock @ to_orthonormal)
            occupied = to_orthonormal @ vectors[:, :1]
            density = 2 * occupied @ occupied.T
        return energies[0]

    compiled = autodiff.grad(autodiff.jit(energy))
    for p in np.random.default_rng(0).normal(1.0, 0.1, size=(40, 2)).round(2):
        np.testing.assert_allclose(compiled(p), autodiff.grad(energy)(p), rtol=1e-8, atol=1e-12)
