"""scipy.sparse: laws of products and equations, all formats, and a heat equation."""

import operator

import numpy as np
import pytest
import scipy.sparse as ss
import scipy.sparse.linalg

import autodiff
from autodiff.scipy import sparse
from autodiff.testing import check_laws
from autodiff.trace.errors import ConcretizationError, DifferentiationError

rng = np.random.default_rng(0)
rows, columns = np.array([0, 1, 2, 0, 2, 1, 1]), np.array([0, 1, 2, 2, 0, 0, 0])
data = np.concatenate([rng.normal(size=3) + 4, rng.normal(size=4) / 2])
v = rng.normal(size=3)
m = rng.normal(size=(3, 2))
constant = ss.random_array((3, 3), density=0.6, rng=1) + 3 * ss.eye_array(3)


large, tall = np.cumsum(rng.uniform(0.5, 2, 7)), rng.normal(size=(5, 4))


def lowest(d, e):
    a = sparse.diags_array([d, e, e], offsets=[0, 1, -1]).tocsc()
    return sparse.linalg.eigsh(a, 2, which="SA", v0=np.ones(7))


def matrix(d):
    return sparse.coo_array((d, (rows, columns)), shape=(3, 3))


# fmt: off
PROGRAMS = {
    "vector":      (lambda d, x: matrix(d) @ x, (data, v)),
    "matrix":      (lambda d, x: matrix(d) @ x, (data, m)),
    "transposed":  (lambda d, x: matrix(d).T @ x, (data, m)),
    "from left":   (lambda d, x: x @ matrix(d), (data, v)),
    "csr":         (lambda d, x: sparse.csr_array((d, [0, 2, 1, 0], [0, 2, 3, 4])) @ x, (data[:4], v)),
    "csc":         (lambda d, x: sparse.csc_matrix((d, [0, 2, 1, 0], [0, 2, 3, 4])) @ x, (data[:4], v)),
    "diags":       (lambda a, b: sparse.diags([a, b], [0, 1]).toarray(), (v, v[:2])),
    "sums":        (lambda d: (matrix(d).sum(), matrix(d).sum(0), matrix(d).sum(1), matrix(d).diagonal()), (data,)),
    "arithmetic":  (lambda d, x: (2.0 * matrix(d) - matrix(d * d) / 3.0 + sparse.eye_array(3)) @ x, (data, v)),
    "with constant": (lambda d: (sparse.csr_array(constant) + matrix(d)).toarray(), (data,)),
    "spsolve":     (lambda d, b: sparse.linalg.spsolve(matrix(d).tocsc(), b), (data, v)),
    "spsolve columns": (lambda d, b: sparse.linalg.spsolve(matrix(d).tocsc(), b), (data, m)),
    "splu":        (lambda d, b: sparse.linalg.splu(matrix(d).tocsc()).solve(b, "T"), (data, v)),
    "blocks":      (lambda d: sparse.bmat([[matrix(d), None], [constant, matrix(d).T]]) @ np.arange(6.0), (data,)),
    "kron":        (lambda d: sparse.kron(sparse.triu(matrix(d)), matrix(d)) @ np.arange(9.0), (data,)),
    "eigsh":       (lambda d, e: lowest(d, e)[1] ** 2, (large, large[:6])),
    "eigsh values": (lambda d, e: lowest(d, e)[0], (large, large[:6])),
    "eigsh dense": (lambda a: sparse.linalg.eigsh(a @ a.T, 2, v0=np.ones(5), return_eigenvectors=False), (tall,)),
    "svds":        (lambda a: sparse.linalg.svds(a, 2, v0=np.ones(4))[1], (tall,)),
    "svds vectors": (lambda a: (lambda u, s, vt: u * s @ vt)(*sparse.linalg.svds(a, 2, v0=np.ones(4))), (tall,)),
    "spsolve_triangular": (lambda d, b: sparse.linalg.spsolve_triangular(sparse.tril(matrix(d)).tocsr(), b), (data, v)),
    "factorized":  (lambda b: sparse.linalg.factorized(sparse.csc_array(constant))(b), (v,)),
}
# fmt: on


