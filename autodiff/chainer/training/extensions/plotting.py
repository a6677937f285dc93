"""Whether there is something to plot with."""

from __future__ import annotations

import warnings
from importlib.util import find_spec


def matplotlib_is_there() -> bool:
    """Whether matplotlib is installed; warns if it is not."""
    if find_spec("matplotlib") is None:
        warnings.warn(
            "matplotlib is not installed, so nothing will be plotted; to plot figures: pip install matplotlib",
            stacklevel=3,
        )
        return False
    return True
