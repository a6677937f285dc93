"""The pictures of the gallery: ``python -m docs.building.pictures [NAME ...]`` keeps what programs draw."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from matplotlib.figure import Figure

GALLERY = Path(__file__).parents[1] / "gallery"


def main(names: list[str]) -> None:
    """Draw the named programs, or all of them."""
    for path in sorted(GALLERY.glob("*.py")):
        if not names or path.stem in names:
            program = runpy.run_path(str(path))
            figure = Figure(figsize=(6.4, 3.6), layout="constrained")
            program["draw"](figure, program["main"]())
            figure.savefig(GALLERY / "pictures" / f"{path.stem}.png", dpi=110, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main(sys.argv[1:])
