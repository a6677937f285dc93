"""What `python -m autodiff info` prints."""

import re
import tomllib
from pathlib import Path

import numpy as np

import autodiff
from autodiff.__main__ import main
from autodiff.info import EXTRAS

ROOT = Path(__file__).parents[2]


def test_says_what_a_report_needs(capsys, monkeypatch):
    monkeypatch.setenv("AUTODIFF_NUM_THREADS", "1")
    assert main(["info"]) == 0
    printed = capsys.readouterr().out
    titles = re.findall(r"^(\w+)", printed, re.MULTILINE)
    assert titles == [
        "autodiff",
        "python",
        "system",
        "numpy",
        "scipy",
        "extras",
        "device",
        "threads",
        "cache",
        "settings",
    ]
    assert f"autodiff  {autodiff.__version__}, in {Path(autodiff.__file__).parent}" in printed
    assert f"numpy     {np.__version__}, with " in printed
    assert f"cache     {autodiff.cache_info().folder}" in printed
    assert "AUTODIFF_NUM_THREADS=1" in printed


def test_every_extra_that_users_install_is_listed():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(declared) - {"docs", "test", "dev"}
    for extra, packages in EXTRAS.items():
        assert any(package in requirement for package in packages for requirement in declared[extra]), extra
