"""The examples on the pages of `docs` for those who write functions: trees, optimizers, files."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("page", ["trees.md", "optimize.md", "saving.md"])
def test_the_examples_of_a_page_run(page: str) -> None:
    found = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0