@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    check_laws(fun, args, skip=("value", "compiled", "replay", "batch"), name=name)
    found = autodiff.vjp(fun, *args)[0]
    for ours, own in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, fun(*args))), strict=True):
        np.testing.assert_allclose(ours, np.asarray(own), rtol=1e-11, atol=1e-13)
    batched = autodiff.vmap(fun)(*(np.stack([a, 1.2 * a]) for a in args))
    for ours, own in zip(*(x if isinstance(x, tuple) else (x,) for x in (batched, found)), strict=True):
        np.testing.assert_allclose(ours[0], own, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(
        *(np.ravel(x[0] if isinstance(x, tuple) else x) for x in (autodiff.jit(fun)(*args), found)),
        rtol=1e-11,
        atol=1e-13,
    )


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "dia", "bsr"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_constant_matrices_of_all_formats(form, kind):
    a = getattr(sparse, f"{form}_{kind}")(constant)
    assert isinstance(a, getattr(ss, f"{form}_{kind}"))
    dense = constant.toarray()
    for product, expected in ((lambda x: a @ x, dense), (lambda x: a.T @ x, dense.T), (lambda x: a.tocsr() @ x, dense)):
        np.testing.assert_allclose(autodiff.jacobian(product)(v), expected, rtol=1e-12)
    np.testing.assert_allclose(autodiff.jacobian(lambda x: x @ a)(v), dense.T, rtol=1e-12)
    np.testing.assert_allclose(autodiff.jacobian(lambda x: a.dot(x))(v), dense, rtol=1e-12)
    if kind == "matrix":
        np.testing.assert_allclose(autodiff.jacobian(lambda x: a * x)(v), dense, rtol=1e-12)
    assert type(a @ v) is np.ndarray


@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres", "minres"])
def test_iterations(name):
    solve = getattr(sparse.linalg, name)
    d = np.concatenate([data[:3], [0.1, 0.1, 0.05, 0.05]])
    symmetric = np.array([0, 1, 2, 0, 2, 0, 1]), np.array([0, 1, 2, 2, 0, 1, 0])

    def program(d, b, solve=solve):
        return solve(sparse.coo_array((d, symmetric), shape=(3, 3)), b, rtol=1e-12)[0]

    def direct(d, b):
        return np.linalg.solve(sparse.coo_array((d, symmetric), shape=(3, 3)).toarray(), b)

    for found, expected in zip(
        autodiff.jacobian(program, (0, 1))(d, v), autodiff.jacobian(direct, (0, 1))(d, v), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
    slope = autodiff.jacobian(program)
    np.testing.assert_allclose(autodiff.jit(slope)(d, v), slope(d, v), rtol=1e-8, atol=1e-10)
    several = np.stack([v, 2 * v])
    np.testing.assert_allclose(
        autodiff.vmap(program, (None, 0))(d, several), [direct(d, b) for b in several], rtol=1e-8
    )


def test_one_factorization_serves_both_directions(monkeypatch):
    calls = []
    own = scipy.sparse.linalg.splu

    def counting(*args, **kwargs):
        calls.append(1)
        return own(*args, **kwargs)

    monkeypatch.setattr(scipy.sparse.linalg, "splu", counting)
    autodiff.grad(lambda d: np.sum(sparse.linalg.spsolve(matrix(d), v)))(data)
    assert len(calls) == 1


def test_a_heat_equation():
    n, steps = 40, 10

    def final(diffusivity):
        off = -diffusivity * np.ones(n - 1)
        implicit = sparse.diags([off, 1.0 + 2.0 * diffusivity * np.ones(n), off], [-1, 0, 1])
        solver = sparse.linalg.splu(implicit)
        u = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
        for _ in range(steps):
            u = solver.solve(u)
        return np.sum(u)

    k = 0.3
    mode = 2 - 2 * np.cos(np.pi / (n + 1))  # the initial values are an eigenvector
    start = np.sum(np.sin(np.pi * np.arange(1, n + 1) / (n + 1)))
    value, slope = autodiff.value_and_grad(final)(k)
    assert value == pytest.approx(start / (1 + k * mode) ** steps, rel=1e-10)
    assert slope == pytest.approx(-steps * mode * start / (1 + k * mode) ** (steps + 1), rel=1e-9)


def test_what_has_no_derivative_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.sparse.csr_array finds its pattern in the values, which are traced \(test_sparse.py:\d+\); auto",
    ):
        autodiff.grad(lambda x: np.sum(sparse.csr_array(x).toarray()))(np.eye(2))
    with pytest.raises(
        DifferentiationError,
        match=r"^the product of sparse matrices with traced entries has no rule \(test_sparse.py:\d+\); multiply",
    ):
        autodiff.grad(lambda d: (matrix(d) @ matrix(d)).sum())(data)
    with pytest.raises(
        DifferentiationError, match=r"^a traced array is no sparse matrix \(test_sparse.py:\d+\): its pattern is"
    ):
        autodiff.grad(lambda x: sparse.kron(x, np.eye(2)).sum())(np.eye(2))


def test_values_that_are_not_alone_are_refused():
    where = r"\(test_sparse.py:\d+\): equal values and their vectors"
    with pytest.raises(DifferentiationError, match=rf"^eigsh found the value 1 more than once {where}"):
        autodiff.grad(lambda d: sparse.linalg.eigsh(sparse.diags_array([d], offsets=[0]).tocsc(), 1, which="SA")[0][0])(
            np.array([1.0, 1.0, 2.0, 3.0, 4.0, 5.0])
        )
    with pytest.raises(
        DifferentiationError,
        match=r"^eigsh of traced values takes A, k and constants by name \(test_sparse.py:\d+\), and no M=",
    ):
        autodiff.vjp(lambda a: sparse.linalg.eigsh(a @ a.T, 2, M=a @ a.T)[0], tall)


def test_objects_of_traced_entries_are_refused_by_name():
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.sparse.linalg.expm_multiply cannot be called with a traced value \(test_sparse.py:\d+\)",
    ):
        autodiff.vjp(lambda d: sparse.linalg.expm_multiply(matrix(d), v), data)
    with pytest.raises(
        DifferentiationError,
        match=r"^a sparse matrix with traced entries has no 'multiply' \(test_sparse.py:\d+\); it has",
    ):
        autodiff.vjp(lambda d: matrix(d).multiply(2.0).sum(), data)
    for compare in (operator.eq, operator.ne, operator.lt):
        with pytest.raises(DifferentiationError, match=r"^a sparse matrix with traced entries has no 'comparisons'"):
            autodiff.vjp(lambda d, compare=compare: d * float(compare(matrix(d), matrix(d)) is not True), data)
    with pytest.raises(
        DifferentiationError,
        match=r"^a sparse matrix with traced entries cannot become a NumPy array \(test_sparse.py:\d+\)",
    ):
        autodiff.vjp(lambda d: np.dot(matrix(d), v), data)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("shape", [(6, 3), (3, 6)])
