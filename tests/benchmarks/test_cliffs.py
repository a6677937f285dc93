"""The benchmark of cliffs: it runs, and what it measures is right."""

import json

from benchmarks.cliffs.__main__ import main
from benchmarks.cliffs.operations import OPERATIONS, PAIRS


def test_it_runs_and_says_what_is_missed(capsys, tmp_path):
    path = tmp_path / "cliffs.json"
    names = ["cross", "det", "diag / times eye"]
    given = [part for name in names for part in ("--only", name)]
    assert main(["--quick", "--json", str(path), *given]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert [row.get("operation") or row["pair"] for row in rows] == ["none", *names]
    assert all(row["error"] < 1e-6 for row in rows if "error" in row)
    assert "cross" in capsys.readouterr().out


def test_there_are_sixty_operations_and_twenty_pairs():
    assert len(OPERATIONS) >= 60
    assert len(PAIRS) >= 20
