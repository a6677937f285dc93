"""Reading by every kind of index, and writing: items, slices, masks, views, in-place operators, out=."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.programs import Programs, check

programs = Programs()

V = np.array([0.9, -0.4, 1.3, 0.2, 2.2])
X = np.array([[0.3, -1.2, 0.7, 0.15], [1.6, 0.45, -0.8, 2.1], [-0.55, 0.9, 1.15, -0.35]])
T = np.sin(np.arange(24.0)).reshape(2, 3, 4)
PLACES = np.array([2, 0, 2])
MASK = X > 0
Z = X + 1j * X[::-1]

programs.table(
    {
        "integer": (lambda x: x[1] * x[-1], V),
        "numpy_integer": (lambda x: x[np.int64(1)] * x[np.argmax(V)], V),
        "pair": (lambda x: x[1, 2] * x[-1, -2], X),
        "chained": (lambda x: x[1][2] * x[0][1:3].sum(), X),
        "slice": (lambda x: x[1:4] + x[:3] + x[-3:], V),
        "slice_steps": (lambda x: x[::2] * x[::-2], V),
        "slice_reversed": (lambda x: x[::-1] * x, V),
        "slice_beyond": (lambda x: x[2:100], V),
        "slice_empty": (lambda x: x[3:1].sum() + x[0], V),
        "slice_object": (lambda x: x[slice(1, None)] - x[slice(None, -1)], V),
        "slice_numpy_bounds": (lambda x: x[np.int64(1) : np.int32(3)], V),
        "row_and_column": (lambda x: np.outer(x[0], x[:, 1]), X),
        "newaxis": (lambda x: x[:, None] - x[None, :], V),
        "np_newaxis": (lambda x: x[np.newaxis, :, np.newaxis], V),
        "ellipsis": (lambda x: x[..., 0] + x[0, ..., :2].sum(), T),
        "ellipsis_only": (lambda x: x[...] * 2, T),
        "integer_array": (lambda x: x[PLACES], V),
        "integer_list": (lambda x: x[[0, 0, 3]], V),
        "negative_integer_array": (lambda x: x[np.array([-1, -1, 0])], V),
        "integer_array_2d": (lambda x: x[np.array([[0, 1], [1, 4]])], V),
        "integer_array_rows": (lambda x: x[PLACES], X),
        "integer_array_columns": (lambda x: x[:, [3, 0, 0]], X),
        "two_integer_arrays": (lambda x: x[[0, 1, 2], [3, 3, 0]], X),
        "integer_arrays_broadcast": (lambda x: x[[[0], [2]], [1, 3]], X),
        "np_ix": (lambda x: x[np.ix_([0, 2], [1, 3])], X),
        "separated_arrays": (lambda x: x[[0, 1], :, [1, 2]], T),
        "array_and_newaxis": (lambda x: x[None, [0, 2], 1:], X),
        "array_and_integer": (lambda x: x[1, [0, 2]], X),
        "array_and_ellipsis": (lambda x: x[..., [0, 2]], T),
        "boolean_mask": (lambda x: x[MASK], X),
        "boolean_mask_of_x": (lambda x: x[x > 0.5], X),
        "boolean_mask_list": (lambda x: x[[True, False, True, False, True]], V),
        "boolean_mask_rows": (lambda x: x[np.array([True, False, True])], X),
        "boolean_mask_columns": (lambda x: x[:, np.array([True, False, True, True])], X),
        "boolean_mask_and_integer": (lambda x: x[np.array([True, False, True]), 1], X),
        "mask_combined": (lambda x: x[(x > 0) & ~(x > 1) | (x < -1)], X),
        "mask_sum": (lambda x: (x * (x > 0)).sum() + (x > 0).sum(), X),
        "flat_index": (lambda x: x.ravel()[5] + x.flatten()[-1], X),
        "flat_compared": (lambda x: np.where(x.flat > 0.0, x.ravel(), 0.3)[x.flat != x.max()] * 2.0, X),
        "dot_flat": (lambda x: x.flat[5] + x.flat[1:3].sum(), X),
        "item": (lambda x: x.item(2) * x[1:2].item(), V),
        "take": (lambda x: np.take(x, [0, 3, 3]) + x.take([0, 1, 2], axis=1)[0], X),
        "take_modes": (lambda x: np.take(x, [7, -1], mode="wrap") + np.take(x, [7, 0], mode="clip"), V),
        "take_along_axis": (lambda x: np.take_along_axis(x, np.array([[0, 0], [3, 1], [2, 2]]), axis=1), X),
        "compress_and_extract": (lambda x: np.compress([1, 0, 1], x, axis=0).sum() + np.extract(MASK, x).sum(), X),
        "nonzero": (lambda x: x[np.nonzero(x > 0)], X),
        "where_indices": (lambda x: x[np.where(x > 0)], X),
        "argwhere": (lambda x: sum(x[i, j] for i, j in np.argwhere(x > 1)), X),
        "unravel_index": (lambda x: x[np.unravel_index(np.argmax(x), x.shape)], X),
        "triu_indices": (lambda x: x[np.triu_indices(3)], X),
        "diag_indices": (lambda x: x[np.diag_indices(3)], X[:, :3]),
        "mgrid": (lambda x: x[tuple(np.mgrid[0:2, 1:3])], X),
        "delete_and_insert": (lambda x: np.insert(np.delete(x, 1), 2, x[0] ** 2), V),
        "tail_recursion_by_slices": (
            lambda x: (lambda f: f(f, x))(lambda f, a: a[0] if len(a) == 1 else a[0] * f(f, a[1:])),
            V,
        ),
    }
)


@programs(V)
def fill_zeros_like(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] ** 2
    return y


@programs(V)
def fill_zeros_with_like(x):
    y = np.zeros((3, len(x)), like=x)
    y[0] = x
    y[1, 1:] = x[:-1]
    y[2, ::2] = 7.0
    return y


@programs(V)
def fill_empty_like(x):
    y = np.empty_like(x)
    y[:] = np.sin(x)
    y[-1] = y[0] * y[1]
    return y


@programs(V)
def fill_copy(x):
    y = x.copy()
    y[0] = 0.0
    y[1:3] *= 2.0
    return y * x


@programs(V)
def fill_np_copy(x):
    y = np.copy(x)
    y[[0, 2]] = x[[1, 3]]
    return y


@programs(V)
def running_update(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] += x[i]
        if i:
            y[i] += 0.5 * y[i - 1]
    return y


@programs(V)
def fibonacci_like_recurrence(x):
    f = np.zeros(6, like=x)
    f[0], f[1] = x[0], x[1]
    for k in range(2, 6):
        f[k] = f[k - 1] * x[2] + f[k - 2]
    return f


@programs(X)
def matrix_by_elements(x):
    out = np.zeros((3, 3), like=x)
    for i in range(3):
        for j in range(3):
            for k in range(4):
                out[i, j] += x[i, k] * x[j, k]
    return out


@programs(X)
def matrix_by_rows(x):
    out = np.ones_like(x)
    for i, row in enumerate(x):
        out[i] = row / np.sum(row**2)
        out[i, 0] -= 1
    return out


@programs(X)
def write_columns(x):
    y = np.full_like(x, 2.0)
    y[:, 1] = x[:, 0]
    y[:, -1] += x.sum(axis=1)
    y[1:, :2] /= 3
    return y


@programs(X)
def write_through_view(x):
    y = x * 1.0
    row = y[1]
    row[:] = row**2
    row[0] += 5 * x[0, 0]
    return y.sum(axis=0) * row


@programs(X)
def write_through_transposed(x):
    y = x + 0
    y.T[0] = 1.0
    y.T[1] *= x[:, 2]
    return y


@programs(X)
def write_through_reshape(x):
    y = x * 2
    y.reshape(-1)[::5] = 0
    y.ravel()[1] = x[0, 0]
    return y


@programs(X)
def view_sees_later_write(x):
    y = x * 1.0
    top = y[0]
    y[0] = y[0] * y[1]
    y[0, 2] = x[2, 2] ** 3
    return top


@programs(X)
def base_is_untouched_by_copy(x):
    y = x[0].copy()
    y *= 3
    return x[0] * y


@programs(X)
def augmented_operators(x):
    y = x.copy()
    y += 1
    y -= x**2
    y *= 2
    y /= 3
    y **= 2
    return y


@programs(X)
def augmented_keeps_aliases(x):
    y = x * 1
    alias = y
    y += x
    return alias * y


@programs(V)
def augmented_scalar_rebinds(x):
    a = x[0]
    b = a
    a += x[1]
    a *= 2
    return a * b


@programs(V)
def augmented_total(x):
    total = 0
    for v in x:
        total += v**2
    total /= len(x)
    return np.sqrt(total)


@programs(V)
def augmented_plain_accumulator(x):
    total = np.zeros(3)
    for k in range(3):
        total = total + x[k : k + 3]
    return total


@programs(X)
def write_mask(x):
    y = x.copy()
    y[y < 0] = 0
    return y**2


@programs(X)
def write_mask_values(x):
    y = x.copy()
    y[MASK] = x[MASK] ** 2
    y[~MASK] *= -1
    return y


@programs(X)
def write_mask_add(x):
    y = np.zeros_like(x)
    y[x > 0] += x[x > 0]
    return y


@programs(X)
def write_integer_array(x):
    y = x.copy()
    y[[0, 2]] = y[[2, 0]]
    return y * x


@programs(V)
def write_repeated_integers(x):
    y = np.zeros_like(x)
    y[[1, 1, 3]] = x[:3]
    y[[0, 0]] += 1.5 * x[0]
    return y + x


@programs(X)
def write_ix(x):
    y = x.copy()
    y[np.ix_([0, 2], [1, 3])] = np.array([[1.0, 2.0], [3.0, 4.0]]) * x[0, 0]
    return y


@programs(X)
def write_diagonal(x):
    y = x[:, :3].copy()
    np.fill_diagonal(y, x[0, 3])
    y[np.diag_indices(3)] += x[:, 3]
    return y


@programs(X)
def write_newaxis_and_ellipsis(x):
    y = np.zeros((2, 3, 4), like=x)
    y[...] = x
    y[..., 0] = x[:, 1]
    y[1, ...] *= x
    return y


@programs(V)
def write_scalar_into_zero_dimensional(x):
    y = np.zeros((), like=x)
    y[()] = x[0]
    y += x[1] * y
    return y


@programs(X)
def add_at(x):
    y = np.zeros(4, like=x)
    np.add.at(y, [0, 1, 1, 3], x[0])
    np.subtract.at(y, 2, x[1, 1])
    return y


@programs(X)
def add_at_rows(x):
    y = np.zeros((2, 4), like=x)
    np.add.at(y, np.array([0, 1, 0]), x)
    return y


@programs(X)
def add_at_pairs(x):
    y = np.zeros((2, 2), like=x)
    np.add.at(y, ([0, 1, 0, 0], [1, 1, 1, 0]), x[1])
    return y


@programs(X)
def out_keyword(x):
    y = np.empty_like(x)
    np.multiply(x, x, out=y)
    np.add(y, 1, out=y)
    np.exp(y / 10, out=y)
    return y


@programs(X)
def out_slice(x):
    y = np.zeros_like(x)
    np.sin(x[0], out=y[1])
    np.sum(x, axis=0, out=y[2])
    return y


@programs(X)
def copyto(x):
    y = np.zeros_like(x)
    np.copyto(y, x[0])
    np.copyto(y, 2 * x, where=MASK)
    return y * y


@programs(V)
def put_and_place(x):
    y = x.copy()
    np.put(y, [0, 2], x[3:] ** 2)
    np.place(y, y > 2, [x[0], 1.0])
    np.putmask(y, y < 0, 3 * x)
    return y


@programs(X)
def put_along_axis(x):
    y = x.copy()
    np.put_along_axis(y, np.argmax(y, axis=1)[:, None], x[:, :1] ** 2, axis=1)
    return y


@programs(V)
def fill_and_sort_methods(x):
    y = x.copy()
    y.sort()
    z = np.empty_like(x)
    z.fill(x[0])
    return y * z


@programs(V)
def swap_elements(x):
    y = x.copy()
    y[0], y[1] = y[1], y[0]
    y[[2, 3]] = y[[3, 2]]
    return y * np.arange(5)


@programs(V)
def bubble_sort(x):
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1] * 1.0, y[j] * 1.0
    return y * np.arange(5)


@programs(V)
def write_list(x):
    y = np.zeros((2, 2), like=x)
    y[0] = [x[0], 1.0]
    y[1] = (x[1] * x[2], x[3])
    return y


@programs(V)
def write_into_integer_shaped_like(x):
    n = x.shape[0]
    y = np.zeros(n + 2, like=x)
    y[1:-1] = x
    y[0], y[-1] = y[1], y[-2]
    return y[2:] - 2 * y[1:-1] + y[:-2]


@programs(V)
def triangular_solve_by_hand(x):
    low = np.array([[2.0, 0, 0], [1.0, 3.0, 0], [0.5, -1.0, 1.5]])
    y = np.zeros(3, like=x)
    for i in range(3):
        y[i] = (x[i] - low[i, :i] @ y[:i]) / low[i, i]
    return y


@programs(X)
def cholesky_by_hand(x):
    a = x @ x.T + np.eye(3)
    low = np.zeros_like(a)
    for i in range(3):
        for j in range(i + 1):
            s = a[i, j] - np.dot(low[i, :j], low[j, :j])
            low[i, j] = np.sqrt(s) if i == j else s / low[j, j]
    return low


@programs(X)
def gaussian_elimination(x):
    a = x.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i] -= a[k] * (a[i, k] / a[k, k])
    return a


@programs(X)
def gaussian_elimination_with_pivots(x):
    a = x.copy()
    for k in range(3):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
        a[k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k])
    return np.prod(np.diag(a))


@programs(V)
def thomas_algorithm(d):
    n = len(d)
    c, b = np.zeros(n, like=d), d.copy()
    c[0] = -1.0 / 4.0
    b[0] = b[0] / 4.0
    for i in range(1, n):
        m = 4.0 + c[i - 1]
        c[i] = -1.0 / m
        b[i] = (b[i] + b[i - 1]) / m
    for i in range(n - 2, -1, -1):
        b[i] -= c[i] * b[i + 1]
    return b


@programs(X)
def jacobi_sweep_in_place(x):
    u = x.copy()
    for _ in range(3):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u


@programs(X)
def gauss_seidel_in_place(x):
    u = x.copy()
    for _ in range(2):
        for j in range(1, 3):
            u[1, j] = 0.25 * (u[0, j] + u[2, j] + u[1, j - 1] + u[1, j + 1])
    return u


@programs(V)
def dynamic_programming_table(x):
    table = np.zeros((4, 4), like=x)
    for i in range(1, 4):
        for j in range(1, 4):
            cost = (x[i] - x[j - 1]) ** 2
            table[i, j] = cost + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[-1, -1]


@programs(Z)
def complex_assignment(z):
    y = np.zeros_like(z)
    y[0] = z[1] * 1j
    y[1:] += z[:-1].conj()
    return y


@programs(X)
def real_into_complex(x):
    y = np.zeros(x.shape, dtype=complex, like=x)
    y[:] = x
    y[0] *= 1j
    return np.abs(y) ** 2


@programs(X.astype(np.float32))
def single_precision_buffer(x):
    y = np.zeros(x.shape, dtype=x.dtype, like=x)
    y[0] = x[1] * 2
    y += 1.5
    return y


@programs(V)
def loop_over_ndindex(x):
    y = np.zeros((2, 2), like=x)
    for i, j in np.ndindex(2, 2):
        y[i, j] = x[i] ** j
    return y


@programs(X)
def loop_over_ndindex_of_shape(x):
    total = 0.0
    for index in np.ndindex(x.shape):
        total = total + x[index] * sum(index)
    return total


@programs(X)
def stop_writing_into_argument(x):
    x = x.copy()
    x[0] = 1
    return x


@programs(X)
def write_into_argument(x):
    x[0] = x[1] * 2
    x[:, 0] += 1
    return x**2


@programs(V)
def in_place_on_slice(x):
    y = x * 1.0
    y[1:] -= y[:-1]
    y[::2] *= y[::2]
    return y


@programs(V)
def overlapping_shift(x):
    y = x.copy()
    y[1:] = y[:-1]
    return y * x


@programs(X)
def roll_and_flip(x):
    return np.roll(x, 1, axis=0) * np.flip(x, 1) + np.roll(x, (1, -1), axis=(0, 1)) + np.rot90(np.rot90(x))


@programs(X)
def pad_modes(x):
    modes = ("constant", "edge", "reflect", "symmetric", "wrap")
    return sum((k + 1) * np.pad(x, 1, mode=m) for k, m in enumerate(modes))


@programs(X)
def resize_tile_repeat(x):
    return np.tile(x, (2, 1)).sum() + np.repeat(x, [1, 0, 2], axis=0) @ np.ones(4)


@programs(X)
def asarray_shares(x):
    y = x * 1.0
    z = np.asarray(y, like=y)
    z[0] = 1.0
    w = np.ascontiguousarray(y, like=y)
    w[1] *= x[2]
    return y


@programs(X)
def asarray_of_transposed_copies(x):
    y = x * 1.0
    w = np.ascontiguousarray(y.T, like=y)
    w[0] = 5.0
    return y.T * w


@programs(X)
def astype_without_copy_shares(x):
    y = x * 1.0
    y.astype(y.dtype, copy=False)[0] = 3.0
    y.astype(y.dtype)[1] = 4.0
    return y * x


@programs(X)
def einsum_view_shares(x):
    y = x[:, :3] * 1.0
    np.einsum("ij->ji", y)[0] = 2.0
    np.einsum("ii->i", y)[:] += x[0, :3]
    return y


@programs(X)
def view_shares(x):
    y = x * 1.0
    y.view()[0] = 2.0
    y[...][1] = x[0]
    return y


@programs(X)
def flat_reads_copies_and_writes_through(x):
    y = x.T * 1.0
    part = y.flat[1:4]
    y.flat[::5] = x[0, :3]
    y.flat[1] += 2.0
    z = np.zeros_like(x)
    z.flat = x[0]
    return part * y[1, 0], z * x, np.sum(y.flat)


@programs(Z)
def real_and_imaginary_assignment(z):
    y = z * 1
    y.real = np.abs(z) ** 2
    y.imag = 2.0
    return y * z


@programs(X)
def nan_guard_by_mask(x):
    y = np.log(x)
    y[np.isnan(y)] = 0
    return y


@programs(X)
def infinite_slope_under_mask(x):
    y = np.sqrt(np.where(x > 0, x, 0))
    y[x <= 0] = 0
    return y


@programs(X)
def mask_of_rows(x):
    y = x.copy()
    y[x[:, 0] > 0] = 0.5
    return y


@programs(V)
def take_with_out(x):
    y = np.zeros_like(x[:2])
    np.take(x, [0, 2], out=y)
    return y * y


@programs(V)
def partition_in_place(x):
    y = x.copy()
    y.partition(2)
    return y[2]


@programs(V)
def out_is_broadcast(x):
    y = np.zeros((2, 5), like=x)
    np.sin(x, out=y)
    return y


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])