@pytest.mark.parametrize("damp", [0.0, 0.5])
def test_least_squares(name, shape, damp):
    draw = np.random.default_rng(1)
    places, entries = np.nonzero(np.ones(shape)), draw.normal(size=18)
    args = entries, draw.normal(size=shape[0]), draw.normal(size=shape[1])

    def solution(module):
        def of(d, b, begin):
            A = module.coo_array((d, places), shape=shape)
            return np.sin(getattr(module.linalg, name)(A, b, damp, atol=1e-15, btol=1e-15, x0=begin)[0])

        return of

    ours, own = solution(sparse), solution(ss)
    directions = tuple(np.cos(np.arange(x.size)) for x in args)
    ends = [own(*(x + sign * 1e-5 * d for x, d in zip(args, directions, strict=True))) for sign in (1, -1)]
    value, tangent = autodiff.jvp(ours, args, directions)
    np.testing.assert_allclose(value, own(*args), rtol=1e-12)
    np.testing.assert_allclose(tangent, (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-8)
    gradient = autodiff.grad(lambda *args: np.sum(ours(*args)), (0, 1, 2))(*args)
    assert sum(g @ d for g, d in zip(gradient, directions, strict=True)) == pytest.approx(tangent.sum(), rel=1e-9)
    np.testing.assert_allclose(autodiff.jit(ours)(*args), value, rtol=1e-12)
    np.testing.assert_allclose(autodiff.vmap(ours)(*(np.stack([x, x]) for x in args))[1], value, rtol=1e-12)


def test_products_with_plain_matrices_from_both_sides():
    x, plain = np.arange(1.0, 3.0), ss.csr_matrix([[1.0, 2.0], [0.0, 3.0]])
    own = sparse.csr_matrix(plain)
    np.testing.assert_allclose(autodiff.jit(lambda x: x * own)(x), x * plain)
    np.testing.assert_allclose(autodiff.jit(lambda x: own * x)(x), plain * x)
    np.testing.assert_allclose(autodiff.grad(lambda x: (x * own)[0])(x), plain.toarray()[:, 0])


def test_quotients_by_arrays_are_refused():
    with pytest.raises(DifferentiationError, match=r"^elementwise quotients .* divide their entries, A.data / b$"):
        autodiff.grad(lambda d: (matrix(d) / np.arange(1.0, 4.0)).sum())(data)


@pytest.mark.parametrize("name", ["csr_array", "csc_array"])
def test_empty_rows_at_the_end_are_kept(name):
    d = np.array([2.0, 3.0])
    found = autodiff.jit(lambda d: getattr(sparse, name)((d, [0, 1], [0, 1, 2, 2])).toarray())(d)
    np.testing.assert_array_equal(found, getattr(ss, name)((d, [0, 1], [0, 1, 2, 2])).toarray())


def test_constructors_without_a_rule_say_so():
    for make in (
        lambda d: sparse.bsr_array((d.reshape(2, 2, 2), [0, 1], [0, 1, 2]), shape=(4, 4)),
        lambda d: sparse.dia_array((d.reshape(2, 4), [0, 1]), shape=(4, 4)),
    ):
        with pytest.raises(DifferentiationError, match=r"^scipy.sparse.\w+ of traced entries has no rule"):
            autodiff.grad(lambda d: make(d).sum())(np.arange(8.0))  # noqa: B023


def test_entries_have_the_type_that_is_asked_for():
    own = lambda d: sparse.coo_array((d, (rows, columns)), shape=(3, 3), dtype=np.float32) @ v.astype(np.float32)  # noqa: E731
    assert autodiff.jit(own)(data).dtype == np.float32


def test_sums_of_axes_and_of_matrices():
    assert autodiff.jit(lambda d: matrix(d).sum(axis=(0, 1)))(data) == pytest.approx(data.sum())
    np.testing.assert_allclose(autodiff.jit(lambda d: matrix(d).sum(axis=(-1,)))(data), matrix(data).sum(1))
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        autodiff.jit(lambda d: matrix(d).sum(axis=2))(data)
    total = autodiff.jit(lambda d: sum([matrix(d), matrix(d * d)]).toarray())(data)
    np.testing.assert_allclose(total, sum([matrix(data), matrix(data * data)]).toarray())


def test_complex_right_hand_sides_of_real_equations():
    b, plain = v + 1j * v[::-1] ** 2, matrix(data).tocsc()
    found = autodiff.jit(lambda d: sparse.linalg.spsolve(matrix(d).tocsc(), b))(data)
    np.testing.assert_allclose(found, scipy.sparse.linalg.spsolve(plain, b))
    step, direction = 1e-6, np.cos(np.arange(7.0))
    ends = [scipy.sparse.linalg.spsolve(matrix(data + s * step * direction).tocsc(), b).imag for s in (1, -1)]
    slope = autodiff.grad(lambda d: np.sum(sparse.linalg.spsolve(matrix(d).tocsc(), b).imag * v))(data) @ direction
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) @ v / (2 * step), rtol=1e-7)


