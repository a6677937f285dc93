"""Links of the documentation lead somewhere."""

from __future__ import annotations

import pytest

from tests.docs.links import Link, anchors, links, links_of, problem
from tests.docs.pages import ROOT


def test_links_lead_somewhere():
    found = {str(link): problem(link) for link in links()}
    assert len(found) > 200
    assert {link: text for link, text in found.items() if text} == {}


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("docs/jit.md", None),
        ("docs/nowhere.md", "docs/nowhere.md is not there"),
        ("RELEASING.md#releasing", None),
        ("RELEASING.md#elsewhere", "RELEASING.md has no heading #elsewhere"),
        ("#try-it", None),
        ("https://numpy.org/doc/stable/", None),
        ("http://numpy.org", "http: is no https:"),
        ("https://numpy", "'numpy' is no host"),
        ("mailto:someone@example.org", None),
        ("mailto:someone", "no address of mail"),
    ],
)
def test_wrong_links_are_seen(target, said):
    assert problem(Link(ROOT / "README.md", 1, target)) == said


def test_links_are_found():
    text = 'See [a](b.md "title") and [`c`](d.md#e),\n<https://example.org/f>, [![g](h.png)](i.md).\n```\n[no](no.md)\n```\n`[no](no.md)`\n'
    assert sorted(links_of(text)) == [(1, "b.md"), (1, "d.md#e"), (2, "https://example.org/f"), (2, "i.md")]


def test_headings_are_found():
    assert {"try-it", "what-you-can-do-with-it", "where-it-stands"} <= anchors(ROOT / "README.md")
