"""What is proved of a program's kernels, and what becomes of one that might leave its memory."""

import warnings

import numpy as np
import pytest

from autodiff import grad, jacfwd, jit, scan
from autodiff.backends import cache, checked
from autodiff.backends.kernels import launching
from autodiff.backends.kernels.programs import program
from autodiff.backends.passes.fusion import cost
from autodiff.backends.verifier import proof
from autodiff.backends.verifier.launch import Array, Launch, UnprovedKernelWarning
from tests.backends.kernels.running import needs_numba

pytestmark = needs_numba


def running_products(x):
    return scan(lambda c, xk: (0.9 * c + xk, c), 0.0, x)[1] * np.exp(x)


def doubled(a, b, x):
    for k in range(7):
        x = np.tanh(x * np.concatenate([np.exp(a * k), b]))
    return x


@pytest.fixture
def unguarded(monkeypatch):
    """Axes are taken for rows by their length, as they once were."""
    monkeypatch.setattr(program, "refuse_mixed_rows", lambda tape, rows: None)
    program.kernel_or_refusal.cache_clear()
    yield
    program.kernel_or_refusal.cache_clear()


@pytest.mark.parametrize(
    ("fun", "arguments"),
    [
        (running_products, (np.linspace(0, 1, 100_000),)),
        (doubled, (np.ones(2048), np.ones(2048), np.linspace(0, 1, 4096))),
    ],
)
def test_programs_that_wrote_beyond_their_memory_are_stopped_by_the_proof_alone(unguarded, fun, arguments):
    with pytest.warns(
        UnprovedKernelWarning, match="could not be proved that its kernel stays within its memory"
    ) as seen:
        found = jit(fun)(*arguments)
    np.testing.assert_allclose(found, fun(*arguments), rtol=1e-12)
    assert "bytes of word" in str(seen[0].message)


def corners(v):
    """Several kernels of rows, of which some write for others to the memory that they share."""
    w = np.where(v > 0.5, 0.1, v)
    w[..., [0, -1]] -= 0.5
    return np.exp(w * w) / (1.0 + np.sum(w, axis=0))


@pytest.mark.parametrize("size", [255, 300])
def test_what_is_not_proved_writes_to_the_memory_that_others_read(monkeypatch, size):
    """Nothing is proved: each part of the program runs as NumPy, in the workspace of the program."""

    def refused(self):
        raise launching.UnprovedKernelError("a kernel may leave its memory")

    monkeypatch.setattr(launching.KernelLaunch, "bound", refused)
    v = np.linspace(-1, 1, size * size).reshape(size, size)
    with pytest.warns(UnprovedKernelWarning):
        found = [jit(corners)(v), jit(grad(lambda x: np.sum(corners(x))))(v)]
    np.testing.assert_allclose(found[0], corners(v), rtol=1e-12)
    np.testing.assert_allclose(found[1], grad(lambda x: np.sum(corners(x)))(v), rtol=1e-12)


def test_parts_do_not_meet_in_what_the_first_one_does_alone(monkeypatch):
    """A result that is the same for all rows is written by the first part of a kernel that threads share."""

    monkeypatch.setattr(cost, "ALONE", 0.0)  # else the program is one kernel
    monkeypatch.setattr(cost, "BY_INDEX", {})
    v = np.linspace(-1, 1, 65_025).reshape(255, 255)

    def columns(x):
        return jacfwd(lambda c: corners(x + c[0] + c[1] * 0.5))(np.zeros(2))

    program = jit(columns)
    with warnings.catch_warnings(action="error"):
        found = program(v)
    assert "if lo == 0" in str(program.kernels(v))
    np.testing.assert_allclose(found, columns(v), rtol=1e-12)


def test_a_count_that_grows_does_not_hide_what_else_is_kept():
    """Places that are kept are proved beside a count, of which nothing need be known."""

    def fun(x):
        most = np.max(x, axis=0, keepdims=True)
        return np.sum(most * x[0]), np.argsort(most, axis=-1, kind="stable")

    x = np.ones((2, 16), np.float32)
    program = jit(lambda x: grad(fun, has_aux=True)(x))
    with warnings.catch_warnings(action="error"):
        found = program(x)
    np.testing.assert_allclose(found[0], grad(fun, has_aux=True)(x)[0])
    np.testing.assert_array_equal(found[1], [range(16)])
    assert "load_int64(out1" in str(program.kernels(x))


@pytest.mark.parametrize("axis", [0, 1, None])
def test_sums_of_truths_are_checked_while_they_run(monkeypatch, axis):
    """A sum of truths says whether one of them holds, a product whether all do."""
    monkeypatch.setattr(checked, "CHECKED", True)
    for shape in ((2, 2), (3, 7), (40, 30)):
        x = np.random.default_rng(1).integers(0, 2, shape)
        for fold in (np.add.reduce, np.multiply.reduce):
            with warnings.catch_warnings(action="error"):
                found = jit(lambda x, fold=fold: fold(x, axis=axis, dtype=bool))(x)
            np.testing.assert_array_equal(found, fold(x, axis=axis, dtype=bool))


TEXT = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    for r in range(lo, hi):
        store_float64(x, r, f8(1.0))
"""


def test_a_proof_is_made_once_for_all_processes(monkeypatch, tmp_path):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path))
    made = []
    monkeypatch.setattr(proof, "faults_of", lambda *given: made.append(given) or [])
    for size in (10, 11, 10, 11):
        argument = launching.ArrayArgument(0, np.float64, True, size=size)
        launching.KernelLaunch(TEXT, [0], [argument], rows=size).bound()(np.zeros(size))
    assert len(made) == 2
    assert sum(each[2].endswith(cache.PROOF) for each in cache.files(tmp_path)) == 2


def test_a_proof_is_of_a_text_and_of_the_memory_that_it_has():
    argument = launching.ArrayArgument(0, np.float64, True, size=10)
    launching.KernelLaunch(TEXT, [0], [argument], rows=10).bound()(np.zeros(10))
    with pytest.raises(launching.UnprovedKernelError, match="from 0 to 88"):
        launching.KernelLaunch(TEXT, [0], [argument], rows=11).bound()


ALONE = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    if lo == {part}:
        for j in range({count}):
            store_float64(x, j, f8(1.0))
    for r in range(lo, hi):
        store_float64(x, {first} + r, f8(2.0))
"""


@pytest.mark.parametrize(
    ("part", "count", "first", "meet"),
    [(0, 8, 8, False), (0, 4, 0, False), (0, 5, 0, True), (4, 5, 0, True), (4, 4, 0, True), (8, 1, 8, True)],
)
def test_what_one_part_alone_writes_may_meet_what_others_do(part, count, first, meet):
    """Sixteen rows in parts of four; one writes to the beginning, too. A later one is refused even if none is there."""
    text = ALONE.format(part=part, count=count, first=first)
    launch = Launch({0: Array("x", 8 * (16 + first), "f8", True)}, 16, 4, True)
    found = proof.faults_of(text, launch)
    assert any("two parts meet" in fault.reason for fault in found) == meet