def test_one_column_is_solved_as_a_vector():
    found = autodiff.jit(lambda d, b: sparse.linalg.spsolve(matrix(d).tocsc(), b))(data, v[:, None])
    np.testing.assert_allclose(found, scipy.sparse.linalg.spsolve(matrix(data).tocsc(), v[:, None]))
    assert found.shape == (3,)


def test_numbers_are_diagonals_too():
    x = np.array([1.0, 2.0, 4.0])
    found = autodiff.jit(lambda x: sparse.diags([x, 2.0], offsets=[-1, 2], shape=(4, 4)).toarray())(x)
    np.testing.assert_array_equal(found, ss.diags([x, 2.0], offsets=[-1, 2], shape=(4, 4)).toarray())


MASK = np.array([True, False, True])
KEYS = [
    slice(1, None), (slice(None, None, -1), [2, 0]), MASK, [2, 0, 2], (MASK, slice(1, 3)), np.ix_([1, 1], [0, 2]),
    np.ix_(MASK, MASK), slice(2, 1), (1, -2),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_rows_and_columns(key):
    def part(d, make=lambda found: found):
        found = make(matrix(d))[key]
        return found.toarray() if hasattr(found, "toarray") else found

    plain = part(data, lambda coo: coo.tocsr())
    np.testing.assert_array_equal(autodiff.jit(part)(data), plain)
    expected = np.stack([part(e, lambda coo: coo.tocsr()) for e in np.eye(7)], axis=-1)
    np.testing.assert_array_equal(autodiff.jit(autodiff.jacrev(part))(data), expected)


def test_other_keys_are_refused_and_the_pattern_stays():
    for key in (1, ([1, 2], [1, 2]), ..., (1, slice(None))):
        with pytest.raises(
            DifferentiationError, match=r"cannot be indexed in this way \(.*\); take slices, arrays of row"
        ):
            autodiff.grad(lambda d: matrix(d)[key].sum())(data)  # noqa: B023
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        autodiff.grad(lambda d: matrix(d)[[9]].sum())(data)

    def unchanged(d):
        a = matrix(d)
        a.eliminate_zeros()
        a.sum_duplicates()
        return a.asformat("csc").toarray()

    np.testing.assert_array_equal(autodiff.jit(unchanged)(data), matrix(data).toarray())


FORMATS = [
    f"{form}_{kind}" for form in ("coo", "csr", "csc", "dia", "bsr", "lil", "dok") for kind in ("array", "matrix")
]

# fmt: off
OPERATORS = {
    "A @ x":          (lambda a, x: a @ x, 1),
    "A @ X":          (lambda a, x: a @ x, 2),
    "x @ A":          (lambda a, x: x @ a, 1),
    "X @ A":          (lambda a, x: x.T @ a, 2),
    "A.T @ x":        (lambda a, x: a.T @ x, 1),
    "(2 A) @ x":      (lambda a, x: (2 * a) @ x, 1),
    "A.dot(x)":       (lambda a, x: a.dot(x) if a.format != "coo" else a @ x, 1),
    "A @ A @ x":      (lambda a, x: a @ a @ x, 1),
    "A * number":     (lambda a, x: (a * x[1]) @ v, 1),
    "number * A":     (lambda a, x: (x[1] * a) @ v, 1),
    "A / number":     (lambda a, x: (a / x[1]) @ v, 1),
    "A + A * number": (lambda a, x: (a + a * x[1]) @ v, 1),
}
OF_ARRAYS = {
    "A * x":          (lambda a, x: a * x, 1),
    "x * A":          (lambda a, x: x * a, 1),
    "A * column":     (lambda a, x: a * x[:, :1], 2),
    "A / x":          (lambda a, x: a / x, 1),
    "A + x":          (lambda a, x: a + x, 1),
    "x - A":          (lambda a, x: x - a, 1),
}
# fmt: on


def array_of(found):
    return found.toarray() if hasattr(found, "toarray") else found


@pytest.mark.parametrize("operator", [*OPERATORS, *OF_ARRAYS])
@pytest.mark.parametrize("name", FORMATS)
def test_matrices_of_scipy_are_operands_of_traced_values(name, operator):
    if operator in OF_ARRAYS and name.endswith("matrix"):
        pytest.skip("SciPy has other operators for matrices")
    program, ndim = (OPERATORS | OF_ARRAYS)[operator]
    a = getattr(ss, name)(constant)
    x = (m if ndim == 2 else v) + 3.0

    def run(x):
        return array_of(program(a, x))

    expected = np.asarray(run(x))
    np.testing.assert_allclose(autodiff.vjp(run, x)[0], expected, rtol=1e-13)
    autodiff.testing.check_grads(run, (x,), order=2)
    np.testing.assert_allclose(autodiff.jit(run)(x), expected, rtol=1e-13)
    several = np.stack([x, 1.2 * x])
    np.testing.assert_allclose(autodiff.vmap(run)(several), [run(one) for one in several], rtol=1e-13)


@pytest.mark.parametrize("name", FORMATS)
def test_matrices_of_scipy_in_whole_programs(name):
    a, dense = getattr(ss, name)(constant), constant.toarray()

    @autodiff.differentiable
    def filled(x):
        out = np.zeros(3)
        for k in range(3):
            out[k] = x[k] ** 2
        return a @ out + out @ a + (x[0] * a) @ v + a.multiply(x).sum() + a.multiply(2.0).sum()

    def by_hand(x):
        y = x**2
        return dense @ y + y @ dense + x[0] * (dense @ v) + np.sum(dense * x) + 2.0 * dense.sum()

    np.testing.assert_allclose(filled(v), by_hand(v), rtol=1e-13)
    np.testing.assert_allclose(autodiff.jacobian(filled)(v), autodiff.jacobian(by_hand)(v), rtol=1e-12)


def test_old_matrices_multiply_by_stars():
    a = ss.csr_matrix(constant)
    np.testing.assert_allclose(autodiff.jacobian(lambda x: a * x)(v), constant.toarray(), rtol=1e-13)
    np.testing.assert_allclose(autodiff.jacobian(lambda x: x * a)(v), constant.toarray().T, rtol=1e-13)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (lambda x: ss.csr_array(constant).multiply(x), "write A @ x for A.dot"),
        (lambda x: ss.csr_matrix(constant) + x, "all that is done with A.toarray"),  # numpy.matrix for SciPy
        (lambda x: x / ss.csr_array(constant), "divide of a csr_array and a traced"),
        (lambda x: ss.csr_array(constant) + x[0], "add of a csr_array"),
        (lambda x: ss.csr_array([1.0, 0.0, 2.0]) @ x, "a sparse array of 1 axes"),
        (lambda x: ss.csr_array(constant) @ [x[0], x[1], x[2]], "would become"),
    ],
)
def test_other_operations_with_matrices_of_scipy_are_refused(program, says):
    with pytest.raises((DifferentiationError, ConcretizationError), match=says):
        autodiff.vjp(program, v)


