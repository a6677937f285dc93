"""A quantum circuit.

The ground state of a chain of spins in a magnetic field, found by turning the knobs of a small circuit: turns of pairs
and of single spins. States are complex, the energy is real, and its gradient is as any other. A quantum computer
measures the same slopes by shifting each knob to both sides.
"""

import numpy as np

from autodiff import grad, jit, value_and_grad

QUBITS, LAYERS, FIELD = 5, 5, 1.0
SPINS = 1.0 - 2.0 * (np.arange(2**QUBITS)[:, None] >> np.arange(QUBITS)[::-1] & 1)
PAIRS = SPINS[:, 1:] * SPINS[:, :-1]


def turned(state, k, angle):
    """A state after a turn of spin k about the axis x."""
    pairs = state.reshape(2**k, 2, -1)
    return (np.cos(angle / 2) * pairs - 1j * np.sin(angle / 2) * pairs[:, ::-1]).reshape(-1)


def circuit(angles):
    """The state that the circuit makes of spins that all point sideways."""
    state = np.full(2**QUBITS, 2 ** (-QUBITS / 2), complex)
    for layer in angles:
        state = np.exp(-0.5j * (PAIRS @ layer[: QUBITS - 1])) * state
        for k in range(QUBITS):
            state = turned(state, k, layer[QUBITS - 1 + k])
    return state


def energy(angles):
    """The expected energy: neighbours want to be alike, the field pulls sideways."""
    state = circuit(angles)
    along = np.sum(PAIRS, axis=1) @ np.abs(state) ** 2
    flipped = sum(state.reshape(2**k, 2, -1)[:, ::-1].reshape(-1) for k in range(QUBITS))
    return -along - FIELD * np.real(np.vdot(state, flipped))


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


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    left.semilogy(np.array(found["energies"]) - found["exact"])
    left.set(xlabel="step", ylabel="energy above the ground state")
    right.plot(*found["slopes"].T, "o")
    right.axline((0, 0), slope=1, color="k", linewidth=0.5)
    right.set(xlabel="slope by autodiff", ylabel="slope by shifts")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
