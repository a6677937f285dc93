"""Every test of a suite over `chainer.testing` has the name and the outcome that Chainer 7.8.1 gives."""

import json

from tests.chainer.testing.record import FILE
from tests.chainer.testing.suite import outcomes


def test_outcomes_are_those_of_chainer(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where trainers make their folder
    assert outcomes() == json.loads(FILE.read_text())
