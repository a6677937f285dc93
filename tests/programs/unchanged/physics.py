"""Equations of motion, heat and waves, on grids that are made first and filled later."""

import numpy
import numpy as np
from numpy import array, exp, linspace, pi, zeros
from scipy import integrate
from scipy.integrate import odeint, solve_ivp, trapezoid
from scipy.linalg import solve_banded, solve_triangular
from scipy.sparse import diags
from scipy.sparse.linalg import spsolve


def rk4_into_array(p):
    def f(t, y):
        return np.array([y[1], p[0] * (1 - y[0] ** 2) * y[1] - y[0]])

    n, h = 12, 0.1
    y = np.zeros((n, 2))
    y[0] = [p[1], 0.0]
    for i in range(n - 1):
        t = i * h
        k1 = f(t, y[i])
        k2 = f(t + h / 2, y[i] + h / 2 * k1)
        k3 = f(t + h / 2, y[i] + h / 2 * k2)
        k4 = f(t + h, y[i] + h * k3)
        y[i + 1] = y[i] + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.mean(y[:, 0] ** 2)


def lotka_volterra(p):
    a, b, c, d = p
    prey, predators = zeros(20), zeros(20)
    prey[0], predators[0] = 1.0, 0.5
    for t in range(19):
        prey[t + 1] = prey[t] + 0.05 * (a * prey[t] - b * prey[t] * predators[t])
        predators[t + 1] = predators[t] + 0.05 * (c * prey[t] * predators[t] - d * predators[t])
    return prey.sum() + (predators * predators).sum()


def heat_equation(p):
    nx, nt = 12, 8
    u = np.zeros(nx)
    u[4:8] = p[1]
    for n in range(nt):
        un = u.copy()
        for i in range(1, nx - 1):
            u[i] = un[i] + p[0] * (un[i + 1] - 2 * un[i] + un[i - 1])
    return np.sum(u * linspace(0, 1, nx))


def heat_equation_in_place(p):
    u = np.sin(pi * linspace(0, 1, 11))
    u_new = np.empty_like(u)
    for _ in range(5):
        u_new[1:-1] = u[1:-1] + p[0] * (u[2:] - 2 * u[1:-1] + u[:-2])
        u_new[0], u_new[-1] = p[1], 0.0
        u, u_new = u_new, u
    return u @ u


def burgers(nu):
    nx = 10
    x = numpy.linspace(0, 2, nx)
    u = numpy.ones(nx)
    u[2:5] = 2.0
    for n in range(4):
        un = u.copy()
        u[1:-1] = un[1:-1] - un[1:-1] * 0.05 * (un[1:-1] - un[:-2]) + nu[0] * 0.1 * (un[2:] - 2 * un[1:-1] + un[0:-2])
        u[0] = 1
        u[-1] = 1
    return float((u * x).sum())


def laplace(p):
    phi = np.zeros((6, 6))
    phi[0, :] = p[0]
    phi[:, -1] = p[1] * np.arange(6) / 5
    for _ in range(10):
        phi[1:-1, 1:-1] = 0.25 * (phi[2:, 1:-1] + phi[:-2, 1:-1] + phi[1:-1, 2:] + phi[1:-1, :-2])
    return phi[2, 3] + np.sum(phi**2) / 36


def wave_equation(c):
    n, steps = 15, 10
    u = np.zeros((steps, n))
    u[0] = exp(-((np.arange(n) - 7.0) ** 2) / 4)
    u[1] = u[0]
    for t in range(1, steps - 1):
        for i in range(1, n - 1):
            u[t + 1, i] = 2 * u[t, i] - u[t - 1, i] + c[0] ** 2 * (u[t, i + 1] - 2 * u[t, i] + u[t, i - 1])
    return (u[-1] ** 2).sum()


def crank_nicolson(p):
    n = 8
    A = np.zeros((n, n))
    B = np.zeros((n, n))
    for i in range(n):
        A[i, i] = 1 + p[0]
        B[i, i] = 1 - p[0]
        if i > 0:
            A[i, i - 1] = -p[0] / 2
            B[i, i - 1] = p[0] / 2
        if i < n - 1:
            A[i, i + 1] = -p[0] / 2
            B[i, i + 1] = p[0] / 2
    u = np.sin(np.linspace(0, np.pi, n)) * p[1]
    for _ in range(3):
        u = np.linalg.solve(A, B @ u)
    return u.sum()


