"""The benchmark of programs in two ways of writing: it runs, and all ways say the same."""

import json

import pytest

from benchmarks.ways import __main__ as ways


@pytest.mark.parametrize("name", ["total variation", "soft clusters", "Kalman filter", "slopes of each example"])
def test_it_runs_and_all_ways_agree(name, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(ways, "peer_library", lambda: None)
    path = tmp_path / "ways.json"
    assert ways.main(["--quick", "--json", str(path), "--only", name]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert [row["way"] for row in rows] == list(ways.PROGRAMS[name].ways)
    assert "WRONG" not in capsys.readouterr().out


def test_every_program_is_written_in_two_ways():
    assert len(ways.PROGRAMS) >= 19
    assert all(sum("Python loop" not in way for way in program.ways) == 2 for program in ways.PROGRAMS.values())
    assert all(set(program.ours_alone) <= set(program.ways) for program in ways.PROGRAMS.values())
