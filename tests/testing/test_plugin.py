"""The pytest plugin: options, the mark, the summary, failures as files; and the same outcome in every run."""

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

TESTS = """
import numpy as np

from autodiff import custom_vjp
from autodiff.testing import domains, gradient_test


@gradient_test(domain=domains.positive)
def test_log(x):
    return np.log(x)


@gradient_test
def test_clip(x):
    return np.clip(x, -1, 1)


@custom_vjp
def wrong(x):
    return np.sin(x)


wrong.defvjp(lambda x: (np.sin(x), x), lambda x, g: (1.01 * g * np.cos(x),))


@gradient_test(shapes=[(3,)])
def test_wrong(x):
    return wrong(x)


def test_other():
    assert True
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "test_losses.py").write_text(TESTS)

    installed = entry_points(group="pytest11", name="autodiff")  # pytest finds it there, and must not find it twice
    named = {} if installed else {"PYTEST_PLUGINS": "autodiff_pytest"}

    def run(*options: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", *options],
            cwd=folder,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **named},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    return run


def without_times(text: str) -> list[str]:
    return [re.sub("0x[0-9a-f]+", "", line) for line in text.splitlines() if " in " not in line]


def test_the_summary_the_mark_and_the_file_that_shows_a_failure_again(run):
    said = run("--gradient-examples", "4", "--gradient-seed", "7", "-m", "gradient")
    assert "1 failed, 2 passed, 1 deselected" in said
    assert "= gradient tests =" in said
    assert "2 functions, " in said
    assert " undecided; seed 7\n" in said
    assert "  test_clip: 20 laws hold at " in said
    assert "kinks='error' refuses them" in said
    assert "test_wrong breaks the law 'forward'" in said
    assert "a file that shows it again (--gradient-seed 7)" in said
    program = said.partition("(--gradient-seed 7)")[2]
    assert "check_laws(fun, args, only=('forward',))" in program


def test_two_runs_say_the_same(run):
    first, second = (run("--gradient-examples", "3", "-k", "clip or wrong") for _ in range(2))
    assert without_times(first) == without_times(second)


def test_a_session_without_gradient_tests_has_no_summary(run):
    said = run("-k", "other")
    assert "1 passed, 3 deselected" in said
    assert "gradient tests" not in said
