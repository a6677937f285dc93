"""Trees of arrays in files: ``autodiff.save``, ``autodiff.load``."""

from autodiff.saving.trees import load, save

__all__ = ["load", "save"]
