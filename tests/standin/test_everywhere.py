"""The stand-in takes CuPy's place where it is asked to, and nowhere else."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys


def test_cupy():
    assert "cupy" in sys.modules
"""


def test_as_a_plugin(tmp_path):
    file = tmp_path / "test_program.py"
    file.write_text(PROGRAM)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.standin.everywhere",
        str(file),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


def test_reading_the_file_changes_nothing():
    text = "import sys, tests.standin.everywhere; print('cupy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT, timeout=100, check=True
    )
    assert done.stdout == "False\n"
