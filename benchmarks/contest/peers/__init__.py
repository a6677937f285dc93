"""Who takes part in the contest of compiled programs: one small adapter a file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.contest.peers.peer import Peer

OURS = "autodiff"

# Name in the table: module and class, in the order in which they take turns.
PEERS = {
    OURS: ("autodiff", "Autodiff"),
    "jax": ("jax", "Jax"),
    "torch": ("torch", "Torch"),
    "torch.compile": ("torch", "CompiledTorch"),
    "autograd": ("autograd", "Autograd"),
    "casadi": ("casadi", "Casadi"),
    "casadi, C": ("casadi", "CompiledCasadi"),
    "pytensor": ("pytensor", "Pytensor"),
    "drjit": ("drjit", "Drjit"),
    "numba": ("numba", "Numba"),
}


def load(name: str, threads: int) -> Peer:
    """The adapter of that name; raises whatever importing its library raises."""
    module, adapter = PEERS[name]
    peer: Peer = getattr(import_module("benchmarks.contest.peers." + module), adapter)(threads)
    return peer
