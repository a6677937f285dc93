"""The site builds without a warning."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.docs.pages import ROOT

NEEDED = ("sphinx", "furo", "myst_nb")


@pytest.mark.skipif(
    any(find_spec(name) is None for name in NEEDED), reason="Sphinx is an extra: python -m pip install '.[docs]'"
)
def test_site_builds_without_a_warning(tmp_path):
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-t",
        "without_sources",
        "-d",
        tmp_path / "trees",
        "docs",
        tmp_path / "site",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for page in ("index", "search", "_generated/reference/names", "_generated/gallery/index", "guides/from-jax"):
        assert (tmp_path / "site" / f"{page}.html").exists(), page
