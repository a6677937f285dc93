"""Every command on a page of the documentation is one that exists, and those that are quick and change nothing run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, page_name, pages, snippets

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
QUICK = {
    ("-m", "autodiff", "info"),
    ("-m", "autodiff"),
    ("-m", "autodiff.chainer", "--help"),
}
"""What is run as it stands there. Of the others it is checked that module, file and extra are there."""
COMMANDS = [
    pytest.param(line, id=f"{page_name(path)}:{snippet.line} {line}")
    for path in pages()
    for snippet in snippets(path)
    if snippet.language == "sh"
    for line in snippet.code.splitlines()
    if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands(line):
    for command in re.split(r"\s&&\s", line.partition("  #")[0]):
        check(shlex.split(command))


def check(words: list[str]) -> None:
    """Refuse a command that does not exist."""
    while words and re.fullmatch(r"\w+=\S*", words[0]):
        words = words[1:]  # settings of the environment
    program, *rest = words
    program = Path(program).name or program
    if program == "python":
        check_python(rest)
    elif program == "pip":
        check_install(rest)
    elif program == "mpiexec":
        assert rest[0] == "-n", rest
        check(rest[2:])
    else:
        assert program in {".", "git", "ruff", "mypy", "lint-imports", "pre-commit", "twine", "compute-sanitizer"}, (
            program
        )


def check_python(rest: list[str]) -> None:
    """What Python is told to run must be there; what is quick runs."""
    if tuple(rest) in QUICK:
        subprocess.run([sys.executable, *rest], cwd=ROOT, check=True, capture_output=True, timeout=300)
    elif rest[0] == "-c":
        compile(rest[1], "command", "exec")
    elif rest[0] == "-m" and rest[1] == "pip":
        check_install(rest[2:])
    elif rest[0] == "-m":
        assert rest[1] in {"sphinx", "build", "twine", "venv", "pytest"} or find_spec(rest[1]), rest[1]
    else:
        assert (ROOT / rest[0]).exists() or rest[0] in {"train_mnist.py", "script.py"}, rest[0]


def check_install(rest: list[str]) -> None:
    """Extras that are installed must be declared."""
    for word in rest:
        for extras in re.findall(r"^(?:\.|autodiff)\[([\w,]+)\]", word):
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), word
