"""The page of environment variables lists those that the package reads, and no others."""

import re

from tests.docs.pages import ROOT

OF_OUR_OWN = {
    "AUTODIFF_AUTOGRAD_SCRIPT",  # what a runner tells the process that it starts
    "AUTODIFF_CHAINER_COMPAT",
    "AUTODIFF_CHAINER_NUMPY_NAMES",
    "AUTODIFF_CHAINER_SCRIPT",
    "AUTODIFF_FAST_MATH",  # a macro of kernels for GPUs
    "AUTODIFF_COMPILED_LAWS",  # how our own tests run; CONTRIBUTING.md has it
}


def test_every_environment_variable_is_explained():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "autodiff").rglob("*.py"))
    read = set(re.findall(r"AUTODIFF_[A-Z]+(?:_[A-Z]+)*", sources)) - OF_OUR_OWN
    page = (ROOT / "docs" / "guides" / "settings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(AUTODIFF_\w+)`", page, re.MULTILINE)) == read
