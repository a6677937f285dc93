"""Matrices to check linear algebra at: one fixed draw for each name, well conditioned, with distinct values."""

from zlib import crc32

import numpy as np

REAL = ("float64", "float32")
ALL = ("float64", "complex128", "complex64")


def draw(name, shape, dtype):
    """Random numbers that the name decides."""
    random = np.random.default_rng(crc32(name.encode()))
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def dominant(name, shape, dtype):
    """Matrices with a large diagonal: far from singular."""
    return (draw(name, shape, dtype) + 3 * np.eye(*shape[-2:])).astype(dtype)


def hermitian(a):
    """The Hermitian part of matrices, times two."""
    return a + np.conj(np.swapaxes(a, -1, -2))


def positive(a):
    """Hermitian matrices whose eigenvalues are positive."""
    return a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(a.shape[-1], dtype=a.dtype)


def between(v, w, rest):
    """Values put between two sets of vectors."""
    return (v * w[..., None, :]) @ rest
