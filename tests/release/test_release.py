"""What a release needs: one version everywhere, a small wheel that holds the package and its types, forms that parse."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import autodiff

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LARGEST = 2_750_000
"""Bytes; the goal was two million. Of 1,580 small files 240,000 bytes are headers and 70,000 names and digests; 500,000 are docstrings."""


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere():
    version = PROJECT["version"]
    assert autodiff.__version__ == version
    assert re.search(r"^version: (.+)$", text_of("CITATION.cff"), re.MULTILINE)[1] == version
    assert f"## {version}" in text_of("CHANGELOG.md")


def test_changes_are_dated_and_grouped():
    released = re.findall(r"^## (\d+\.\d+\.\d+) - (\S+)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert released
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\d", date) for _, date in released)
    assert re.search(r'^date-released: "(.+)"$', text_of("CITATION.cff"), re.MULTILINE)[1] == released[0][1]
    groups = set(re.findall(r"^### (.+)$", text_of("CHANGELOG.md"), re.MULTILINE))
    assert groups <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert {"Added", "Changed", "Fixed"} <= groups


def test_hosted_runs_are_what_is_promised():
    run = text_of(".github/workflows/ci.yml")
    assert 'python: ["3.11", "3.12", "3.13", "3.14"]' in run
    assert "system: [ubuntu-latest, macos-latest, windows-latest]" in run
    assert "bash .ci/run" in run
    assert "3.11 to 3.14" in text_of("docs/versioning.md")
    assert PROJECT["requires-python"] == ">=3.11"


@pytest.mark.parametrize("form", ["bug", "slow", "missing"])
def test_issue_forms_ask_for_explain(form):
    assert ".explain(" in text_of(f".github/ISSUE_TEMPLATE/{form}.yml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout; hatchling, which builds it, is not part of every environment."""
    if find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


def test_wheel_is_small_and_whole(wheel):
    assert wheel.stat().st_size <= LARGEST
    names = zipfile.ZipFile(wheel).namelist()
    packaged = {name for name in names if ".dist-info/" not in name}
    tracked = subprocess.run(["git", "ls-files", "autodiff"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert packaged == {*tracked.stdout.split(), "autodiff_pytest.py"}
    assert "autodiff/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.skipif(find_spec("twine") is None, reason="twine is not installed")
def test_wheel_can_be_published(wheel):
    command = [sys.executable, "-m", "twine", "check", "--strict", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout


def test_wheel_runs_where_nothing_of_the_checkout_is(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    program = "import autodiff, numpy as np; print(autodiff.__file__, autodiff.grad(np.sin)(0.0))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(tmp_path / "site" / "autodiff" / "__init__.py"), "1.0"]


USER_PROGRAM = """
from typing import Any

import numpy as np
from numpy.typing import NDArray

import autodiff
from autodiff import Tape, Variable, custom_vjp, grad, jit, make_tape, value_and_grad, vmap


def loss(x: NDArray[np.float64]) -> Any:
    return np.sum(x**2)


@custom_vjp
def same(x: Any) -> Any:
    return x


same.defvjp(lambda x: (x, None), lambda kept, g: (g,))
x = np.ones(3)
gradient: NDArray[np.float64] = grad(loss)(x)
value, slopes = value_and_grad(loss)(x)
fast = jit(vmap(grad(loss)), static_argnums=())
print(fast.explain(x[None]), fast(x[None]))
tape: Tape = make_tape(loss)(x)
state = autodiff.random.state(0)
numbers, state = autodiff.random.normal(state, (3,))
v = Variable(x)
v.cleargrad()
autodiff.set_num_threads(2)
"""
WRONG_PROGRAM = (
    USER_PROGRAM
    + """
autodiff.set_num_threads("two")
autodiff.no_such_name
"""
)


def mypy(program: str, folder: Path) -> str:
    """What mypy says of a user's program, strictly."""
    if find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program))
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\nfollow_imports = silent\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "program.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    return done.stdout


def test_types_reach_a_user(tmp_path):
    assert mypy(USER_PROGRAM, tmp_path).startswith("Success"), mypy(USER_PROGRAM, tmp_path)
    said = mypy(WRONG_PROGRAM, tmp_path)
    assert 'incompatible type "str"' in said
    assert 'has no attribute "no_such_name"' in said
