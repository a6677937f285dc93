import os
import subprocess
import sys
import textwrap
from importlib.util import find_spec

import pytest

from autodiff.backends import cache
from autodiff.backends.native import kernels, launching
from autodiff.backends.recent import Recent

COMPILED = ["language/*.py", "llvm/*.py", "native/*.py", "numba/*.py"]
collect_ignore_glob = COMPILED if find_spec("numba") is None else []
collect_ignore = ["llvm/record_mathematics.py"]  # a command, which needs mpmath


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """An empty folder for kernels, and a memory that knows none of them."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(folder))
    monkeypatch.setattr(kernels, "_codes", Recent(kernels.LIMIT))
    monkeypatch.setattr(kernels, "_lasting", {})
    monkeypatch.setattr(kernels, "_counts", {"hits": 0, "misses": 0, "compiled": 0})
    monkeypatch.setattr(cache, "_warned", set())
    monkeypatch.setattr(cache, "_sizes", {})
    return folder


@pytest.fixture(params=["native", "python"])
def launcher(request, monkeypatch):
    """Both launchers: the native one, and the one that takes over where the native one cannot work."""
    if request.param == "python":
        monkeypatch.setattr(launching, "launcher_kind", lambda: "python")
    elif launching.launcher_kind() != "native":
        pytest.skip("the native launcher does not work here")
    return request.param


@pytest.fixture
def python(tmp_path):
    """A function that runs a program in another process and returns what it printed."""

    def run(program, *args, fails=False, **environment):
        command = [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *map(str, args)]
        found = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=120)
        if not fails:
            assert found.returncode == 0, found.stderr
            assert found.stderr == ""
        return found.stdout

    return run
