"""explain_recompiles: whole texts."""

import logging
import re
import threading
from functools import partial

import numpy as np
import pytest

from autodiff import explain_recompiles, grad
from autodiff import jit as jit_
from autodiff.facade.settings.configuration import using_config

jit = partial(jit_, backend="numpy")
X = np.ones(3)


def texts(records):
    return [re.sub(r"test_recompiles\.py:\d+", "LINE", str(record)) for record in records]


def f(x, y=1.0, *, mode="a"):
    return x


AGAIN = "jit records f (LINE) again (called at LINE), with 1 kept: "
CHANGES = {
    "a shape": ((X,), {}, (np.ones((2, 3)),), {}, "args[0]: shape (3,) became (2, 3)"),
    "a dtype": ((X,), {}, (X.astype(np.float32),), {}, "args[0]: dtype float64 became float32"),
    "both": (
        (X,),
        {},
        (np.ones(4, np.int8),),
        {},
        "args[0]: shape (3,) became (4,); args[0]: dtype float64 became int8",
    ),
    "a kind": ((1.0,), {}, (np.array(1.0),), {}, "args[0]: Python float became array float64[]"),
    "kinds of numbers": ((1.0,), {}, (1,), {}, "args[0]: Python float became Python int"),
    "a scalar": ((1.0,), {}, (np.float32(1),), {}, "args[0]: Python float became NumPy scalar float32"),
    "scalars": ((np.float64(1),), {}, (np.float32(1),), {}, "args[0]: dtype float64 became float32"),
    "in a tree": (
        ({"w": [X, X]},),
        {},
        ({"w": [X, X[1:]]},),
        {},
        "args[0]['w'][1]: shape (3,) became (2,)",
    ),
    "a structure": (
        ({"w": [X, 1.0]},),
        {},
        ({"w": (X, 1.0)},),
        {},
        "args[0]['w']: [*, *] became (*, *)",
    ),
    "a leaf that is a tree": ((X,), {}, ([X],), {}, "args[0]: array float64[3] became [*]"),
    "keys": (({"a": X},), {}, ({"a": X, "b": X},), {}, "args[0]: {'a': *} became {'a': *, 'b': *}"),
    "a long structure": (
        ([X] * 40,),
        {},
        ([X] * 2,),
        {},
        "args[0]: [*, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *,... became [*, *]",
    ),
    "one more argument": ((X,), {}, (X, X), {}, "args[1] was not given"),
    "one less": ((X, X), {}, (X,), {}, "args[1] was given"),
    "by name": ((X, X), {}, (X,), {"y": X}, "args[1] was given; kwargs['y'] was not given"),
    "a static argument": (
        (X,),
        {"mode": "a"},
        (X,),
        {"mode": "b"},
        "kwargs['mode']: static 'a' became 'b'",
    ),
    "a static argument that was missing": ((X,), {}, (X,), {"mode": "b"}, "kwargs['mode']: static missing became 'b'"),
    "many": (
        ([1.0] * 6,),
        {},
        ([1] * 6,),
        {},
        "args[0][0]: Python float became Python int; args[0][1]: Python float became Python int; args[0][2]: Python float "
        "became Python int; args[0][3]: Python float became Python int; and 2 more",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_reason(name, caplog):
    args, kwargs, others, named, reason = CHANGES[name]
    jitted = jit(f, static_argnames="mode")
    with explain_recompiles() as records:
        for _ in range(2):
            jitted(*args, **kwargs)
        for _ in range(2):
            jitted(*others, **named)
    assert texts(records) == ["jit records f (LINE) for the first time (called at LINE)", AGAIN + reason]
    assert [(r.name, r.levelno, r.getMessage()) for r in caplog.records] == [
        ("autodiff", logging.WARNING, str(record)) for record in records
    ]


def test_the_records():
    jitted = jit(f)
    with explain_recompiles() as records:
        jitted(X)
        jitted(1)
    line = test_the_records.__code__.co_firstlineno
    first, second = records
    assert (first.line, second.line) == (f"test_recompiles.py:{line + 3}", f"test_recompiles.py:{line + 4}")
    assert first.function == second.function == f"f (test_recompiles.py:{f.__code__.co_firstlineno})"
    assert (first.reasons, second.reasons) == ((), ("args[0]: array float64[3] became Python int",))
    assert (first.programs, second.programs) == (0, 1)


def test_the_configuration():
    jitted = jit(f)
    with explain_recompiles() as records:
        jitted(X)
        with using_config("train", False), using_config("dtype", np.dtype(np.float64)):
            jitted(X)
    assert texts(records)[1] == (
        AGAIN + "config.train: True became False; config.dtype: dtype('float32') became dtype('float64')"
    )


def test_the_nearest_earlier_call_counts():
    jitted = jit(f)
    jitted(X, X)
    jitted(X[1:], 1.0)
    jitted(1, 1)
    with explain_recompiles() as records:
        jitted(X, X[1:])
    assert texts(records) == [
        "jit records f (LINE) again (called at LINE), with 3 kept: args[1]: shape (3,) became (2,)"
    ]


def test_a_program_that_was_dropped():
    jitted = jit(f)
    jitted.kept = 2
    with explain_recompiles() as records:
        for n in (1, 2, 3, 1):
            jitted(np.ones(n))
    assert texts(records)[3] == (
        "jit records f (LINE) again (called at LINE), with 2 kept: args[0]: shape (3,) became (1,)"
    )


def test_closing_over_traced_values():
    with explain_recompiles() as records:
        grad(lambda w: jit(lambda x: x * w)(3.0))(2.0)
    assert texts(records) == [
        "jit records <lambda> (LINE) in every call (called at LINE): it closes over traced values; pass them as arguments to "
        "have it recorded once"
    ]


def test_it_may_be_entered_twice_and_switched_on_for_good():
    jitted = jit(f)
    outer = explain_recompiles()
    records = outer.start()
    with explain_recompiles() as inner:
        jitted(1.0)
    jitted(2)
    outer.stop()
    jitted(X)
    assert (len(records), len(inner)) == (2, 1)
    with pytest.raises(RuntimeError) as error:
        outer.stop()
    assert str(error.value) == "explain_recompiles: stop() was called before start(); start it first"


def test_other_threads_are_heard():
    jitted = jit(f)
    with explain_recompiles() as records:
        thread = threading.Thread(target=lambda: jitted(X))
        thread.start()
        thread.join()
    assert len(records) == 1


def test_nothing_is_told_otherwise(caplog):
    jit(f)(X)
    with pytest.raises(ZeroDivisionError), explain_recompiles() as records:
        jit(lambda x: 1 / 0)(X)
    jit(f)(X)
    assert records == []
    assert caplog.records == []
