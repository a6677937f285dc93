"""Points in space: sums over pairs, kernels, rotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ways.library import Program

if TYPE_CHECKING:
    from benchmarks.ways.library import Function, Library

RNG = np.random.default_rng(1)


def bodies_by_differences(lib: Library) -> Function:
    def loss(points: Any, masses: Any) -> Any:
        apart = points[:, None] - points[None]
        return -0.5 * lib.np.sum(masses[:, None] * masses / lib.np.sqrt(lib.np.sum(apart**2, axis=-1) + 0.01))

    return loss


def bodies_by_coordinates(lib: Library) -> Function:
    def loss(points: Any, masses: Any) -> Any:
        squares = 0.01
        for k in range(3):
            apart = points[:, k][:, None] - points[:, k]
            squares = squares + apart * apart
        return -0.5 * lib.np.sum(lib.np.outer(masses, masses) * squares**-0.5)

    return loss


def kernel_by_differences(lib: Library) -> Function:
    def loss(points: Any, y: Any) -> Any:
        kernel = lib.np.exp(-0.5 * lib.np.sum((points[:, None] - points[None]) ** 2, axis=-1))
        return y @ kernel @ y

    return loss


def kernel_by_products(lib: Library) -> Function:
    def loss(points: Any, y: Any) -> Any:
        squares = lib.np.sum(points**2, axis=1)
        distances = squares[:, None] + squares - 2 * points @ points.T
        return lib.np.sum(lib.np.outer(y, y) * lib.np.exp(-0.5 * distances))

    return loss


def clusters_by_differences(lib: Library) -> Function:
    def loss(centers: Any, points: Any) -> Any:
        distances = lib.np.sum((points[:, None] - centers[None]) ** 2, axis=-1)
        return -lib.np.sum(lib.special.logsumexp(-distances, axis=1))

    return loss


def clusters_by_vmap(lib: Library) -> Function:
    def loss(centers: Any, points: Any) -> Any:
        def of_point(point: Any) -> Any:
            distances = lib.np.sum((point - centers) ** 2, axis=1)
            least = lib.np.min(distances)
            return least - lib.np.log(lib.np.sum(lib.np.exp(least - distances)))

        return lib.np.sum(lib.vmap(of_point)(points))

    return loss


def turned_by_formula(lib: Library) -> Function:
    def loss(turn: Any, points: Any) -> Any:
        turn = turn / lib.np.sqrt(lib.np.sum(turn**2))
        axis = turn[1:]
        across = 2 * lib.np.cross(axis[None], points)
        moved = points + turn[0] * across + lib.np.cross(axis[None], across)
        return lib.np.sum(lib.np.sin(moved))

    return loss


def turned_by_matrix(lib: Library) -> Function:
    def loss(turn: Any, points: Any) -> Any:
        w, x, y, z = turn / lib.np.linalg.norm(turn)
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        matrix = lib.np.stack([lib.np.stack(row) for row in rows])
        return lib.np.sum(lib.np.sin(points @ matrix.T))

    return loss


PROGRAMS = {
    "bodies": Program(
        (RNG.normal(size=(100, 3)), RNG.uniform(0.5, 1.5, 100)),
        {"differences": bodies_by_differences, "coordinates": bodies_by_coordinates},
    ),
    "kernel of points": Program(
        (RNG.normal(size=(150, 8)), RNG.normal(size=150)),
        {"differences": kernel_by_differences, "products": kernel_by_products},
    ),
    "soft clusters": Program(
        (RNG.normal(size=(6, 4)), RNG.normal(size=(500, 4))),
        {"differences": clusters_by_differences, "vmap": clusters_by_vmap},
    ),
    "rotation": Program(
        (np.array([1.0, 0.2, -0.3, 0.4]), RNG.normal(size=(300, 3))),
        {"formula": turned_by_formula, "matrix": turned_by_matrix},
    ),
}
