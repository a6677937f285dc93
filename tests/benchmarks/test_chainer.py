"""The programs of Chainer's style are timed by whichever interpreter has a Chainer."""

import json
import sys

import pytest

from benchmarks import chainer as command
from tests.chainer.programs import times


def test_seconds_are_of_all_runs_but_the_first(monkeypatch):
    runs = []
    monkeypatch.setitem(times.PROGRAMS, "deep_q_network", lambda: runs.append(1))
    assert len(times.seconds_of("deep_q_network", 3)) == 3
    assert len(runs) == 4


def test_seconds_are_on_a_line_of_their_own_after_what_programs_print(monkeypatch, capsys):
    monkeypatch.setattr(times, "PROGRAMS", {"with_a_progress_bar": lambda: sys.stdout.write("\033[4A\033[J")})
    times.main(2)
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["with_a_progress_bar"]) == 2


def test_slower_programs_are_named(monkeypatch, capsys, tmp_path):
    found = {"here": {"yolo": [0.1, 0.3, 0.2], "bert": [1.0]}, "there": {"yolo": [0.4], "bert": [0.5]}}
    monkeypatch.setattr(command, "which", lambda path: path)
    monkeypatch.setattr(command, "times_by", lambda python, options: found["there" if python == "old" else "here"])
    assert command.main(["--chainer-python", "old", "--json", str(tmp_path / "chainer.json")]) == 1
    said = capsys.readouterr().out
    assert f"{'yolo':60}{'200.0':>12}{'400.0':>12}{0.5:8.2f}" in said
    assert said.endswith("milliseconds of a whole program; slower than Chainer: bert\n")
    assert command.main([]) == 0
    assert f"{'yolo':60}{'200.0':>12}{'-':>12}{'-':>8}" in capsys.readouterr().out


def test_an_interpreter_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit):
        command.parse(["--chainer-python", "/no/such/python"])
    assert "--chainer-python /no/such/python: no such program" in capsys.readouterr().err
