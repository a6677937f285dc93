"""Programs of ChainerMN, as its users write them: they `import chainermn`, and run unchanged."""

import re
import sys

import pytest

from tests.distributed.launching import ROOT, launch_command

EXAMPLES = {
    "perceptron": ("accuracy", 0.6),
    "dual_parallel": ("accuracy", 0.6),
    "sequences": ("perplexity", 3.0),
    "parallel_convolution": ("accuracy", 0.9),
}
"""By the script: what it prints at the end, and what that must be beyond."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, tmp_path):
    word, limit = EXAMPLES[name]
    script = str(ROOT / "tests" / "distributed" / "examples" / f"{name}.py")
    done = launch_command(2, [sys.executable, "-m", "autodiff.chainer", script, "-o", str(tmp_path)])
    assert done.returncode == 0, done.stderr[-3000:]
    found = float(re.search(rf"{word} (\S+)$", done.stdout, re.M)[1])
    assert found < limit if word == "perplexity" else found > limit
