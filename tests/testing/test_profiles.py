"""Hypothesis profiles are chosen by the environment, and `import autodiff` needs no hypothesis."""

import subprocess
import sys

import pytest
from hypothesis import settings

from autodiff.testing import register_profiles


@pytest.fixture(autouse=True)
def restored() -> object:
    name = settings.get_current_profile_name()
    yield
    settings.load_profile(name)


def test_the_default_is_repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYPOTHESIS_PROFILE", raising=False)
    assert register_profiles() == "ci"
    assert settings().derandomize
    assert settings().max_examples == 25


@pytest.mark.parametrize(("name", "examples"), [("ci", 25), ("dev", 50), ("deep", 1000)])
def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch, name: str, examples: int) -> None:
    monkeypatch.setenv("HYPOTHESIS_PROFILE", name)
    assert register_profiles() == name
    assert settings().max_examples == examples


def test_an_unknown_profile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "nightly")
    with pytest.raises(ValueError, match="nightly") as error:
        register_profiles()
    assert str(error.value) == "HYPOTHESIS_PROFILE is 'nightly'; set it to one of ci, dev, deep"


def test_autodiff_itself_does_not_import_hypothesis() -> None:
    code = "import sys, autodiff; sys.exit('hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
