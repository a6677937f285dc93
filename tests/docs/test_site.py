"""The site builds without a warning, fits a phone, and can be searched."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from shutil import which

import pytest

from docs.building.look import BROWSERS, looked_at
from tests.docs.pages import ROOT

NEEDED = ("sphinx", "furo", "myst_nb")
PAGES = (
    "index",
    "numpy-coverage",
    "guides/from-jax",
    "_generated/reference/names",
    "_generated/gallery/index",
    "genindex",
)


@pytest.mark.skipif(
    any(find_spec(name) is None for name in NEEDED), reason="Sphinx is an extra: python -m pip install '.[docs]'"
)
def test_site_builds_without_a_warning_and_can_be_read(tmp_path):
    """One test of all: processes that share the tests would each build a site."""
    options = ["-W", "--keep-going", "-q", "-t", "without_sources", "-d", tmp_path / "trees"]
    command = [sys.executable, "-m", "sphinx", *options, "docs", tmp_path / "site"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for page in (*PAGES, "search"):
        assert (tmp_path / "site" / f"{page}.html").exists(), page
    assert_loads_nothing_from_elsewhere(tmp_path / "site")
    browser = next(filter(None, map(which, BROWSERS)), None)
    if browser is not None:
        found = looked_at(browser, tmp_path / "site", [f"{page}.html" for page in PAGES])
        assert found["wide"] == []
        assert found["results"] > 0


def assert_loads_nothing_from_elsewhere(site):
    """A page that asks the web for a script, as for formulas, shows half of itself without the web."""
    asked = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    found = {path.name: asked.findall(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert {name: tags for name, tags in found.items() if tags} == {}
