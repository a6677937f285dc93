"""Who takes part: one small adapter a file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.subjects.subject import Subject

# Name in the table: module and class, in the order in which they take turns.
SUBJECTS = {
    "numpy alone": ("numpy_alone", "NumPyAlone"),
    "autodiff tracers": ("tracers", "Tracers"),
    "autodiff Variables": ("variables", "Variables"),
    "torch": ("torch", "Torch"),
    "autograd": ("autograd", "Autograd"),
    "mygrad": ("mygrad", "MyGrad"),
    "chainer": ("chainer", "Chainer"),
    "jax eager": ("jax", "Jax"),
}


def load(name: str) -> Subject:
    """The adapter of that name; raises whatever importing its library raises."""
    module, adapter = SUBJECTS[name]
    subject: Subject = getattr(import_module("benchmarks.subjects." + module), adapter)()
    return subject
