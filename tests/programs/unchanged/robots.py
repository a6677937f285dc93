"""Robots, filters and frames."""

import math
from math import atan2, cos, sin, sqrt

import numpy as np


def rotation(theta):
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, -s], [s, c]])


def planar_arm(q):
    position = np.zeros(2)
    angle = 0.0
    for length, joint in zip([1.0, 0.8, 0.5], q):
        angle += joint
        position += rotation(angle) @ np.array([length, 0.0])
    return position[0] ** 2 + 0.5 * position[1]


def dh_matrix(theta, d, a, alpha):
    return np.array(
        [
            [np.cos(theta), -np.sin(theta) * np.cos(alpha), np.sin(theta) * np.sin(alpha), a * np.cos(theta)],
            [np.sin(theta), np.cos(theta) * np.cos(alpha), -np.cos(theta) * np.sin(alpha), a * np.sin(theta)],
            [0, np.sin(alpha), np.cos(alpha), d],
            [0, 0, 0, 1],
        ]
    )


def denavit_hartenberg(q):
    parameters = [(0.3, 0.0, np.pi / 2), (0.0, 0.5, 0.0), (0.1, 0.4, -np.pi / 2)]
    T = np.eye(4)
    for theta, (d, a, alpha) in zip(q, parameters):
        T = np.dot(T, dh_matrix(theta, d, a, alpha))
    return np.linalg.norm(T[:3, 3]) + T[0, 0]


class Pose:
    def __init__(self, x, y, theta):
        self.x, self.y, self.theta = float(x), float(y), float(theta)

    def matrix(self):
        c, s = cos(self.theta), sin(self.theta)
        return np.array([[c, -s, self.x], [s, c, self.y], [0.0, 0.0, 1.0]])

    @classmethod
    def from_matrix(cls, m):
        return cls(m[0, 2], m[1, 2], atan2(m[1, 0], m[0, 0]))

    def compose(self, other):
        return Pose.from_matrix(self.matrix() @ other.matrix())


def poses(x):
    pose = Pose(0.0, 0.0, 0.1)
    for _ in range(3):
        pose = pose.compose(Pose(*x))
    return pose.x * pose.y + pose.theta


def unicycle(u):
    state = np.array([0.0, 0.0, 0.2])
    for k in range(5):
        v, w = u[0], u[1] * (k + 1)
        state = state + 0.1 * np.array([v * math.cos(state[2]), v * math.sin(state[2]), w])
    return float(np.sum(state**2))


def quaternion_to_matrix(q):
    w, x, y, z = q / np.linalg.norm(q)
    R = np.empty((3, 3))
    R[0, 0] = 1 - 2 * (y**2 + z**2)
    R[0, 1] = 2 * (x * y - w * z)
    R[0, 2] = 2 * (x * z + w * y)
    R[1, 0] = 2 * (x * y + w * z)
    R[1, 1] = 1 - 2 * (x**2 + z**2)
    R[1, 2] = 2 * (y * z - w * x)
    R[2, 0] = 2 * (x * z - w * y)
    R[2, 1] = 2 * (y * z + w * x)
    R[2, 2] = 1 - 2 * (x**2 + y**2)
    return R


def quaternion(q):
    R = quaternion_to_matrix(q)
    return R @ np.array([0.3, -0.2, 0.9]) @ [1.0, 2.0, 3.0]


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rodrigues(w):
    theta = sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    K = skew(w / theta)
    R = np.eye(3) + math.sin(theta) * K + (1 - math.cos(theta)) * (K @ K)
    return np.trace(R @ np.diag([1.0, 2.0, 3.0]))


def kalman_filter(p):
    q, r = p
    F = np.array([[1.0, 1.0], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    Q = np.array([[q**2, 0.0], [0.0, q**2]])
    R = np.array([[r**2]])
    x, P = np.zeros((2, 1)), np.eye(2)
    loglik = 0.0
    for z in [0.9, 2.1, 2.9, 4.2, 5.1]:
        x, P = F @ x, F @ P @ F.T + Q
        y = np.array([[z]]) - H @ x
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(2) - K @ H) @ P
        loglik += -0.5 * (math.log(2 * math.pi) + math.log(S[0, 0]) + float(y[0, 0] ** 2 / S[0, 0]))
    return loglik


def extended_kalman_filter(p):
    x = np.array([p[0], p[1]])
    P = np.eye(2) * p[2]
    for z in (1.2, 1.4, 1.1):
        predicted = np.array([x[0] + 0.1 * x[1], x[1] - 0.1 * math.sin(x[0])])
        F = np.array([[1.0, 0.1], [-0.1 * math.cos(x[0]), 1.0]])
        P = F @ P @ F.T + 0.01 * np.eye(2)
        range_ = np.hypot(predicted[0], 2.0)
        H = np.array([[predicted[0] / range_, 0.0]])
        S = H @ P @ H.T + 0.1
        K = (P @ H.T) / S
        x = predicted + (K * (z - range_)).ravel()
        P = P - K @ H @ P
    return x @ x + np.trace(P)


def jacobian_of_arm(q):
    lengths = np.array([1.0, 0.7, 0.4])
    J = np.zeros((2, 3))
    for i in range(3):
        for k in range(i, 3):
            total = np.sum(q[: k + 1])
            J[0, i] += -lengths[k] * np.sin(total)
            J[1, i] += lengths[k] * np.cos(total)
    return np.sqrt(np.linalg.det(J @ J.T))


def homography(h):
    H = np.append(h, 1.0).reshape(3, 3)
    corners = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)
    out = np.zeros((4, 2))
    for i, corner in enumerate(corners):
        p = H @ corner
        out[i] = p[:2] / p[2]
    return (out**2).sum()


def bezier(points):
    P = points.reshape(4, 2)
    curve = np.zeros((7, 2))
    for i, t in enumerate(np.linspace(0, 1, 7)):
        for k in range(4):
            curve[i] += math.comb(3, k) * t**k * (1 - t) ** (3 - k) * P[k]
    return np.sum(np.sqrt(np.sum(np.diff(curve, axis=0) ** 2, axis=1)))


def complementary_filter(p):
    angles = np.zeros(6)
    gyro = np.array([0.1, 0.2, 0.15, 0.0, -0.1, 0.05])
    for t in range(1, len(angles)):
        tilt = math.atan2(p[1] * t, 9.81)
        angles[t] = p[0] * (angles[t - 1] + gyro[t] * 0.1) + (1 - p[0]) * tilt
    return angles.std() + angles[-1]
