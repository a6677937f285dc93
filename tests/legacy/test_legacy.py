"""Programs in the style of Chainer 1, 3 and 7 run as they are, and compute what they compute under Chainer itself.

The numbers were printed by Chainer 1.24.0 (``v1_mnist.py``) and 7.8.1 (the others) with the same programs.
"""

import re
from pathlib import Path

import pytest

from tests.chainer.running.process import run

HERE = Path(__file__).parent
PROGRAMS = {
    "v1_mnist.py": [2.302098918, 2.248128581, 2.185900354, 2.124625850, 2.099526644, 2.091329098],
    "v1_mnist.py --net chain": [2.427668214, 2.260938835, 2.171143937, 2.066257513, 1.991395235, 2.018629789],
    "v3_ptb.py": [2.422630048, 2.296992803, 2.271390843, 2.247657371, 2.245168199, 2.227118876],
    "v7_classifier.py": [2.262399209, 1.996402526, 1.326091588, 1.136064911, 0.561939922, 0.447187996],
}
"""The losses that the programs print."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_losses_are_those_of_chainer(program, tmp_path):
    script, *arguments = program.split()
    compat = ["--compat", "v1"] if script.startswith("v1") else []
    out, _ = run(*compat, HERE / script, *arguments, "--out", tmp_path, cwd=tmp_path)
    losses = [float(number) for line in re.findall(r"loss ([\d. ]+)", out) for number in line.split()]
    assert losses == pytest.approx(PROGRAMS[program], abs=1e-5)
    assert "resumed identically" in out


def test_chainer_7_refuses_a_program_of_chainer_1(tmp_path):
    _, err, code = run(HERE / "v1_mnist.py", "--out", tmp_path, cwd=tmp_path, check=False)
    assert code == 1
    assert err.splitlines()[-1].startswith(
        "AttributeError: module 'autodiff.chainer' has no attribute 'FunctionSet'; it was Chainer 1's: run the program "
        "with --compat v1"
    )