def thomas(p):
    n = 6
    a, b, c = np.full(n - 1, p[0]), np.full(n, 3.0), np.full(n - 1, p[1])
    d = np.arange(1.0, n + 1)
    c_, d_, x = np.zeros(n - 1), np.zeros(n), np.zeros(n)
    c_[0], d_[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i - 1] * c_[i - 1]
        if i < n - 1:
            c_[i] = c[i] / m
        d_[i] = (d[i] - a[i - 1] * d_[i - 1]) / m
    x[-1] = d_[-1]
    for i in range(n - 2, -1, -1):
        x[i] = d_[i] - c_[i] * x[i + 1]
    return x @ x


def accelerations(positions, masses, softening):
    n = len(masses)
    a = np.zeros_like(positions)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = positions[j] - positions[i]
                a[i] += masses[j] * d / (np.dot(d, d) + softening**2) ** 1.5
    return a


def n_body(masses):
    positions = np.array([[0.0, 0.0], [1.0, 0.2], [-0.5, 0.9]])
    velocities = np.zeros((3, 2))
    for _ in range(4):
        velocities += 0.1 * accelerations(positions, masses, 0.1)
        positions += 0.1 * velocities
    return np.sum(positions**2)


def lennard_jones(x):
    points = x.reshape(-1, 2)
    energy = 0
    for i in range(len(points)):
        for j in range(i):
            r = np.linalg.norm([points[i, 0] - points[j, 0], points[i, 1] - points[j, 1]])
            energy += 4 * (1 / r**12 - 1 / r**6)
    return energy


def double_pendulum(p):
    theta = array([p[0], p[1]])
    omega = array([0.0, 0.0])
    for _ in range(5):
        delta = theta[1] - theta[0]
        M = array([[2.0, np.cos(delta)], [np.cos(delta), 1.0]])
        force = array(
            [
                omega[1] ** 2 * np.sin(delta) - 2 * 9.81 * np.sin(theta[0]),
                -(omega[0] ** 2) * np.sin(delta) - 9.81 * np.sin(theta[1]),
            ]
        )
        omega = omega + 0.05 * np.linalg.solve(M, force)
        theta = theta + 0.05 * omega
    return theta[0] * theta[1]


def finite_elements(E):
    n = len(E)
    K = np.zeros((n + 1, n + 1))
    for e in range(n):
        k = E[e] / 0.5
        K[e : e + 2, e : e + 2] += k * np.array([[1, -1], [-1, 1]])
    f = np.zeros(n + 1)
    f[-1] = 1.0
    u = np.zeros(n + 1)
    u[1:] = np.linalg.solve(K[1:, 1:], f[1:])
    return u @ u


def truss(areas):
    nodes = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]])
    bars = [(0, 2), (1, 2), (0, 1)]
    K = np.zeros((6, 6))
    for (i, j), area in zip(bars, areas):
        d = nodes[j] - nodes[i]
        length = np.sqrt(d @ d)
        c, s = d / length
        T = np.array([[c * c, c * s], [c * s, s * s]]) * area / length
        dofs = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1]
        K[np.ix_(dofs, dofs)] += np.block([[T, -T], [-T, T]])
    free = [2, 4, 5]
    load = np.array([0.0, 0.3, -1.0])
    return load @ np.linalg.solve(K[np.ix_(free, free)], load)


def ode_by_solve_ivp(p):
    def rhs(t, y):
        return [y[1], -p[0] * y[0] - p[1] * y[1]]

    solution = solve_ivp(rhs, (0, 1), [1.0, 0.0], rtol=1e-8, atol=1e-10)
    return solution.y[0, -1]


def ode_by_odeint(p):
    def rhs(y, t, beta, gamma):
        S, I, R = y
        return np.array([-beta * S * I, beta * S * I - gamma * I, gamma * I])

    y = odeint(rhs, [0.99, 0.01, 0.0], np.linspace(0, 2, 5), args=(p[0], p[1]), rtol=1e-9, atol=1e-11)
    return y[-1, 1]


def quadrature(p):
    value, _ = integrate.quad(lambda x: np.exp(-p[0] * x) * np.sin(p[1] * x), 0, 2)
    return value + trapezoid([p[0], p[1], p[0] * p[1]], dx=0.5)


def poisson_sparse(p):
    n = 9
    A = diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csc")
    b = np.zeros(n)
    for i in range(n):
        b[i] = p[0] * np.sin(p[1] * i)
    u = spsolve(A, b)
    return np.dot(u, u) / n


def banded(p):
    ab = np.zeros((3, 5))
    ab[0, 1:] = p[0]
    ab[1, :] = 4.0
    ab[2, :-1] = p[1]
    return solve_banded((1, 1), ab, np.ones(5)).sum()


def triangular(p):
    L = np.tril(np.outer(p, p)) + np.eye(len(p))
    return solve_triangular(L, [1.0, 2.0, 3.0], lower=True).sum()
