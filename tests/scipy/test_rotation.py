"""scipy.spatial.transform: all laws, values as SciPy's, and what is refused."""

import numpy as np
import pytest
from scipy.spatial import transform as theirs

import autodiff
from autodiff.scipy.spatial.transform import Rotation, Slerp
from autodiff.testing import check_laws
from autodiff.trace.errors import ConcretizationError, DifferentiationError, OperandError

rng = np.random.default_rng(0)
q, v, x = rng.normal(size=(2, 4)), rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
angles, tiny = rng.uniform(-1, 1, size=(2, 3)), 1e-5 * v
matrix = theirs.Rotation.from_rotvec(v).as_matrix()
near = matrix @ (np.eye(3) + 0.1 * x)
times = np.array([0.3, 1.7])

# fmt: off
PROGRAMS = {
    "quaternion":     (lambda q: Rotation.from_quat(q).as_quat(canonical=True), (q,)),
    "scalar first":   (lambda q: Rotation.from_quat(q, scalar_first=True).as_quat(scalar_first=True), (q[0],)),
    "matrix":         (lambda q: Rotation(q).as_matrix(), (q,)),
    "rotvec":         (lambda v: Rotation.from_rotvec(v, degrees=True).as_matrix(), (50 * v,)),
    "tiny rotvec":    (lambda v: Rotation.from_rotvec(v).as_rotvec(), (tiny,)),
    "as rotvec":      (lambda q: Rotation.from_quat(q).as_rotvec(), (q,)),
    "mrp":            (lambda p: Rotation.from_mrp(p).inv().as_mrp(), (v,)),
    "from matrix":    (lambda m: Rotation.from_matrix(m).as_rotvec(), (matrix[0],)),
    "nearest":        (lambda m: Rotation.from_matrix(m).as_quat(), (near[:1],)),
    "euler":          (lambda a: Rotation.from_euler("ZYX", a).as_matrix(), (angles,)),
    "euler fixed":    (lambda a: Rotation.from_euler("xyx", a, degrees=True).as_rotvec(), (40 * angles[0],)),
    "one angle":      (lambda a: Rotation.from_euler("y", a).as_matrix(), (0.7,)),
    "two angles":     (lambda a: Rotation.from_euler("zy", a).as_matrix(), (angles[:, :2],)),
    "as euler":       (lambda v: Rotation.from_rotvec(v).as_euler("xyz", degrees=True), (v[:2],)),
    "as euler ZXZ":   (lambda v: Rotation.from_rotvec(v).as_euler("ZXZ"), (v,)),
    "apply":          (lambda v, x: Rotation.from_rotvec(v).apply(x), (v[:2], x[:2])),
    "apply to many":  (lambda v, x: Rotation.from_rotvec(v).apply(x, inverse=True), (v[0], x)),
    "plain, applied": (lambda x: Rotation.from_rotvec(v).apply(x), (x,)),
    "product":        (lambda a, b: (Rotation.from_rotvec(a) * Rotation.from_rotvec(b).inv()).as_matrix(), (v[:2], x[:2])),
    "plain times":    (lambda a: (Rotation.from_rotvec(x[0]) * Rotation.from_rotvec(a)).as_matrix(), (v[0],)),
    "magnitude":      (lambda v: Rotation.from_rotvec(v).magnitude(), (v,)),
    "mean":           (lambda v, w: Rotation.from_rotvec(v).mean(w).as_matrix(), (v / 2, np.array([0.5, 1.0, 2.0]))),
    "items":          (lambda v: Rotation.concatenate([Rotation.from_rotvec(v)[1], Rotation.from_rotvec(v)[:2]]).as_matrix(), (v,)),
    "align":          (lambda a, b: Rotation.align_vectors(a, b)[0].as_matrix(), (x, x @ matrix[0] + 0.05 * v)),
    "what is left":   (lambda a, b: Rotation.align_vectors(a, b, [1.0, 2.0, 0.5])[1], (x, x @ matrix[0] + 0.05 * v)),
    "slerp":          (lambda v, t: Slerp(np.arange(3.0), Rotation.from_rotvec(v))(t).as_matrix(), (v, times)),
    "slerp of plain": (lambda t: Slerp(np.arange(3.0), Rotation.from_rotvec(v))(t).as_matrix(), (times,)),
}
# fmt: on


@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    order = 2 if name in ("rotvec", "tiny rotvec", "as rotvec", "one angle", "apply to many", "magnitude", "mrp") else 1
    check_laws(fun, args, skip=("value", "replay", "compiled", "batch", "spec"), order=order, name=name)
    value = fun(*args)
    np.testing.assert_allclose(autodiff.vjp(fun, *args)[0], value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(autodiff.jit(fun)(*args), value, rtol=1e-9, atol=1e-12)
    batched = autodiff.vmap(fun)(*(np.stack([z, z]) for z in args))
    np.testing.assert_allclose(batched[1], value, rtol=1e-9, atol=1e-12)


def test_plain_rotations_are_scipys():
    own, other = Rotation.from_rotvec(v), theirs.Rotation.from_rotvec(v)
    assert isinstance(own, theirs.Rotation)
    assert own.as_matrix().tobytes() == other.as_matrix().tobytes()
    assert type(own[0] * own[1].inv() ** 2) is Rotation
    assert type(Rotation.identity()) is type(Rotation.random(2)) is Rotation


def test_rotations_leave_compiled_functions():
    found = autodiff.jit(lambda v: Rotation.from_rotvec(v))(v)
    np.testing.assert_allclose(found.as_rotvec(), v)


def test_rotations_of_scipys_own_turn_traced_vectors_in_rewritten_programs():
    turn, slerp = theirs.Rotation.from_rotvec(v[0]), theirs.Slerp(np.arange(3.0), theirs.Rotation.from_rotvec(v))

    @autodiff.differentiable
    def f(t):
        return turn.apply([t, 1.0, 0.0])[0] + slerp(t * np.ones(1)).as_matrix()[0, 0, 1]

    expected = (f(0.3001) - f(0.2999)) / 2e-4
    np.testing.assert_allclose(autodiff.grad(f)(0.3), expected, rtol=1e-6)


@pytest.mark.parametrize(("fun", "arg", "kind", "words"), [
    (lambda a: Rotation.from_euler("zyx", a).as_euler("zyx"), np.array([0.1, np.pi / 2, 0.3]), DifferentiationError, "Euler's angles 'zyx' of this rotation are locked"),
    (lambda m: Rotation.from_matrix(-m).as_quat(), matrix[0], OperandError, "from_matrix got a matrix whose determinant is not positive"),
    (lambda m: Rotation.from_matrix(m).as_quat(), matrix[0, :2], OperandError, r"from_matrix got float64\[2,3\]"),
    (lambda p: Rotation.from_quat(p).as_quat(), v, OperandError, r"from_quat got float64\[3,3\]"),
    (lambda p: Rotation.from_rotvec(p).reduce(), v, DifferentiationError, "a rotation of traced values has no 'reduce'"),
    (lambda t: Slerp(t, Rotation.from_rotvec(v))(0.5).as_quat(), np.arange(3.0), DifferentiationError, "Slerp has a derivative by rotations and by"),
    (lambda p: theirs.Rotation.from_rotvec(p).as_quat(), v, ConcretizationError, "a traced float64"),
])  # fmt: skip
def test_what_has_no_derivative_says_so(fun, arg, kind, words):
    with pytest.raises(kind, match=rf"^{words}"):
        autodiff.vjp(fun, arg)