def test_a_sparse_matrix_times_a_number_is_written_with_a_star():
    with pytest.raises(ValueError, match=r"^a sparse matrix @ a number .* multiply by \*$"):
        autodiff.grad(lambda x: np.sum(ss.csr_array(constant) @ x[0]))(v)


def test_operators_without_entries_are_refused():
    a = scipy.sparse.linalg.aslinearoperator(ss.csr_array(constant))
    with pytest.raises(DifferentiationError, match=r"^a LinearOperator has no rule beside traced values"):
        autodiff.vjp(lambda b: sparse.linalg.cg(a, b)[0], v)


INCOMPLETE = scipy.sparse.random_array((6, 6), density=0.5, rng=1, format="csc") + 3 * scipy.sparse.eye_array(6).tocsc()


@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("entries", [INCOMPLETE, (INCOMPLETE * (1 + 0.5j)).tocsc()])
def test_incomplete_factors(trans, entries):
    own, plain = (m.spilu(entries, drop_tol=0.2) for m in (sparse.linalg, scipy.sparse.linalg))
    for b in (np.arange(6.0), np.arange(12.0).reshape(6, 2) ** 1.5, np.arange(6.0) * (1 + 2j)):
        if entries.dtype.kind == "c" and b.dtype.kind != "c":
            b = b + 0j
        if b.dtype.kind != entries.dtype.kind:  # which SciPy refuses
            continue
        found = autodiff.vjp(lambda b: own.solve(b, trans), b)[0]
        np.testing.assert_allclose(found, plain.solve(b, trans))
        check_laws(lambda b: own.solve(b, trans), (b,))
    assert own.shape == (6, 6)
    with pytest.raises(
        DifferentiationError, match=r"^spilu takes a constant matrix \(test_sparse.py:\d+\): its entries"
    ):
        autodiff.grad(
            lambda v: sparse.linalg.spilu(
                sparse.coo_array((v * np.ones(3), (range(3), range(3))), shape=(3, 3)).tocsc()
            )
        )(2.0)


