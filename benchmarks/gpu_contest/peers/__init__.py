"""Who takes part on a GPU: one small adapter a file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from benchmarks.contest.peers import OURS

if TYPE_CHECKING:
    from benchmarks.gpu_contest.peers.peer import DevicePeer, Place

# Name in the table: module and class, in the order in which they take turns.
PEERS = {
    OURS: ("autodiff", "Autodiff"),
    "cupy": ("cupy", "Cupy"),
    "torch": ("torch", "Torch"),
    "torch.compile": ("torch", "CompiledTorch"),
    "torch graphs": ("torch", "GraphedTorch"),
    "jax": ("jax", "Jax"),
}


def load(name: str, place: Place) -> DevicePeer:
    """The adapter of that name; raises whatever importing its library raises."""
    module, adapter = PEERS[name]
    peer: DevicePeer = getattr(import_module("benchmarks.gpu_contest.peers." + module), adapter)(place)
    return peer
