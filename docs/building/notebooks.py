"""The notebooks, which lie beside the documentation, as pages of the site."""

from __future__ import annotations

from pathlib import Path

from docs.building.written import write_pages


def write(docs: Path) -> None:
    """Copy the notebooks to where the site looks for pages; their links to other pages go on from there."""
    found = {path.name: page(path) for path in (docs.parent / "notebooks").glob("*.ipynb")}
    write_pages(docs / "_generated" / "notebooks", found)


def page(notebook: Path) -> str:
    """A notebook as it stands in the site."""
    return notebook.read_text(encoding="utf-8").replace("](../docs/", "](../../")
