"""Ways of writing that occur everywhere: records, lists, branches, views, conversions."""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers

import numpy as np

try:
    import numpy as xp
except ImportError:
    xp = None


@dataclasses.dataclass
class State:
    pos: np.ndarray
    vel: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(2))

    def step(self, a: np.ndarray, dt: float = 0.1) -> "State":
        return State(self.pos + dt * self.vel, self.vel + dt * np.array([a[0], math.sin(a[1])]))


class Base:
    def __init__(self, n):
        self.__buf = np.zeros(n)
        self.n = n

    def put(self, i, v):
        self.__buf[i] = v

    def get(self):
        return self.__buf


class Derived(Base):
    def __init__(self, n):
        super().__init__(n)
        self.extra = [np.zeros(n) for _ in range(2)]

    def fill(self, x):
        for i in range(self.n):
            self.put(i, x[i] ** 2)
            self.extra[i % 2][i] += x[i]
        return np.sum(self.get()) + np.sum(self.extra[0] * self.extra[1] + self.extra[0])


counter = 0


def records(x):
    global counter
    counter += 1
    s = State(np.array([x[0], x[1]]))
    for _ in range(3):
        s = s.step(x)
    return s.pos @ s.vel + Derived(3).fill(x)


def lists(x):
    a, b = np.zeros((2, 3))
    a[:] = x
    b[0] = a[1] * x[2]
    L = [x[0], x[1] * 2]
    L.append(float(x[2]))
    m = np.array(L)
    best = max(L)
    worst = sorted(L)[0]
    out = np.full((2, 2), np.nan)
    out[:] = np.outer(m[:2], m[:2])
    d = {"k": np.ones(2)}
    d["k"][1] = x[0]
    d["k"] *= x[1]
    return best * worst + np.trace(out) + (a * b).sum() + d["k"].sum() + np.median(L) + np.sort(L)[1]


def branches(x):
    def fact(n):
        return x[0] if n == 0 else n * fact(n - 1) + x[1]

    try:
        v = math.log(x[1])
    except ValueError:
        v = math.log(-x[1])
    mn = float("inf")
    for e in x:
        if e < mn:
            mn = e
    match x.shape:
        case (3,):
            k = 2.0
        case _:
            k = 3.0
    y = (z := x[2] * k) + z
    assert isinstance(x[0], numbers.Real)
    return fact(3) + v + mn + y + sum(t for t in map(lambda q: q * q, x)) + xp.prod([x[0], x[1]])


def matrices(x, *, dtype=np.float64):
    x = np.asarray(x, dtype=dtype)
    n = len(x)
    A = np.zeros((n, n), dtype=dtype)
    A[np.arange(n), np.arange(n)] = 2 + x**2
    A[np.triu_indices(n, 1)] = x
    A += A.T
    w, v = np.linalg.eigh(A)
    b = np.empty(n)
    b.fill(x[0])
    b[1:] -= x[1:]
    c = np.zeros(n)
    np.dot(A, b, out=c)
    lo, hi = np.split(np.concatenate([c, [x[0]]]), 2)
    M = np.hstack((A, c[:, np.newaxis]))
    M[0, -1] **= 2
    stack = np.vstack([c, b])
    stack[stack < 0] = 0.0
    idx = np.argsort(c)
    c[idx[0]] *= 3
    g = np.gradient(c)
    cs = np.cumsum(c)
    cs[-1] = 0
    K = np.tile(x, (2, 1))
    K[1] *= -1
    return (
        w.sum()
        + lo @ hi
        + M.sum()
        + stack.sum()
        + c @ c
        + g.sum()
        + cs.sum()
        + (K**2 * np.array([[1.0], [2.0]])).sum()
        + np.where(c > 0, c, 0).sum()
    )


def grids(x):
    grid = np.linspace(-1, 1, 5)
    u = np.exp(-(grid**2))
    v = u
    v[2] = x[0]
    w = np.interp(0.3, grid, u)
    X, Y = np.meshgrid(grid, grid)
    Z = X * x[1] + Y
    Z[0, :] = x[2]
    rows = [row * x[0] for row in Z]
    T = np.array(rows).T
    T[-1] = T[0] * 2
    q = T.copy()
    q[0, 0] = 5.0
    poly = np.poly1d([1.0, 2.0])(x[0])
    return u.sum() + w + Z.mean() + T.std() + q.sum() * 0.1 + poly + np.trapezoid(u, grid) + np.polyfit(grid, u, 2)[0]


def recursion(x):
    cache = {}

    def fib(n):
        if n not in cache:
            cache[n] = x[n] if n < 2 else fib(n - 1) * 0.5 + fib(n - 2)
        return cache[n]

    pts = [(x[0], x[1]), (x[1], x[2]), (1.0, 2.0)]
    area = 0.5 * abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(pts, pts[1:] + pts[:1])))
    cen = np.mean(pts, axis=0)
    dist = [math.dist(p, cen) for p in pts]
    r = functools.reduce(lambda a, b: a + b**2, x, 0.0)
    cov = np.cov(np.array(pts).T)
    return (
        fib(6)
        + area
        + sum(dist)
        + r
        + np.linalg.det(cov + np.eye(2))
        + np.linalg.norm(np.subtract(pts[0], pts[1]))
        + np.cross([x[0], x[1], 0], [0, 1, x[2]])[2]
    )


def masks(x):
    n = 4
    hist = np.zeros(n)
    cnt = np.zeros(n, dtype=int)
    for i in range(n):
        hist[i % 2] += x[i % 3]
        cnt[i % 2] += 1
    hist[:2] /= cnt[:2]
    mask = hist > 0
    hist[mask] = np.sqrt(hist[mask])
    z = np.zeros(n, dtype=complex)
    z[0] = x[0] + 1j * x[1]
    z[1:] = np.exp(1j * x[2])
    f = np.fft.fft(z)
    B = np.zeros((2, 2, 2))
    B[0] = np.outer(x[:2], x[1:])
    B[1, :, 0] = x[0]
    return hist.sum() + np.abs(f).sum() + np.einsum("ijk,k->ij", B, [1.0, 2.0]).sum() + float(np.real(z[0]))


def conversions(x):
    x_new = x.copy() if isinstance(x, np.ndarray) else np.array(x)
    x_new[0] = x_new[0] ** 2
    lst = x_new.tolist()
    lst[1] += 1
    arr = np.asarray(lst, dtype=float)
    arr -= arr.mean()
    arr /= arr.std()
    s = "%5.2f %s %d" % (arr[0], "a", 3)
    w = np.array([1, 2, 3]) * np.float64(2.0)
    w[0] *= x[0]
    t = np.zeros(())
    t += x[1]
    return arr[0] + w.sum() + len(s) + t * 2 + np.ones(3) @ w
