"""Integrators, stencils, bodies, rays, splines, chains of transformations: science by the hand of its users."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.programs import Programs, check

programs = Programs()

Y0 = np.array([1.0, 0.3])
RATES = np.array([0.7, 0.4, 0.9, 0.3])
FIELD = np.sin(np.arange(8.0) + 0.3) + 0.1 * np.arange(8.0)
GRID = np.sin(np.arange(30.0)).reshape(5, 6)
BODIES = np.array([[0.0, 0.1, 0.0], [1.0, 0.0, 0.3], [0.2, 1.1, -0.4]])
MASSES = np.array([1.0, 0.5, 0.8])


def rk4(f, y, t, h):
    k1 = f(y, t)
    k2 = f(y + h / 2 * k1, t + h / 2)
    k3 = f(y + h / 2 * k2, t + h / 2)
    k4 = f(y + h * k3, t + h)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@programs(Y0, RATES)
def lotka_volterra_rk4(y, rates):
    a, b, c, d = rates

    def f(state, t):
        prey, predator = state
        return np.stack([a * prey - b * prey * predator, c * prey * predator - d * predator])

    path = [y]
    for k in range(6):
        path.append(rk4(f, path[-1], 0.1 * k, 0.1))
    return np.stack(path)


@programs(Y0, 0.4)
def van_der_pol_with_like(y, mu):
    def f(s, t):
        return np.array([s[1], mu * (1 - s[0] ** 2) * s[1] - s[0]], like=s)

    for _ in range(5):
        y = rk4(f, y, 0.0, 0.2)
    return y


@programs(Y0, 1.3)
def pendulum_into_buffer(y, length):
    path = np.zeros((8, 2), like=y)
    path[0] = y
    for k in range(1, 8):
        theta, omega = path[k - 1]
        path[k, 1] = omega - 0.1 * 9.81 / length * np.sin(theta)
        path[k, 0] = theta + 0.1 * path[k, 1]
    return path


@programs(Y0)
def adaptive_euler(y):
    t, h = 0.0, 0.3
    while t < 1.0:
        full = y + h * np.sin(y)
        half = y + h / 2 * np.sin(y)
        half = half + h / 2 * np.sin(half)
        if np.max(np.abs(full - half)) > 0.02:
            h /= 2
            continue
        y, t = half, t + h
    return y


@programs(Y0, 0.8)
def implicit_euler_by_newton(y, k):
    for _ in range(3):
        new = y
        for _ in range(6):
            residual = new - y + 0.1 * k * new**3
            new = new - np.linalg.solve(np.eye(2) + np.diag(0.3 * k * new**2), residual)
        y = new
    return y


@programs(np.array([1.0, 1.0, 1.0]), np.array([10.0, 28.0, 2.67]))
def lorenz(y, p):
    for _ in range(5):
        x, v, z = y
        y = y + 0.01 * np.stack((p[0] * (v - x), x * (p[1] - z) - v, x * v - p[2] * z))
    return y


@programs(BODIES, MASSES)
def gravity_potential(x, m):
    d = x[:, None, :] - x[None, :, :]
    r = np.sqrt((d**2).sum(-1) + 1e-2)
    return -0.5 * np.sum(m[:, None] * m * (1 - np.eye(3)) / r)


@programs(BODIES, 0.1 * BODIES[::-1], MASSES)
def n_body_leapfrog(x, v, m):
    def acceleration(x):
        d = x[None] - x[:, None]
        return np.einsum("ijk,ij,j->ik", d, (np.sum(d**2, axis=-1) + 0.1) ** -1.5, m)

    for _ in range(3):
        v = v + 0.05 * acceleration(x)
        x = x + 0.1 * v
        v += 0.05 * acceleration(x)
    return x, v


@programs(BODIES)
def pair_energy_by_loops(x):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            r = np.linalg.norm(x[i] - x[j])
            energy += 4 * ((0.8 / r) ** 12 - (0.8 / r) ** 6)
    return energy


@programs(BODIES)
def distance_matrix(x):
    squares = np.sum(x**2, axis=1)
    d2 = squares[:, None] + squares[None, :] - 2 * x @ x.T
    return np.sqrt(np.maximum(d2, 0)[np.triu_indices(3, k=1)])


@programs(BODIES, np.array([0.3, -0.5, 0.8]))
def quaternion_rotation(x, axis):
    angle = np.linalg.norm(axis)
    w, (a, b, c) = np.cos(angle / 2), axis / angle * np.sin(angle / 2)
    rotation = np.stack(
        [
            np.stack([1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)]),
            np.stack([2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)]),
            np.stack([2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)]),
        ]
    )
    return x @ rotation.T


@programs(np.array([0.3, -0.5, 0.8]))
def rodrigues(w):
    theta = np.sqrt(w @ w)
    k = np.zeros((3, 3), like=w)
    k[0, 1], k[0, 2], k[1, 2] = -w[2], w[1], -w[0]
    k -= k.T
    return np.eye(3) + np.sin(theta) / theta * k + (1 - np.cos(theta)) / theta**2 * k @ k


@programs(FIELD, 0.7)
def heat_equation_slices(u, kappa):
    for _ in range(4):
        u = np.concatenate([u[:1], u[1:-1] + 0.2 * kappa * (u[2:] - 2 * u[1:-1] + u[:-2]), u[-1:]])
    return u


@programs(FIELD, 0.7)
def heat_equation_in_place(u, kappa):
    u = u.copy()
    for _ in range(4):
        u[1:-1] += 0.2 * kappa * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@programs(FIELD)
def burgers_by_roll(u):
    for _ in range(4):
        u = u - 0.1 * u * (np.roll(u, -1) - np.roll(u, 1)) + 0.05 * (np.roll(u, -1) - 2 * u + np.roll(u, 1))
    return u


@programs(FIELD)
def upwind_advection(u):
    for _ in range(3):
        u = u - 0.1 * np.where(u > 0, u * (u - np.roll(u, 1)), u * (np.roll(u, -1) - u))
    return u


@programs(GRID)
def wave_equation(u):
    before = u
    for _ in range(3):
        laplacian = sum(np.roll(u, s, axis=a) for s in (1, -1) for a in (0, 1)) - 4 * u
        u, before = 2 * u - before + 0.1 * laplacian, u
    return u


@programs(GRID)
def poisson_jacobi(f):
    u = np.zeros_like(f)
    for _ in range(5):
        new = np.zeros_like(f)
        new[1:-1, 1:-1] = 0.25 * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - f[1:-1, 1:-1])
        u = new
    return u


@programs(np.abs(GRID) + 0.1, 1 + np.abs(GRID[::-1]))
def gray_scott(u, v):
    for _ in range(2):
        lu, lv = (np.pad(w, 1, mode="wrap") for w in (u, v))
        lu, lv = (w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] - 4 * w[1:-1, 1:-1] for w in (lu, lv))
        u, v = u + 0.1 * lu - 0.02 * u * v**2, v + 0.05 * lv + 0.02 * u * v**2
    return u, v


@programs(FIELD)
def spectral_heat(u):
    k = np.fft.rfftfreq(8, d=1 / 8)
    return np.fft.irfft(np.fft.rfft(u) * np.exp(-0.01 * k**2), n=8)


@programs(GRID)
def spectral_poisson(f):
    kx, ky = np.meshgrid(np.fft.fftfreq(5), np.fft.fftfreq(6), indexing="ij")
    k2 = kx**2 + ky**2
    k2[0, 0] = 1
    return np.real(np.fft.ifft2(np.fft.fft2(f) / k2))


@programs(FIELD)
def split_step_schroedinger(psi):
    psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2)) + 0j
    k = 2 * np.pi * np.fft.fftfreq(8)
    for _ in range(3):
        psi = np.exp(-0.1j * np.abs(psi) ** 2) * psi
        psi = np.fft.ifft(np.exp(-0.05j * k**2) * np.fft.fft(psi))
    return np.abs(psi) ** 2


@programs(0.3, np.array([0.5, -0.2]))
def ray_through_lenses(angle, heights):
    y, out = heights, []
    for f, d in ((2.0, 0.5), (-1.5, 0.3), (1.0, 1.0)):
        angle = angle - y / f
        y = y + d * np.tan(angle)
        out.append(y)
    return np.stack(out)


@programs(np.array([0.1, -0.4]), 1.5)
def refraction_at_a_sphere(height, index):
    z = 2.0 - np.sqrt(4.0 - height**2)
    normal = np.stack([z - 2.0, height]) / 2.0
    ray = np.stack([np.ones_like(height), np.zeros_like(height)])
    cosine = -np.sum(normal * ray, axis=0)
    ratio = 1 / index
    return ratio * ray + (ratio * cosine - np.sqrt(1 - ratio**2 * (1 - cosine**2))) * normal


@programs(np.array([1.4, 2.2, 1.7]), np.array([0.1, 0.25, 0.15]))
def thin_film_reflection(n, d):
    total = np.eye(2) + 0j
    for nk, dk in zip(n, d):
        delta = 2 * np.pi * nk * dk / 0.55
        total = total @ np.array(
            [[np.cos(delta), 1j * np.sin(delta) / nk], [1j * nk * np.sin(delta), np.cos(delta)]], like=n
        )
    b, c = total @ np.array([1.0, 1.5])
    return np.abs((b - c) / (b + c)) ** 2


@programs(np.array([0.2, 0.7, -0.3, 0.5, 0.1]))
def natural_cubic_spline(y):
    n, h = len(y), 0.5
    a = np.diag(np.full(n - 2, 4 * h)) + np.diag(np.full(n - 3, h), 1) + np.diag(np.full(n - 3, h), -1)
    m = np.concatenate([[0.0], np.linalg.solve(a, 6 * np.diff(y, 2) / h), [0.0]])
    t = np.array([0.2, 0.9, 1.4])
    k = (t / h).astype(int)
    u = t - k * h
    slope = (y[k + 1] - y[k]) / h - h * (2 * m[k] + m[k + 1]) / 6
    return y[k] + slope * u + m[k] / 2 * u**2 + (m[k + 1] - m[k]) / (6 * h) * u**3


@programs(np.array([0.0, 0.4, 0.1, 0.9]), 0.37)
def bezier_by_de_casteljau(points, t):
    while len(points) > 1:
        points = (1 - t) * points[:-1] + t * points[1:]
    return points[0]


@programs(np.array([0.0, 0.4, 0.1, 0.9, 0.3]), 1.37)
def b_spline_by_recursion(c, t):
    def basis(i, k):
        if k == 0:
            return np.where((i <= t) & (t < i + 1), 1.0, 0.0)
        return (t - i) / k * basis(i, k - 1) + (i + k + 1 - t) / k * basis(i + 1, k - 1)

    return sum(c[i] * basis(i - 2, 2) for i in range(5))


@programs(np.array([0.5, -0.3, 0.2]), 0.6)
def chebyshev_clenshaw(c, x):
    b1 = b2 = 0.0
    for a in c[:0:-1]:
        b1, b2 = 2 * x * b1 - b2 + a, b1
    return x * b1 - b2 + c[0]


@programs(np.array([0.4, 0.9]))
def legendre_recurrence(x):
    p = [np.ones_like(x), x]
    for n in range(1, 5):
        p.append(((2 * n + 1) * x * p[n] - n * p[n - 1]) / (n + 1))
    return np.array(p, like=x)


@programs(1.3)
def bessel_by_series(x):
    total = term = 1.0
    for k in range(1, 12):
        term = term * -(x**2) / 4 / k**2
        total = total + term
    return total


@programs(0.7)
def arithmetic_geometric_mean(k):
    a, g = 1.0, np.sqrt(1 - k**2)
    while abs(a - g) > 1e-13:
        a, g = (a + g) / 2, np.sqrt(a * g)
    return np.pi / 2 / a


@programs(0.7, 0.3)
def kepler_equation(mean_anomaly, eccentricity):
    e = mean_anomaly
    for _ in range(12):
        e = e - (e - eccentricity * np.sin(e) - mean_anomaly) / (1 - eccentricity * np.cos(e))
    return np.stack([np.cos(e) - eccentricity, np.sqrt(1 - eccentricity**2) * np.sin(e)])


@programs(np.array([0.3, 0.8, -0.2]))
def robot_arm(angles):
    total = np.cumsum(angles)
    lengths = np.array([1.0, 0.7, 0.4])
    return np.sum(lengths * np.cos(total)), np.sum(lengths * np.sin(total))


@programs(np.array([[0.1, 0.2], [0.9, 1.3], [2.1, 0.4], [3.0, 1.0]]))
def hanging_chain_energy(points):
    segments = np.diff(points, axis=0)
    return np.sum(points[:, 1]) + 5 * np.sum((np.hypot(*segments.T) - 1) ** 2)


@programs(np.array([1.0, 2.0]), np.array([0.5, 0.1]))
def gradient_descent_inside(x, c):
    for _ in range(10):
        x = x - 0.1 * (4 * x**3 - 2 * x + c)
    return x


@programs(np.array([0.2, 0.5]), 1.5)
def ising_mean_field(field, coupling):
    m = np.zeros_like(field)
    for _ in range(8):
        m = np.tanh(field + coupling * 0.3 * m)
    return m


@programs(np.linspace(0.2, 1.0, 4), np.array([0.3, 1.7]))
def partition_function(energies, temperatures):
    weights = np.exp(-energies[None] / temperatures[:, None])
    z = weights.sum(1, keepdims=True)
    return -temperatures * np.log(z[:, 0]), (weights / z) @ energies


@programs(np.array([0.6, 0.8]), np.array([[0.5, 0.2], [0.2, -0.3]]))
def quantum_expectation(psi, h):
    w, v = np.linalg.eigh(h)
    evolved = v @ (np.exp(-1j * w) * (v.T @ psi))
    return np.real(np.vdot(evolved, np.array([[0, 1], [1, 0]]) @ evolved))


@programs(FIELD)
def adjoint_of_lag_filter(x):
    y = np.zeros(len(x), like=x)
    for n in range(len(x)):
        y[n] = 0.5 * x[n]
        if n >= 1:
            y[n] += 0.3 * y[n - 1] - 0.1 * x[n - 1]
    return y


@programs(FIELD)
def haar_wavelets(x):
    out = []
    while len(x) > 1:
        out.append((x[::2] - x[1::2]) / np.sqrt(2))
        x = (x[::2] + x[1::2]) / np.sqrt(2)
    return np.concatenate([*out, x])


@programs(GRID, np.array([[0.1, 0.5, 0.1], [0.2, -1.0, 0.2], [0.1, 0.5, 0.1]]))
def convolution_by_loops(image, kernel):
    out = np.zeros((3, 4), like=image)
    for i in range(3):
        for j in range(4):
            out[i, j] = np.sum(image[i : i + 3, j : j + 3] * kernel)
    return out


@programs(GRID, np.array([[0.1, 0.5, 0.1], [0.2, -1.0, 0.2], [0.1, 0.5, 0.1]]))
def convolution_by_shifts(image, kernel):
    return sum(kernel[a, b] * image[a : a + 3, b : b + 4] for a in range(3) for b in range(3))


@programs(GRID, np.array([[0.1, 0.5], [0.2, -1.0]]))
def convolution_by_fft(image, kernel):
    s = (6, 7)
    return np.fft.irfft2(np.fft.rfft2(image, s) * np.fft.rfft2(kernel, s), s)


@programs(GRID)
def bilinear_interpolation(image):
    y, x = np.array([0.3, 2.6]), np.array([1.2, 3.7])
    i, j = np.floor(y).astype(int), np.floor(x).astype(int)
    a, b = y - i, x - j
    return (
        (1 - a) * (1 - b) * image[i, j]
        + a * (1 - b) * image[i + 1, j]
        + (1 - a) * b * image[i, j + 1]
        + a * b * image[i + 1, j + 1]
    )


@programs(np.array([0.31, 2.62]), np.array([1.23, 3.74]))
def bilinear_interpolation_of_places(y, x):
    i, j = np.floor(y).astype(int), np.floor(x).astype(int)
    a, b = y - i, x - j
    return (1 - a) * (1 - b) * GRID[i, j] + a * b * GRID[i + 1, j + 1]


@programs(GRID)
def total_variation(image):
    dx, dy = np.diff(image, axis=0)[:, :-1], np.diff(image, axis=1)[:-1]
    return np.sum(np.sqrt(dx**2 + dy**2 + 1e-3))


@programs(GRID)
def max_pooling(image):
    return image[:4].reshape(2, 2, 3, 2).max(axis=(1, 3))


@programs(GRID)
def image_gradient_norm(image):
    gy, gx = np.gradient(image)
    return np.hypot(gx, gy).mean()


@programs(np.array([0.3, 0.9, 0.5]), np.array([1.0, 2.0, 1.5]))
def rc_ladder_by_complex_impedance(r, c):
    z = 1e3 + 0j
    for rk, ck in zip(r, c):
        z = rk + 1 / (1j * 2.0 * ck + 1 / z)
    return np.abs(z), np.angle(z)


@programs(np.array([[0.0, 0.0], [1.0, 0.1], [0.9, 1.2], [0.1, 0.8]]))
def polygon_area(p):
    x, y = p.T
    return 0.5 * np.abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))


@programs(np.array([[0.0, 0.0, 0.1], [1.0, 0.1, 0.0], [0.2, 1.1, 0.3]]))
def triangle_normal(p):
    n = np.cross(p[1] - p[0], p[2] - p[0])
    return n / np.linalg.norm(n)


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])