def test_solvers_take_arrays_that_programs_have_made():
    """What NumPy makes while something is traced is no array of NumPy's, until SciPy gets it."""

    @autodiff.differentiable
    def program(x):
        u = np.linspace(1.0, 2.0, 36).reshape(6, 6)
        whole = u @ np.diag(np.arange(1.0, 7.0)) + 9 * np.eye(6)
        right = np.linspace(0.0, 1.0, 6) + 1.0
        A = scipy.sparse.csc_array(whole)
        values = scipy.sparse.linalg.svds(whole, k=2)[1], scipy.sparse.linalg.eigsh(whole + whole.T, k=2)[0]
        solutions = (
            scipy.sparse.linalg.spsolve(A, right),
            scipy.sparse.linalg.splu(A).solve(right),
            scipy.sparse.linalg.factorized(A)(right),
            scipy.sparse.linalg.gmres(whole, right, rtol=1e-12)[0],
            scipy.sparse.linalg.lsqr(whole, right, atol=1e-13, btol=1e-13)[0],
        )
        return x * sum(np.sum(part) for part in (*values, *solutions))

    value, slope = autodiff.value_and_grad(program)(2.0)
    assert value == pytest.approx(2.0 * slope, rel=1e-9)
    assert program(2.0) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("solver", ["lsqr", "lsmr"])
def test_norms_of_least_squares_at_zero(solver):
    A = sparse.csr_array(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]]))
    solve = getattr(sparse.linalg, solver)
    for damp in (0.0, 0.5):
        for transformed in (lambda f: f, autodiff.jit):
            grad = transformed(
                autodiff.grad(lambda b, damp=damp: sum(solve(A, b, damp)[k] for k in (3, 7 if solver == "lsmr" else 4)))
            )
            np.testing.assert_array_equal(grad(np.zeros(3)), np.zeros(3))


def test_tolerances_are_plain_numbers():
    A = sparse.csr_array(4 * np.eye(3))
    for solve in (sparse.linalg.cg, sparse.linalg.lsqr):
        name = "rtol" if solve is sparse.linalg.cg else "atol"

        def program(b, t, solve=solve, name=name):
            return np.sum(solve(A, b, **{name: t})[0])

        np.testing.assert_allclose(autodiff.grad(program)(np.ones(3), 1e-9), np.full(3, 0.25))
        with pytest.raises(ConcretizationError, match=rf"would become an argument of {solve.__name__} as {name}="):
            autodiff.jit(program)(np.ones(3), 1e-9)
