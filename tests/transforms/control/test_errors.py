"""Bad input to loops and branches: the whole text of an error for each kind, with the user's file and line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from autodiff import make_tape, vmap
from autodiff.transforms.control.associative import associative_scan
from autodiff.transforms.control.carry import ControlError
from autodiff.transforms.control.cond import cond, switch
from autodiff.transforms.control.map import map as map_slices
from autodiff.transforms.control.repeat import StepsError
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import fori_loop, while_loop

XS = np.arange(3.0)


def changing(c: Any, x: Any) -> Any:
    return {"a": c["a"][:1], "b": c["b"] + 0.5}, x


def restructuring(c: Any, x: Any) -> Any:
    return [c], x


def growing(c: Any, x: Any) -> Any:
    return c, np.ones(int(x) + 1)


def unsure(c: Any, x: Any) -> Any:
    return c, (None if x > 0 else x)


def single(c: Any, x: Any) -> Any:
    return c


def naming(c: Any, x: Any) -> Any:
    return c, "name"


def up(c: Any) -> Any:
    return c + 1


def halved(c: Any) -> Any:
    return c / 2


def pair(a: Any, b: Any) -> Any:
    return a


ERRORS: dict[str, tuple[Any, type[Exception], str]] = {
    "a carry that changes": (
        lambda: scan(changing, {"a": np.ones(2), "b": np.int64(1)}, XS),
        ControlError,
        "scan: the carry must keep its shapes and dtypes, but changing (LINE) changed them: ['a'] is float64[2] in init and float64[1] after a step; ['b'] is int64[] in init and float64[] after a step (LINE). Give init the shape and dtype that it has after a step, or convert the result with astype.",
    ),
    "the same with shapes only": (
        lambda: make_tape(lambda xs: scan(changing, {"a": np.ones(2), "b": np.int64(1)}, xs))(XS),
        ControlError,
        "scan: the carry must keep its shapes and dtypes, but changing (LINE) changed them: ['a'] is float64[2] in init and float64[1] after a step; ['b'] is int64[] in init and float64[] after a step (LINE). Give init the shape and dtype that it has after a step, or convert the result with astype.",
    ),
    "a carry of another structure": (
        lambda: scan(restructuring, 1.0, XS),
        ControlError,
        "scan: the carry must keep its structure, but restructuring (LINE) returned [*] where init is * (LINE); return a carry like init",
    ),
    "results of several shapes": (
        lambda: scan(growing, 1.0, XS),
        ControlError,
        "scan: the results of all steps are stacked, but one step returned float64[1], another float64[2] (LINE); return the same shapes and dtypes in every step",
    ),
    "results of several structures": (
        lambda: scan(unsure, 1.0, XS),
        ControlError,
        "scan: the results of all steps are stacked, but unsure (LINE) returned None after * (LINE); return the same structure in every step",
    ),
    "no pair": (
        lambda: scan(single, 1.0, XS),
        ControlError,
        "scan: single (LINE) must return a pair (carry, y), but returned float (LINE); y may be None",
    ),
    "a result that is no number": (
        lambda: scan(naming, 1.0, XS),
        ControlError,
        "scan works on numbers and arrays, but what naming (LINE) returns holds str (LINE); leave out everything else, a function can close over it",
    ),
    "a carry that is no number": (
        lambda: scan(single, {"n": "x"}, XS),
        ControlError,
        "scan works on numbers and arrays, but init holds str at ['n'] (LINE); leave out everything else, a function can close over it",
    ),
    "slices of several numbers": (
        lambda: scan(single, 1.0, {"a": XS, "b": np.ones((2, 2))}),
        ControlError,
        "scan needs one number of slices, but xs['a'] is float64[3], xs['b'] is float64[2,2] (LINE); make the first axes equally long",
    ),
    "slices and a length": (
        lambda: scan(single, 1.0, XS, length=4),
        ControlError,
        "scan needs one number of slices, but xs is float64[3], and length=4 (LINE); make the first axes equally long",
    ),
    "no length": (
        lambda: scan(single, 1.0),
        ControlError,
        "scan does not know how many steps to take (LINE); pass xs or length",
    ),
    "a negative length": (
        lambda: scan(single, 1.0, length=-1),
        ControlError,
        "scan: length must be an int that is not negative, got -1 (LINE)",
    ),
    "numbers as slices": (
        lambda: scan(single, 1.0, (XS, 2.0)),
        ControlError,
        "scan takes slices along the first axis of xs, but xs[0] is float64[3], xs[1] is float64[] (LINE); numbers have none, np.asarray makes an array of a list",
    ),
    "no unrolling": (
        lambda: scan(single, 1.0, XS, unroll=0),
        ValueError,
        "scan: unroll must be an int of at least 1, got 0 (LINE)",
    ),
    "an unknown checkpoint": (
        lambda: scan(single, 1.0, XS, checkpoint="log"),
        ValueError,
        "scan: checkpoint must be None, 'sqrt' or an int of at least 1, got 'log' (LINE)",
    ),
    "blocks without steps": (
        lambda: scan(single, 1.0, XS, checkpoint=0),
        ValueError,
        "scan: checkpoint must be None, 'sqrt' or an int of at least 1, got 0 (LINE)",
    ),
    "no function to scan": (
        lambda: scan(1.0, XS, XS),
        TypeError,
        "scan needs a function, got float (LINE); write scan(f, init, xs)",
    ),
    "no function to map": (
        lambda: map_slices(XS, XS),
        TypeError,
        "map needs a function, got ndarray (LINE); write map(f, xs)",
    ),
    "nothing to map over": (
        lambda: map_slices(np.sin, ()),
        ControlError,
        "map does not know how many steps to take (LINE); pass an array",
    ),
    "several predicates": (
        lambda: cond(XS > 0, np.sin, np.cos, 1.0),
        ControlError,
        "cond: the predicate must be one number, got bool[3] (LINE); np.where selects element by element, np.any makes one of many",
    ),
    "a text as predicate": (
        lambda: cond("yes", np.sin, np.cos, 1.0),
        ControlError,
        "cond: the predicate must be one number, got str (LINE); np.where selects element by element, np.any makes one of many",
    ),
    "a branch that was called": (
        lambda: cond(True, np.sin(1.0), np.cos),
        TypeError,
        "cond needs functions as branches, got float64[] (LINE); pass f, not f(x)",
    ),
    "branches of several structures": (
        lambda: make_tape(lambda p: cond(p, lambda: 1.0, lambda: (1.0,)))(True),
        ControlError,
        "cond: all branches must return the same structure, but <lambda> (LINE) returned * and <lambda> (LINE) returned (*,) (LINE)",
    ),
    "branches of several shapes": (
        lambda: make_tape(lambda p: cond(p, lambda: XS, lambda: XS[:2]))(True),
        ControlError,
        "cond: all branches must return the same shapes and dtypes, but returned float64[3] from <lambda> (LINE) and float64[2] from <lambda> (LINE) (LINE); convert with np.broadcast_to and astype",
    ),
    "branches of several dtypes": (
        lambda: make_tape(lambda p: cond(p, lambda: XS, lambda: XS.astype(np.float32)))(True),
        ControlError,
        "cond: all branches must return the same shapes and dtypes, but returned float64[3] from <lambda> (LINE) and float32[3] from <lambda> (LINE) (LINE); convert with np.broadcast_to and astype",
    ),
    "a Python number that cannot give way": (
        lambda: make_tape(lambda p: cond(p, lambda: np.int64(1), lambda: 1.5))(True),
        ControlError,
        "cond: all branches must return the same shapes and dtypes, but returned int64[] from <lambda> (LINE) and float from <lambda> (LINE) (LINE); convert with np.broadcast_to and astype",
    ),
    "a float as index": (
        lambda: switch(0.5, [up], 1.0),
        ControlError,
        "switch: the index must be one integer, got float (LINE); convert it with int or astype",
    ),
    "no branches": (
        lambda: switch(0, [], 1.0),
        ValueError,
        "switch needs at least one branch (LINE)",
    ),
    "a branch that returns a text": (
        lambda: cond(True, lambda: "a", lambda: "b"),
        ControlError,
        "cond works on numbers and arrays, but what <lambda> (LINE) returns holds str (LINE); leave out everything else, a function can close over it",
    ),
    "a carry of another dtype": (
        lambda: while_loop(lambda c: c < 3, halved, np.int64(1)),
        ControlError,
        "while_loop: the carry must keep its shapes and dtypes, but halved (LINE) changed them: it is int64[] in init and float64[] after a step (LINE). Give init the shape and dtype that it has after a step, or convert the result with astype.",
    ),
    "a condition of several booleans": (
        lambda: while_loop(lambda c: c < 3, up, XS),
        ControlError,
        "while_loop: <lambda> (LINE) must return one boolean, but returned bool[3] (LINE); np.any and np.all make one of many",
    ),
    "no body": (
        lambda: while_loop(lambda c: c < 3, 1, 2),
        TypeError,
        "while_loop needs two functions and a carry, got int (LINE); write while_loop(cond_fun, body_fun, init)",
    ),
    "too many steps": (
        lambda: while_loop(lambda c: c < 3, up, 0.0, max_steps=2),
        StepsError,
        "while_loop: the condition still holds after max_steps=2 steps (LINE); allow more, or let the condition count",
    ),
    "too many steps of an example": (
        lambda: vmap(lambda x: while_loop(lambda c: c < 3, up, x, max_steps=2))(XS),
        StepsError,
        "while_loop: the condition still holds after max_steps=2 steps (LINE); allow more, or let the condition count",
    ),
    "a negative bound": (
        lambda: while_loop(lambda c: c < 3, up, 0.0, max_steps=-2),
        ValueError,
        "while_loop: max_steps must be None or an int that is not negative, got -2 (LINE)",
    ),
    "an empty carry": (
        lambda: make_tape(lambda x: while_loop(lambda c: x > 0, lambda c: c, ()))(1.0),
        ControlError,
        "while_loop: init is empty (LINE), so that the condition never changes; carry what it depends on",
    ),
    "a float as bound": (
        lambda: fori_loop(0, 2.5, pair, 1.0),
        ControlError,
        "fori_loop: the upper bound must be one integer, got float (LINE); convert it with int or astype",
    ),
    "no body to count for": (
        lambda: fori_loop(0, 2, 1.0, 1.0),
        TypeError,
        "fori_loop needs a function, got float (LINE); write fori_loop(0, n, body, init)",
    ),
    "another structure while counting": (
        lambda: fori_loop(0, 2, lambda i, c: (c, c), 1.0),
        ControlError,
        "fori_loop: the carry must keep its structure, but <lambda> (LINE) returned (*, *) where init is * (LINE); return a carry like init",
    ),
    "no operation": (
        lambda: associative_scan(XS, XS),
        TypeError,
        "associative_scan needs a function, got ndarray (LINE); write associative_scan(fn, xs)",
    ),
    "no such axis": (
        lambda: associative_scan(pair, {"a": XS}, axis=1),
        ControlError,
        "associative_scan: axis=1 but elems['a'] is float64[3] (LINE); choose one of its axes",
    ),
    "elements of several numbers": (
        lambda: associative_scan(pair, (XS, XS[:2])),
        ControlError,
        "associative_scan needs arrays of one length along axis 0, got lengths [2, 3] (LINE)",
    ),
    "an operation that loses elements": (
        lambda: associative_scan(lambda a, b: a[:1], np.ones(8)),
        ControlError,
        "associative_scan: <lambda> (LINE) returned float64[1] for arguments float64[4] (LINE); structure, shapes and dtypes must stay",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_whole_text(name: str) -> None:
    bad, kind, text = ERRORS[name]
    with pytest.raises(kind) as error:
        bad()
    assert re.sub(r"test_errors\.py:\d+", "LINE", str(error.value)) == text
    assert f"test_errors.py:{bad.__code__.co_firstlineno}" in str(error.value)
