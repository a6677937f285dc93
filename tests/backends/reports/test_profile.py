"""Profiles: what ran, how often, for how long."""

import json
import threading

import numpy as np
import pytest

from autodiff import grad, jit, profile, scan
from autodiff.backends.reports import profile as profiles
from autodiff.backends.reports.counts import Count


def counts(found, kind=None):
    return {(row.kind, row.name): row.calls for row in found.rows if kind in (None, row.kind)}


def product(x, y):
    return np.sum(np.exp(x @ y))


X, Y = np.ones((4, 5)), np.ones((5, 6))


def test_each_statement_is_counted_and_timed():
    jitted = jit(product, backend="numpy")
    wanted = jitted(X, Y)
    with profile() as found:
        for _ in range(3):
            assert jitted(X, Y) == wanted
    assert counts(found) == {
        ("program", jitted.name): 3,
        ("BLAS", "matmul"): 3,
        ("NumPy", "exp"): 3,
        ("NumPy", "sum"): 3,
    }
    rows = {row.name: row for row in found.rows}
    assert rows["matmul"].count == Count(3 * 240, 0, 3 * 400, 3 * 192)
    assert rows["matmul"].source.startswith("test_profile.py:")
    assert all(row.nanoseconds > 0 for row in found.rows)
    total = sum(row.nanoseconds for row in found.rows)
    whole = sum(event.end - event.start for event in found.events if event.entry.kind == "program")
    assert total == whole  # what is inside is not counted twice


def test_nothing_is_noted_outside():
    jitted = jit(product, backend="numpy")
    with profile() as found:
        pass
    jitted(X, Y)
    assert found.rows == []
    assert str(found) == "no program of autodiff.jit ran while this profile was open"
    assert profiles.open_profiles == []


def test_derivatives_are_programs():
    jitted = jit(product, backend="numpy")
    with profile() as found:
        grad(jitted)(X, Y)
    programs = {name for kind, name in counts(found) if kind == "program"}
    assert programs == {f"the forward pass of {jitted.name}", f"the backward pass of {jitted.name}"}


def test_statements_in_loops_are_theirs_and_not_the_loop_s():
    def body(c, x):
        return np.linalg.inv(c) + x, None

    jitted = jit(lambda c, xs: scan(body, c, xs)[0], backend="numpy")
    with profile() as found:
        jitted(np.eye(3), np.ones((5, 3, 3)))
    assert counts(found) == {
        ("program", jitted.name): 1,
        ("loop", "scan"): 1,
        ("LAPACK", "inv"): 5,
        ("NumPy", "add"): 5,
    }
    events = {event.entry.name: event for event in found.events}
    (loop,) = [row for row in found.rows if row.kind == "loop"]
    inside = sum(e.end - e.start for e in found.events if e.entry.kind in ("LAPACK", "NumPy"))
    assert loop.nanoseconds == events["scan"].end - events["scan"].start - inside


def test_errors_are_the_same_and_leave_nothing_behind():
    jitted = jit(lambda x: np.linalg.inv(x * 2) + 1, backend="numpy")
    with pytest.raises(np.linalg.LinAlgError) as plain:
        jitted(np.zeros((2, 2)))
    with profile() as found, pytest.raises(np.linalg.LinAlgError) as timed:
        jitted(np.zeros((2, 2)))
    assert str(timed.value) == str(plain.value)
    assert counts(found) == {("program", jitted.name): 1, ("NumPy", "multiply"): 1}
    assert profiles.running.children == []


def test_profiles_nest_and_do_not_open_twice():
    jitted = jit(product, backend="numpy")
    with profile() as outer:
        jitted(X, Y)
        with profile() as inner:
            jitted(X, Y)
        with pytest.raises(RuntimeError) as caught, outer:
            pass
        assert str(caught.value) == "this profile is open already; make another one with autodiff.profile()"
    assert (counts(outer)["NumPy", "exp"], counts(inner)["NumPy", "exp"]) == (2, 1)
    with outer:
        jitted(X, Y)
    assert counts(outer)["NumPy", "exp"] == 3


def test_threads_are_told_apart():
    jitted = jit(product, backend="numpy")

    def work():
        for _ in range(200):
            jitted(X, Y)

    with profile() as found:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counts(found)["NumPy", "exp"] == 800
    total = sum(row.nanoseconds for row in found.rows)
    assert total == sum(event.end - event.start for event in found.events if event.entry.kind == "program")


def test_the_table_begins_with_what_took_longest():
    jitted = jit(product, backend="numpy")
    with profile() as found:
        jitted(X, Y)
    head, line, *rows, total = str(found).splitlines()
    assert head.split() == ["what", "runs", "calls", "total", "mean", "share", "bytes/s", "operations/s", "lines"]
    assert set(line) == {"-", " "}
    assert len(rows) == 4
    assert total.startswith("total")
    times = [row.nanoseconds for row in found.rows]
    assert times == sorted(times, reverse=True)


def test_a_trace_for_chrome(tmp_path):
    jitted = jit(product, backend="numpy")
    with profile() as found:
        jitted(X, Y)
    found.save(tmp_path / "trace.json")
    content = json.loads((tmp_path / "trace.json").read_text())
    events = [event for event in content["traceEvents"] if event["ph"] == "X"]
    assert [(event["cat"], event["name"]) for event in events] == [
        ("program", jitted.name),
        ("BLAS", "matmul"),
        ("NumPy", "exp"),
        ("NumPy", "sum"),
    ]
    whole, *parts = events
    assert whole["ts"] == 0
    assert all(part["ts"] >= 0 and part["ts"] + part["dur"] <= whole["dur"] + 1e-3 for part in parts)
    about = parts[0]["args"]
    assert about == {
        "program": jitted.name,
        "lines": about["lines"],
        "operations": 240,
        "bytes read": 400,
        "bytes written": 192,
    }
    assert [event["name"] for event in content["traceEvents"] if event["ph"] == "M"] == ["thread_name"]


def test_a_trace_does_not_grow_without_end(monkeypatch, tmp_path):
    monkeypatch.setattr(profiles, "MOST", 5)
    jitted = jit(product, backend="numpy")
    with profile() as found:
        jitted(X, Y)
        jitted(X, Y)
    assert (len(found.events), found.dropped) == (5, 3)
    assert counts(found)["NumPy", "exp"] == 2
    found.save(str(tmp_path / "trace.json"))
    assert json.loads((tmp_path / "trace.json").read_text())["otherData"] == {"dropped events": 3}
