"""The shape of the package: modules import in one direction, and folders stay small enough to be looked through."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import autodiff

ROOT = Path(autodiff.__file__).parent
MOST_FILES = 25

TOGETHER = ("autodiff.facade.graph", "autodiff.facade.variables")
"""A Variable and its node know each other."""

CHAINER = "autodiff.chainer"
"""Its modules are where Chainer's are."""


def module_name(path):
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


def imported(path, known):
    """The modules of the package that a file imports: at its top, inside of functions, or for types alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            longer = (f"{node.module}.{name.name}" for name in node.names)
            yield from (name if name in known else node.module for name in longer)


def left_in_circles():
    """The modules that are left when those that import, or are imported by, none of the others go, again and again."""
    paths = {module_name(path): path for path in ROOT.rglob("*.py")}
    left = {name: {each for each in imported(path, paths) if each in paths} - {name} for name, path in paths.items()}
    while True:
        needed = set().union(*left.values())
        gone = {name for name, own in left.items() if not own or name not in needed}
        if not gone:
            return set(left)
        left = {name: own - gone for name, own in left.items() if name not in gone}


def test_modules_import_in_one_direction():
    found = {name for name in left_in_circles() if not name.startswith((CHAINER, *TOGETHER))}
    assert found == set()


def test_folders_are_small():
    folders = {path.parent for path in ROOT.rglob("*.py")}
    large = {
        f for f in folders if len(list(f.glob("*.py"))) > MOST_FILES and "chainer" not in f.relative_to(ROOT).parts
    }
    assert large == set()


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("autodiff", ("autodiff.backends.passes", "autodiff.backends.kernels", "numba", "scipy", "autodiff.facade")),
        (
            "autodiff.chainer",
            ("autodiff.backends.passes", "autodiff.backends.kernels", "numba", "scipy", "urllib.request"),
        ),
        ("autodiff.optimize", ("autodiff.backends.passes", "autodiff.backends.kernels", "numba", "scipy")),
    ],
)
def test_an_import_loads_what_everybody_needs(name, left):
    """The compiler, SciPy and others are loaded when they are first used: they take longer than all the rest."""
    program = f"import sys, {name}; print([each for each in {left} if each in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
