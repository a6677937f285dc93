"""Bundle adjustment as in ADBench: a small Jacobian for each of many observations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Native, Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class BundleAdjustment(Program):
    """The blocks with respect to camera, point and weight of the two residuals of every observation."""

    name = "bundle adjustment"
    title = "Jacobian blocks of bundle adjustment, 31,843 observations, float64"
    dtype = "float64"
    tolerance = 1e-9
    rows = (
        Row(
            "31843 observations",
            (49, 7_776, 31_843),
            goal=0.5,
            rival="jax",
            known="jax 7.4 ms",
            floor="1 ms floor",
            native=Native("hand-written C++", 5.8e-3),
        ),
    )

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        cameras, points, observations = row.parameters

        def array(*shape: int, scale: float) -> Any:
            return standard_normal(random, self.dtype, *shape, scale=scale)

        camera = np.concatenate(
            [
                array(cameras, 3, scale=0.3),  # rotation vector
                array(cameras, 3, scale=0.5),  # centre
                500 + array(cameras, 1, scale=10),  # focal length
                array(cameras, 2, scale=5),  # principal point
                array(cameras, 2, scale=1e-3),  # radial distortion
            ],
            axis=1,
        )
        point = array(points, 3, scale=1.0) + np.array([0, 0, 8.0])
        pairs = random.integers(0, cameras, observations), random.integers(0, points, observations)
        measured = array(observations, 2, scale=100)
        return camera, point, 1 + array(observations, scale=0.1), *pairs, measured

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return blocks(autodiff.vmap(autodiff.jacrev(residual(np), (0, 1, 2))))

    def jax(self, jax: Any, row: Row) -> Function:
        return blocks(jax.vmap(jax.jacrev(residual(jax.numpy), (0, 1, 2))))

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        jacobian = compiled(blocks(torch.func.vmap(torch.func.jacrev(residual(torch), (0, 1, 2)))))
        return lambda: jacobian(*inputs)


def blocks(jacobian: Function) -> Function:
    """The Jacobian of each observation's residual at its own camera and point."""

    def run(cameras: Any, points: Any, weights: Any, camera: Any, point: Any, measured: Any) -> Any:
        return jacobian(cameras[camera], points[point], weights, measured)

    return run


def residual(np: Any) -> Function:
    """The weighted distance between where a camera sees a point and where it was measured, over one library's names."""

    def cross(a: Any, b: Any) -> Any:
        return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

    def rotated(rotation: Any, x: Any) -> Any:
        angle = np.sqrt(np.sum(rotation**2))
        cosine, sine, axis = np.cos(angle), np.sin(angle), rotation / angle
        return x * cosine + cross(axis, x) * sine + axis * np.sum(axis * x) * (1 - cosine)

    def weighted(camera: Any, point: Any, weight: Any, measured: Any) -> Any:
        seen = rotated(camera[:3], point - camera[3:6])
        flat = seen[:2] / seen[2]
        squared = np.sum(flat**2)
        distorted = flat * (1 + camera[9] * squared + camera[10] * squared**2)
        return weight * (camera[6] * distorted + camera[7:9] - measured)

    return weighted
