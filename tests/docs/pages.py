"""The pages of the documentation, and what of them can be run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
GENERATED = ("_build", "_generated", "jupyter_execute")
FENCE = re.compile(
    r"(?:^[ ]*<!-- (?P<note>[^\n]*?) -->\n+)?^(?P<indent>[ ]*)```(?P<language>\w+)\n(?P<code>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
HIDDEN = re.compile(r"^<!-- run\n(?P<code>.*?)^-->$", re.MULTILINE | re.DOTALL)


class Snippet(NamedTuple):
    """A piece of a page that can be run.

    Attributes:
        language: ``python``, ``sh`` and so on.
        code: its text.
        line: where it begins on its page.
        note: the comment above it, such as ``needs: cupy``.
    """

    language: str
    code: str
    line: int
    note: str

    @property
    def is_session(self) -> bool:
        """Whether it shows what an interpreter answers."""
        return self.language == "python" and self.code.lstrip().startswith(">>>")


def pages() -> list[Path]:
    """The README and every page that is written by hand."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    written = [path for path in found if not set(path.relative_to(ROOT / "docs").parts) & set(GENERATED)]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *written]


def page_name(path: Path) -> str:
    """A page's path as it stands in reports."""
    return path.relative_to(ROOT).as_posix()


def snippets(path: Path) -> list[Snippet]:
    """All snippets of a page in their order: fenced blocks, and set-up that readers do not see, ``<!-- run ... -->``."""
    text = path.read_text(encoding="utf-8")
    found = [
        (
            match.start(),
            Snippet(match["language"], undented(match), line_of(text, match.start("code")), match["note"] or ""),
        )
        for match in FENCE.finditer(text)
    ]
    found += [
        (match.start(), Snippet("python", match["code"], line_of(text, match.start("code")), ""))
        for match in HIDDEN.finditer(text)
    ]
    return [snippet for _, snippet in sorted(found, key=lambda pair: pair[0])]


def undented(match: re.Match[str]) -> str:
    """The code of a fenced block, without the indentation of the list that it stands in."""
    width = len(match["indent"])
    return "".join(line[width:] if line.strip() else "\n" for line in match["code"].splitlines(keepends=True))


def line_of(text: str, position: int) -> int:
    """The line of a position in a text, from 1 on."""
    return text.count("\n", 0, position) + 1
