"""The links of pages that are written by hand: where they lead, and whether that is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.docs.pages import GENERATED, ROOT, line_of, page_name, pages

CODE = re.compile(r"^[ ]*(```|~~~).*?^[ ]*\1[ ]*$|`[^`\n]+`|<!--.*?-->", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?(?P<target>[^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
BARE = re.compile(r"<(?P<target>https?://[^>\s]+)>")
HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+?)\s*#*$", re.MULTILINE)
BESIDE = ("CHANGELOG.md", "RELEASING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "benchmarks/README.md")
HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", re.IGNORECASE)


class Link(NamedTuple):
    """A link of a page.

    Attributes:
        page: the file in which it stands.
        line: where, from 1 on; in a notebook the number of its cell.
        target: what it says.
    """

    page: Path
    line: int
    target: str

    def __str__(self) -> str:
        return f"{page_name(self.page)}:{self.line} {self.target}"


def links() -> list[Link]:
    """All links of all pages and notebooks."""
    written = [*pages(), *(ROOT / name for name in BESIDE)]
    found = [Link(page, line, target) for page in written for line, target in links_of(text_of(page))]
    for page in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(text_of(page))["cells"]
        texts = ["".join(cell["source"]) if cell["cell_type"] == "markdown" else "" for cell in cells]
        found += [Link(page, k, target) for k, text in enumerate(texts, 1) for _, target in links_of(text)]
    return found


def links_of(text: str) -> Iterator[tuple[int, str]]:
    """Lines and targets of the links of a text, code and comments left out."""
    prose = CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for pattern in (LINK, BARE):
        yield from ((line_of(prose, match.start()), match["target"]) for match in pattern.finditer(prose))


@cache
def text_of(page: Path) -> str:
    """A page's text."""
    return page.read_text(encoding="utf-8")


def problem(link: Link) -> str | None:
    """What is wrong with a link, or None. Whether an address on the web answers is not asked."""
    if re.match(r"[a-z]+:", link.target):
        return problem_of_address(link.target)
    name, _, anchor = link.target.partition("#")
    path = (link.page.parent / name).resolve() if name else link.page
    if set(path.parts) & set(GENERATED):
        return None  # a build of the site refuses a page that it has not written
    if not path.exists():
        return f"{name} is not there"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return f"{page_name(path)} has no heading #{anchor}"
    return None


def problem_of_address(target: str) -> str | None:
    """What is wrong with an address on the web."""
    parts = urlsplit(target)
    if parts.scheme == "mailto":
        return None if re.fullmatch(r"[^@\s]+@" + HOST.pattern, parts.path, re.IGNORECASE) else "no address of mail"
    if parts.scheme != "https":
        return f"{parts.scheme}: is no https:"
    return None if HOST.fullmatch(parts.hostname or "") else f"{parts.hostname!r} is no host"


@cache
def anchors(page: Path) -> set[str]:
    """What can stand behind # for a page: its headings in small letters, with - for spaces."""
    prose = re.sub(r"^[ ]*(```|~~~).*?^[ ]*\1[ ]*$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match["text"]) for match in HEADING.finditer(prose)]
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text.lower())) for text in headings}
