"""The notebooks, which lie beside the documentation, as pages of the site."""

from __future__ import annotations

import shutil
from pathlib import Path


def write(docs: Path) -> None:
    """Copy the notebooks to where the site looks for pages; what has not changed keeps its time."""
    target = docs / "_generated" / "notebooks"
    target.mkdir(parents=True, exist_ok=True)
    sources = {path.name: path for path in (docs.parent / "notebooks").glob("*.ipynb")}
    for old in target.glob("*.ipynb"):
        if old.name not in sources:
            old.unlink()
    for name, source in sources.items():
        copy = target / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            shutil.copyfile(source, copy)
