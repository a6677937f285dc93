"""Tapes in files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff import check_tape, cond, eval_tape, grad, jit, load_tape, make_tape, save_tape, scan
from autodiff.trace.formats.save import tape_from_json, tape_to_json
from autodiff.trace.tape import Literal, TapeError

from .tapes import FUNCTIONS, Point, X
from .test_tape import assert_same

SAVABLE = [name for name in FUNCTIONS if name != "rule"]


@pytest.mark.parametrize("name", SAVABLE)
def test_a_loaded_tape_is_the_saved_one(name: str, tmp_path: Path) -> None:
    fun, args = FUNCTIONS[name]
    tape = make_tape(fun)(*args)
    save_tape(tape, tmp_path / "tape.json")
    loaded = load_tape(tmp_path / "tape.json", classes=[Point])
    check_tape(loaded)
    assert loaded == tape
    assert hash(loaded) == hash(tape)
    assert str(loaded) == str(tape)
    assert_same(eval_tape(loaded, *args), fun(*args))
    for constant, saved in zip(loaded.constants, tape.constants, strict=True):
        np.testing.assert_array_equal(constant, saved)
        assert constant.dtype == saved.dtype


@pytest.mark.parametrize(
    "value",
    [
        0.0, -0.0, 1e-320, np.nan, -np.nan, np.inf, -np.inf, 1, 2**70, True, 1 - 0j, complex(np.nan, -0.0),
        np.float32(1e-40), np.float16(np.nan), np.int8(-3), np.bool_(True), np.complex64(1j), np.uint64(2**64 - 1),
    ],
)  # fmt: skip
def test_literals_keep_type_and_bits(value: Any) -> None:
    tape = make_tape(lambda x: (x, value))(1.0)
    loaded = tape_from_json(tape_to_json(tape))
    assert loaded.outputs[1] == Literal(value)
    assert type(loaded.outputs[1].value) is type(value)  # type: ignore[union-attr]


def test_the_file_is_plain_json() -> None:
    data = json.loads(tape_to_json(make_tape(lambda x: np.sin(x) * 2.0)(X)))
    assert (data["format"], data["version"]) == ("autodiff tape", 1)
    assert [equation["primitive"] for equation in data["tape"]["equations"]] == ["sin", "multiply"]
    assert data["tape"]["equations"][1]["operands"] == [1, {"literal": 2.0}]


def test_calls_of_programs_are_saved_as_their_operations() -> None:
    inner = jit(lambda x: np.sin(x) * x)

    def fun(x: Any) -> Any:
        y = inner(x) + jit(lambda a: inner(a) * 0.5)(x)
        z = scan(lambda c, _: (inner(c), np.sum(c)), y, None, length=3)[0]
        return cond(np.sum(z) > 0, lambda t: inner(t), lambda t: t, z), inner(np.float64(2.0)), y

    x = np.linspace(0.1, 1.0, 4)
    loaded = tape_from_json(tape_to_json(make_tape(fun)(x)))
    assert "jit" not in str(loaded)
    for ours, theirs in zip(eval_tape(loaded, x), fun(x), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    slope = grad(lambda x: np.sum(fun(x)[0]))
    np.testing.assert_allclose(grad(lambda x: np.sum(eval_tape(loaded, x)[0]))(x), slope(x), rtol=1e-13)
    np.testing.assert_allclose(eval_tape(tape_from_json(tape_to_json(make_tape(slope)(x))), x), slope(x), rtol=1e-13)


def test_rules_are_code_and_are_not_saved() -> None:
    fun, args = FUNCTIONS["rule"]
    with pytest.raises(TapeError) as error:
        tape_to_json(make_tape(fun)(*args))
    assert str(error.value) == (
        "the parameter rule of custom_jvp cannot be saved: it holds a JvpRule, which is neither a number, a text, a "
        "dtype, nor a tape"
    )


def test_a_class_that_is_not_given() -> None:
    text = tape_to_json(make_tape(lambda p: p.x)(Point(1.0, 2.0)))
    with pytest.raises(TapeError) as error:
        tape_from_json(text)
    name = f"{Point.__module__}.Point"
    assert str(error.value) == f"the saved tape needs the class {name}; load it with classes=[Point]"


def changed(change: Any) -> str:
    data = json.loads(tape_to_json(make_tape(lambda x: np.sin(x) * X)(X)))
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the saved tape is damaged: JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "this is no saved tape"),
        ('{"format": "other"}', "this is no saved tape"),
        (changed(lambda d: d.update(version=99)), "the tape was saved in version 99; this program reads version 1"),
        (
            changed(lambda d: d["tape"]["equations"][0].update(primitive="nothing")),
            "no primitive is named 'nothing'; import the module that defines it before loading the tape",
        ),
        (
            changed(lambda d: d["tape"].pop("outputs")),
            "the saved tape is damaged: an object with arguments, constants, equations, inputs, results is no object with "
            "inputs, equations, outputs, constants, arguments, results",
        ),
        (
            changed(lambda d: d["tape"]["equations"][0].update(operands=[5])),
            "equation 0 (sin) reads slot 5, which nothing has filled yet",
        ),
        (
            changed(lambda d: d["tape"]["constants"][0].update(shape=[4])),
            "the saved tape is damaged: an array of shape (4,) and dtype float64 has 32 bytes, and not 24",
        ),
        (
            changed(lambda d: d["tape"]["inputs"].__setitem__(0, [[3], "<f8", "list"])),
            "the saved tape is damaged: there is no kind 'list'",
        ),
    ],
)
def test_damaged_files(text: str, message: str) -> None:
    with pytest.raises(TapeError) as error:
        tape_from_json(text)
    assert str(error.value) == message


def test_objects_are_never_loaded() -> None:
    text = changed(lambda d: d["tape"]["constants"][0].update(dtype="|O"))
    with pytest.raises(TapeError, match="the saved tape is damaged"):
        tape_from_json(text)
