"""Hand tracking as in ADBench: chained 4x4 transforms of 22 bones, and skinning of 100 points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Native, Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

FINGERS, FINGER_BONES = 5, 4
PARENTS = (
    -1,
    0,
    *(1 if bone == 0 else 1 + FINGER_BONES * f + bone for f in range(FINGERS) for bone in range(FINGER_BONES)),
)
NOTHING = 26  # the place of a zero behind the parameters


class HandTracking(Program):
    """The Jacobian of all distances with respect to rotation, translation and finger angles."""

    name = "hand tracking"
    title = "Jacobian of hand tracking, 26 parameters, 100 points, float64"
    dtype = "float64"
    tolerance = 1e-9
    rows = (
        Row(
            "100 points",
            (100,),
            goal=0.6,
            rival="jax",
            known="jax 0.52 ms",
            floor="0.15 ms floor",
            native=Native("hand-written C++", 0.47e-3),
        ),
    )

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        (points,) = row.parameters
        bones = len(PARENTS)

        def array(*shape: int, scale: float = 1.0) -> Any:
            return standard_normal(random, self.dtype, *shape, scale=scale)

        relative = np.tile(np.eye(4), (bones, 1, 1))
        relative[:, :3] += array(bones, 3, 4, scale=0.2)
        absolute: list[Any] = []
        for parent, matrix in zip(PARENTS, relative):
            absolute.append(matrix if parent < 0 else absolute[parent] @ matrix)
        weights = random.uniform(0, 1, (bones, points)) ** 4
        homogeneous = np.concatenate([array(3, points), np.ones((1, points))])
        model = {
            "relative": relative,
            "inverse": np.linalg.inv(np.stack(absolute)),
            "positions": homogeneous,
            "weights": weights / np.sum(weights, axis=0),
        }
        return array(NOTHING, scale=0.3), model, array(3, points)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.jacfwd(distances(np))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.jacfwd(distances(jax.numpy))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        jacobian = compiled(torch.func.jacfwd(distances(torch)))
        return lambda: jacobian(*inputs)


def angle_places() -> Any:
    """Where the three angles of each bone stand among the parameters: a finger bends thrice and spreads once."""
    places = np.full((len(PARENTS), 3), NOTHING)
    for finger in range(FINGERS):
        first, bone = 6 + 4 * finger, 2 + FINGER_BONES * finger
        places[bone, :2] = first, first + 1
        places[bone + 1 : bone + 3, 0] = first + 2, first + 3
    return places


def distances(np: Any) -> Function:
    """Measured points minus skinned ones, over one library's names."""
    places = np.asarray(angle_places())

    def rotations(angles: Any) -> Any:
        (sine_x, sine_y, sine_z), (cosine_x, cosine_y, cosine_z) = np.sin(angles).T, np.cos(angles).T
        zero, one = np.zeros_like(sine_x), np.ones_like(sine_x)
        rows = (
            (
                cosine_y * cosine_z,
                sine_x * sine_y * cosine_z - cosine_x * sine_z,
                cosine_x * sine_y * cosine_z + sine_x * sine_z,
                zero,
            ),
            (
                cosine_y * sine_z,
                sine_x * sine_y * sine_z + cosine_x * cosine_z,
                cosine_x * sine_y * sine_z - sine_x * cosine_z,
                zero,
            ),
            (-sine_y, sine_x * cosine_y, cosine_x * cosine_y, zero),
            (zero, zero, zero, one),
        )
        return np.stack([np.stack(row, -1) for row in rows], -2)

    def turned(rotation: Any, x: Any) -> Any:
        angle = np.sqrt(np.sum(rotation**2))
        axis = (rotation / angle)[:, None]
        across = np.stack(
            [axis[1] * x[2] - axis[2] * x[1], axis[2] * x[0] - axis[0] * x[2], axis[0] * x[1] - axis[1] * x[0]]
        )
        return x * np.cos(angle) + across * np.sin(angle) + axis * np.sum(axis * x, 0) * (1 - np.cos(angle))

    def run(parameters: Any, model: Any, points: Any) -> Any:
        padded = np.concatenate([parameters, np.zeros_like(parameters[:1])])
        relative = model["relative"] @ rotations(padded[places])
        absolute: list[Any] = []
        for bone, parent in enumerate(PARENTS):
            absolute.append(relative[bone] if parent < 0 else absolute[parent] @ relative[bone])
        moved = np.stack(absolute) @ model["inverse"] @ model["positions"]
        skinned = np.sum(moved[:, :3] * model["weights"][:, None], 0)
        return points - turned(parameters[:3], skinned) - parameters[3:6, None]

    return run
