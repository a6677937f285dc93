"""The gallery: a page for each program in `docs/gallery`, with its picture."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

from docs.building.written import write_pages


class Program(NamedTuple):
    """A program of the gallery.

    Attributes:
        name: its file's name, without ending.
        title: the first line of its docstring.
        text: the rest of it.
        code: the program below it.
    """

    name: str
    title: str
    text: str
    code: str

    @property
    def page(self) -> str:
        """Its page, as Markdown."""
        picture = f"![{self.title}](../../gallery/pictures/{self.name}.png)"
        link = f"`python docs/gallery/{self.name}.py` shows its picture."
        return f"# {self.title}\n\n{self.text}\n\n{picture}\n\n```python\n{self.code}```\n\n{link}\n"


def programs(docs: Path) -> list[Program]:
    """All programs, by name."""
    return [program_of(path) for path in sorted((docs / "gallery").glob("*.py"))]


def program_of(path: Path) -> Program:
    """A file taken apart into what it says and what it does."""
    source = path.read_text(encoding="utf-8")
    said = ast.parse(source).body[0]
    assert isinstance(said, ast.Expr), f"{path.name} has no docstring"
    title, _, text = str(ast.literal_eval(said.value)).partition("\n")
    code = "".join(source.splitlines(keepends=True)[said.end_lineno :]).lstrip("\n")
    return Program(path.stem, title.rstrip("."), text.strip(), code)


def write(docs: Path) -> None:
    """Write the pages of the gallery into `docs/_generated/gallery`."""
    found = programs(docs)
    pages = {f"{program.name}.md": program.page for program in found}
    items = "\n\n".join(
        f"[![{program.title}](../../gallery/pictures/{program.name}.png)]({program.name}.md) "
        f"[{program.title}]({program.name}.md)"
        for program in found
    )
    entries = "\n".join(program.name for program in found)
    pages["index.md"] = (
        f"# Gallery\n\n{len(found)} programs of at most 80 lines, each complete. They need NumPy and autodiff; "
        "Matplotlib draws the pictures. The tests run them all, with fewer steps; `python -m benchmarks.gallery` "
        "measures them beside JAX ([figures](../benchmarks/index.md)).\n\n"
        f":::{{container}} gallery\n{items}\n:::\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"
    )
    write_pages(docs / "_generated" / "gallery", pages)
