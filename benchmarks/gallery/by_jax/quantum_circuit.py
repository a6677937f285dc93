"""A quantum circuit, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, jit, value_and_grad
from jax.lax import scan

QUBITS, LAYERS, FIELD = 5, 5, 1.0
SPINS = 1.0 - 2.0 * (np.arange(2**QUBITS)[:, None] >> np.arange(QUBITS)[::-1] & 1)
PAIRS = SPINS[:, 1:] * SPINS[:, :-1]


def turned(state, k, angle):
    """A state after a turn of spin k about the axis x."""
    pairs = state.reshape(2**k, 2, -1)
    return (jnp.cos(angle / 2) * pairs - 1j * jnp.sin(angle / 2) * pairs[:, ::-1]).reshape(-1)


def circuit(angles):
    """The state that the circuit makes of spins that all point sideways."""

    def turn(state, layer):
        state = jnp.exp(-0.5j * (PAIRS @ layer[: QUBITS - 1])) * state
        for k in range(QUBITS):
            state = turned(state, k, layer[QUBITS - 1 + k])
        return state, None

    start = jnp.full(2**QUBITS, 2 ** (-QUBITS / 2), complex)
    return scan(turn, start, angles)[0]  # a loop over layers that is unrolled takes XLA minutes to compile


@jit  # else each call that measures a slope would compile the loop anew
def energy(angles):
    """The expected energy: neighbours want to be alike, the field pulls sideways."""
    state = circuit(angles)
    along = jnp.sum(PAIRS, axis=1) @ jnp.abs(state) ** 2
    flipped = sum(state.reshape(2**k, 2, -1)[:, ::-1].reshape(-1) for k in range(QUBITS))
    return -along - FIELD * jnp.real(jnp.vdot(state, flipped))


def exact():
    """The lowest eigenvalue of the whole matrix."""
    n = 2**QUBITS
    flips = sum(np.eye(n)[np.arange(n) ^ (1 << k)] for k in range(QUBITS))
    return np.linalg.eigvalsh(-np.diag(np.sum(PAIRS, axis=1)) - FIELD * flips)[0]


def by_shifts(angles, layer, knob):
    """A slope as a quantum computer measures it: two energies, with a knob turned by a right angle to either side."""
    shift = np.zeros_like(angles)
    shift[layer, knob] = np.pi / 2
    return (energy(angles + shift) - energy(angles - shift)) / 2


def main(steps=400):
    angles = np.random.default_rng(0).normal(0, 0.1, (LAYERS, 2 * QUBITS - 1)) - 0.3
    downhill, speed, energies = jit(value_and_grad(energy)), np.zeros_like(angles), []
    slopes = np.array([(gradient, by_shifts(angles, 1, k)) for k, gradient in enumerate(grad(energy)(angles)[1])])
    for _ in range(steps):
        value, gradient = downhill(angles)
        speed = 0.9 * speed - 0.02 * gradient
        angles = angles + speed
        energies.append(value)
    return {"energies": energies, "exact": exact(), "slopes": slopes}
