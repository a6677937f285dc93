"""Saved tapes that somebody has made to do harm, or by mistake: refused by a TapeError that says what is wrong."""

from __future__ import annotations

import builtins
import dataclasses
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import autodiff
from autodiff import check_tape, eval_tape, jit, load_tape, make_tape, tape_python
from autodiff.backends.reference import run_tape
from autodiff.backends.straight import Straight
from autodiff.trace.formats.save import DEEPEST, tape_from_json, tape_to_json
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Equation, Literal, Tape, TapeError
from autodiff.transforms.control.cond import cond
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import while_loop

from .tapes import X

M = np.arange(6.0).reshape(2, 3)


class Pair(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Record:
    x: Any


def scanned(x: Any) -> Any:
    return scan(lambda c, row: (c + np.sum(row), c * row), 0.0, x)


def repeated(x: Any) -> Any:
    return while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x))


def chosen(x: Any) -> Any:
    return cond(np.sum(x) > 0, np.sin, np.cos, x)


def data_of(fun: Callable[..., Any], *args: Any) -> Any:
    with np.errstate(all="ignore"):
        return json.loads(tape_to_json(make_tape(fun)(*args)))


def load(data: Any, *classes: type) -> Tape:
    return tape_from_json(data if isinstance(data, str) else json.dumps(data), classes)


def refused(data: Any, *classes: type) -> str:
    with pytest.raises(TapeError) as error:
        load(data, *classes)
    return str(error.value)


def equation(data: Any, number: int = 0) -> Any:
    return data["tape"]["equations"][number]


# Code.

CODE = "axis=print('code of the file runs') or -1, kind"


def test_a_parameter_whose_name_is_code(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(np.argsort, X)
    equation(data)["params"] = {CODE: None, "axis": -1}
    assert refused(data) == f"equation 0 (argsort): it has no parameter named {CODE!r} (it has axis, kind)"
    (tape,) = [make_tape(np.argsort)(X)]
    (call,) = tape.equations
    made = replace(tape, equations=(replace(call, params=((CODE, None),)),))
    for use in (check_tape, tape_python, Straight):
        with pytest.raises(TapeError):
            use(made)
    assert capsys.readouterr().out == ""


def test_printers_print_no_name_that_is_none() -> None:
    tape = make_tape(np.argsort)(X)
    (call,) = tape.equations
    for name in (CODE, "a b", "", "lambda", "x\ny", "1", "a=1, b"):
        with pytest.raises(TapeError) as error:
            Straight(replace(tape, equations=(replace(call, params=((name, None),)),)))
        assert str(error.value) == f"{name!r} is no name, and cannot stand in a program"
        with pytest.raises(TapeError, match="is no name, and cannot stand in a program"):
            tape_python(tape, name)


@pytest.mark.parametrize(
    "source", ["x.py:1\nimport os", "x.py:1\r", "x.py", "x.py:one", ":", "\x1b[2J:1", "a\u2028:1", "a" * 2000 + ":1", 5]
)
def test_lines_that_are_none(source: Any) -> None:
    data = data_of(np.sin, X)
    equation(data)["source"] = source
    assert "is no line of a file" in refused(data) or "is no text" in refused(data)


def test_a_line_that_could_not_be_loaded_is_not_saved() -> None:
    tape = make_tape(np.sin)(X)
    odd = replace(tape, equations=(replace(tape.equations[0], source="a\nb.py:1"),))
    assert tape_from_json(tape_to_json(odd)).equations[0].source == ""


def test_what_a_compiler_has_made_is_in_no_file() -> None:
    program = jit(lambda x: np.tanh(x) * x + x)
    schedule = program.tape(X)
    data = data_of(np.sin, X)
    for name in ("kernel_of_all", "kernel_of_rows", "kernel_of_windows"):
        equation(data)["primitive"] = name
        assert refused(data) == (
            f"{name} holds what is in no file: what a compiler made for one machine, or an object of this process; "
            "save the tape before it is compiled, and keep functions of sparse matrices and filters out of it"
        )
    kernel = next(p for p in autodiff.trace.primitive.PRIMITIVES.values() if p.params is None)
    made = replace(schedule, equations=(replace(schedule.equations[0], primitive=kernel),))
    with pytest.raises(TapeError, match="holds what is in no file"):
        tape_to_json(made)


@pytest.mark.parametrize("name", ["jit", "custom_vjp", "custom_jvp"])
def test_rules_and_programs_are_in_no_file(name: str) -> None:
    data = data_of(autodiff.checkpoint(lambda x: np.sin(x) * x), X)
    equation(data)["primitive"] = name
    assert refused(data) == f"equation 0 ({name}): the parameter rule is missing: a derivative rule"
    equation(data)["params"]["rule"] = "eval"
    assert refused(data) == f"equation 0 ({name}): the parameter rule must be a derivative rule, and is 'eval'"


# Trees.


def test_names_of_fields_are_those_of_the_class() -> None:
    data = data_of(lambda r: Record(r.x * 2), Record(X))
    results = data["tape"]["results"]
    assert load(data, Record).results.kind is Record
    for extra in ({"tuple": ["__class__"]}, {"tuple": ["x", "y"]}, {"tuple": ["x\n"]}, None, "x", {"tuple": [1]}):
        results["extra"] = extra
        assert refused(data, Record) == "the saved tape is damaged: Record has the fields x"


def test_containers_that_could_not_be() -> None:
    data = data_of(lambda x: {"a": x, "b": x}, X)
    results = data["tape"]["results"]
    keys = results["extra"]["tuple"]
    for wrong in (["a", "a"], ["a"], ["a", "b", "c"]):
        results["extra"] = {"tuple": wrong}
        assert refused(data) == "the saved tape is damaged: a dictionary of 2 values needs as many different keys"
    for wrong in ([{"dtype": "<f8"}, "b"], [{"tuple": [{"ellipsis": None}]}, "b"]):
        results["extra"] = {"tuple": wrong}
        assert (
            refused(data)
            == "the saved tape is damaged: the keys of a dictionary are texts, numbers, None, and tuples of these"
        )
    results["extra"] = {"tuple": keys}
    results["kind"] = "builtins.object"
    assert (
        refused(data, object)
        == "the saved tape is damaged: the instances of object are no trees; register_tree makes them some"
    )
    assert "needs the class builtins.object" in refused(data)
    pair = data_of(lambda x: Pair(x, x), X)
    pair["tape"]["results"]["children"].append("*")
    assert refused(pair, Pair) == "the saved tape is damaged: Pair has 2 parts, and not 3"


def test_trees_with_other_numbers_of_leaves() -> None:
    data = data_of(lambda x: (x, x), X)
    data["tape"]["results"]["children"].append("*")
    assert refused(data) == "the tape has 2 results, but their structure has places for 3"
    data = data_of(lambda x: x, X)
    data["tape"]["arguments"]["children"] = ["*", "*"]
    assert refused(data) == "the tape has 1 arguments, but their structure has places for 2"


# Depth.


def nested(times: int) -> str:
    return '{"format": "autodiff tape", "version": 1, "tape": ' + '{"tuple": [' * times + "1" + "]}" * times + "}"


@pytest.mark.parametrize("times", [DEEPEST, 10_000, 1_000_000])
def test_deep_data(times: int) -> None:
    assert refused(nested(times)) == "the tape is nested too deep to be saved or loaded"


def wrapped(tape: Tape, times: int) -> Tape:
    """The tape as the body of a call, as the body of a call, ..."""
    call = autodiff.trace.primitive.PRIMITIVES["checkpoint"]
    for _ in range(times):
        specs = tape.output_specs
        first = len(tape.inputs)
        made = Equation(call, tuple(range(first)), (("tape", tape),), tuple(range(first, first + len(specs))), specs)
        tape = Tape(tape.inputs, (made,), made.results)
    return tape


def test_deep_programs() -> None:
    tape = wrapped(replace(make_tape(np.sin)(X), arguments=None, results=None), 30)
    loaded = tape_from_json(tape_to_json(tape))
    assert loaded == tape
    np.testing.assert_array_equal(run_tape(loaded, [X])[0], np.sin(X))
    deep = wrapped(tape, 2000)
    check_tape(deep)  # it is a program, and nothing recurses over its depth
    with pytest.raises(TapeError) as error:
        tape_to_json(deep)
    assert str(error.value) == "the tape is nested too deep to be saved or loaded"


def test_deep_programs_that_were_written_by_hand() -> None:
    data = json.loads(tape_to_json(wrapped(replace(make_tape(np.sin)(X), arguments=None, results=None), 1)))
    outer = data["tape"]
    for _ in range(100):
        outer = json.loads(json.dumps(data["tape"])) | {
            "equations": [dict(outer["equations"][0], params={"tape": {"tape": outer}})]
        }
    assert refused({**data, "tape": outer}) == "the tape is nested too deep to be saved or loaded"


# Parameters.

WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], Callable[[Any], Any], str]] = [
    (np.sum, (M,), lambda p: p.update(axes={"tuple": [-3]}), "equation 0 (sum): the parameter axes must be a tuple of different axes of the operand, from -ndim to -1, and is (-3,)"),
    (np.sum, (M,), lambda p: p.update(axes={"tuple": [-1, -1]}), "equation 0 (sum): the parameter axes must be a tuple of different axes of the operand, from -ndim to -1, and is (-1, -1)"),
    (np.sum, (M,), lambda p: p.update(axes={"tuple": [True]}), "equation 0 (sum): the parameter axes must be a tuple of different axes of the operand, from -ndim to -1, and is (True,)"),
    (np.sum, (M,), lambda p: p.clear(), "equation 0 (sum): the parameter axes is missing: a tuple of different axes of the operand, from -ndim to -1"),
    (np.sum, (M,), lambda p: p.update(out=None), "equation 0 (sum): it has no parameter named 'out' (it has axes)"),
    (np.sin, (M,), lambda p: p.update(where=False), "equation 0 (sin): it has no parameter named 'where' (it has none)"),
    (np.ravel, (M,), lambda p: p.update(shape={"tuple": [7]}), "equation 0 (reshape): the numbers of elements must agree, and are 6 and 7"),
    (np.ravel, (M,), lambda p: p.update(shape={"tuple": [-1]}), "equation 0 (reshape): the parameter shape must be a shape: a tuple of lengths, and is (-1,)"),
    (np.transpose, (M,), lambda p: p.update(axes={"tuple": [-1, -1]}), "equation 0 (transpose): the parameter axes must be a permutation of the last axes, and is (-1, -1)"),
    (lambda x: np.broadcast_to(x, (4, 2, 3)), (M,), lambda p: p.update(shape={"tuple": [4, 2, 4]}), "equation 0 (broadcast_to): an operand of shape (2, 3) cannot be repeated to the shape (4, 2, 4)"),
    (lambda x: x[1:], (M,), lambda p: p.update(key={"tuple": [{"tuple": [1, None, 0]}]}), "equation 0 (slice_of): the parameter key must be a tuple of ints, triples for slices, None, and an Ellipsis at the end, and is ((1, None, 0),)"),
    (lambda x: x[1], (M,), lambda p: p.update(key={"tuple": [5, 5]}), "equation 0 (slice_of): index 5 is out of bounds for axis 0 with size 2"),
    (lambda x: x[1], (M,), lambda p: p.update(key={"tuple": [1, 1, 1]}), "equation 0 (slice_of): a key of 3 axes is no key of an operand that has 2"),
    (np.argsort, (X,), lambda p: p.update(kind="eval"), "equation 0 (argsort): the parameter kind must be one of None, 'quicksort', 'heapsort', 'mergesort', 'stable', and is 'eval'"),
    (lambda x: x.astype(np.float32), (M,), lambda p: p.update(dtype="f4"), "equation 0 (cast): the parameter dtype must be a dtype of numbers, and is 'f4'"),
    (lambda x: np.einsum("ij,kj->ik", x, x), (M,), lambda p: p.update(subscripts="ij,kj->kk"), "equation 0 (einsum): a letter is twice in the result of ij,kj->kk"),
    (lambda x: np.round(x, 2), (M,), lambda p: p.update(decimals=10**9), "equation 0 (round): the parameter decimals must be an int from -1000 to 1000, and is 1000000000"),
    (lambda x: np.cumsum(x, 0), (M,), lambda p: p.update(reverse=1), "equation 0 (cumsum): the parameter reverse must be True or False, and is 1"),
    (scanned, (M,), lambda p: p.update(length=10**6), "equation 0 (scan): 1000000 steps take as many slices, and not of (float64[2,3],)"),
    (scanned, (M,), lambda p: p.update(length=-1), "equation 0 (scan): the parameter length must be an int of at least 0, and is -1"),
    (scanned, (M,), lambda p: p.update(carry=5), "equation 0 (scan): 2 operands are less than 5 carries and 1 slices"),
    (scanned, (M,), lambda p: p.update(slices=0), "equation 0 (scan): its tape takes [float64[], float64[3]], and it is given [float64[], float64[2,3]]"),
    (scanned, (M,), lambda p: p.update(unroll=0), "equation 0 (scan): the parameter unroll must be an int of at least 1, and is 0"),
    (scanned, (M,), lambda p: p["tape"]["tape"]["outputs"].reverse(), "equation 0 (scan): the body of the loop takes float64[] and returns float64[3] in its place"),
    (repeated, (X,), lambda p: p.update(carry=1), "equation 0 (while_loop): the body of the loop returns 2 values for 1 carries"),
    (repeated, (X,), lambda p: p["condition"]["tape"]["outputs"].append(0), "equation 0 (while_loop): the condition returns [bool, int], and not a boolean"),
    (repeated, (X,), lambda p: p.update(max_steps=-1), "equation 0 (while_loop): the parameter max_steps must be None or an int of at least 0, and is -1"),
    (autodiff.checkpoint(lambda x: np.sin(x) * x), (X,), lambda p: p["tape"]["tape"].update(constants=[{"dtype": "<f8", "shape": [3], "data": "A" * 32}]), "equation 0 (checkpoint): the parameter tape must be a tape without constants, and is Tape"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_parameters(number: int) -> None:
    fun, args, change, message = WRONG[number]
    data = data_of(fun, *args)
    load(data)
    change(equation(data)["params"])
    assert refused(data) == message


def test_branches_must_be_alike() -> None:
    data = data_of(chosen, X)
    switch = next(e for e in data["tape"]["equations"] if e["primitive"] == "switch")
    number = data["tape"]["equations"].index(switch)
    branches = switch["params"]["branches"]["tuple"]
    branches[1]["tape"]["outputs"] = []
    assert refused(data) == f"equation {number} (switch): the branches must return the same shapes and dtypes"
    del branches[:]
    assert f"equation {number} (switch): the parameter branches must be a tuple" in refused(data)


@pytest.mark.parametrize("number", [-7, -1, 0, 2, 3, 10**9])
def test_a_number_that_no_branch_has_is_the_last(number: int) -> None:
    data = data_of(lambda i, x: autodiff.switch(i, [np.sin, np.cos, np.exp], x), np.int64(1), X)
    switch = data["tape"]["equations"][-1]
    assert switch["primitive"] == "switch"
    switch["operands"][0] = 0  # and not what was clipped
    tape = load(data)
    index = np.int64(number)
    wanted = np.sin(X) if number == 0 else np.exp(X)
    np.testing.assert_allclose(eval_tape(tape, index, X), wanted)
    for backend in ("auto", "numpy"):
        np.testing.assert_allclose(jit(lambda i, x: eval_tape(tape, i, x), backend=backend)(index, X), wanted)
    np.testing.assert_allclose(autodiff.vmap(lambda i: eval_tape(tape, i, X))(np.array([number]))[0], wanted)


# Operands, specs, sizes.


def literal(data: Any, value: Any) -> Any:
    equation(data, 1)["operands"][1] = value
    return data


@pytest.mark.parametrize(
    ("operand", "message"),
    [
        (True, "the saved tape is damaged: True is no object with literal"),
        (1.0, "the saved tape is damaged: 1.0 is no object with literal"),
        (-1, "equation 1 (multiply) reads slot -1, which nothing has filled yet"),
        (2, "equation 1 (multiply) reads slot 2, which nothing has filled yet"),
        ({"literal": "1"}, "the saved tape is damaged: '1' is no number"),
        ({"literal": None}, "the saved tape is damaged: None is no number"),
        ({"literal": {"tuple": [1]}}, "the saved tape is damaged: an object with tuple is no number"),
        ({"literal": {"complex": [1.0]}}, "the saved tape is damaged: a complex number has two parts, each of which is a float"),
        ({"literal": {"float": "zz"}}, "the saved tape is damaged: 'zz' are not the bits of a float"),
        ({"literal": {"scalar": {"dtype": "<f8", "shape": [1], "data": "AAAAAAAA8D8="}}}, "the saved tape is damaged: an array of shape (1,) is no number"),
    ],
)  # fmt: skip
def test_wrong_operands(operand: Any, message: str) -> None:
    assert refused(literal(data_of(lambda x: np.sin(x) * 2.0, X), operand)) == message


def test_numbers_of_more_than_64_bits() -> None:
    tape = load(literal(data_of(lambda x: np.sin(x) * 2.0, X), {"literal": 2**70}))
    np.testing.assert_array_equal(jit(lambda x: eval_tape(tape, x))(X), np.sin(X) * 2**70)
    integers = data_of(lambda n: (n + 1) * 2, np.arange(3))
    assert refused(literal(integers, {"literal": 2**63})) == (
        "equation 1 (multiply) has the operand 9223372036854775808, which no array has room for"
    )


SPECS: list[tuple[Any, str]] = [
    ([[3], "|O", "array"], "'|O' is no dtype of numbers"),
    ([[3], "f8", "array"], "'f8' is no dtype of numbers"),
    ([[3], "<f8,<f8", "array"], "'<f8,<f8' is no dtype of numbers"),
    ([[3], [["a", "<f8"]], "array"], "a list is no text"),
    ([[-1], "<f8", "array"], "there is no array of shape (-1,)"),
    ([[2**62, 4], "<f8", "array"], "there is no array of shape (4611686018427387904, 4)"),
    ([[2**61], "<f8", "array"], "there are no values of kind array, shape (2305843009213693952,) and dtype float64"),
    ([[1] * 65, "<f8", "array"], f"there is no array of shape {(1,) * 65}"),
    ([[3], "<f8", "scalar"], "there are no values of kind scalar, shape (3,) and dtype float64"),
    ([[], "<f4", "python"], "there are no values of kind python, shape () and dtype float32"),
    ([[3.0], "<f8", "array"], "3.0 is no integer"),
    ([[3], "<f8"], "a spec has three parts, and not 2"),
]


@pytest.mark.parametrize("number", range(len(SPECS)))
def test_wrong_specs(number: int) -> None:
    wrong, message = SPECS[number]
    data = data_of(np.sin, X)
    data["tape"]["inputs"][0] = wrong
    assert refused(data) == f"the saved tape is damaged: {message}"


def test_constants_of_other_sizes_than_they_say() -> None:
    data = data_of(lambda x: x * X, X)
    constant = data["tape"]["constants"][0]
    for change, message in (
        (
            {"shape": [2**40]},
            "an array of shape (1099511627776,) and dtype float64 has 8796093022208 bytes, and not 24",
        ),
        ({"data": "=" * 32}, "the bytes of an array"),
        ({"dtype": "<f4"}, "an array of shape (3,) and dtype float32 has 12 bytes, and not 24"),
    ):
        with_change = json.loads(json.dumps(data))
        with_change["tape"]["constants"][0] = constant | change
        assert message in refused(with_change)


def test_slices_that_are_too_many_to_be_counted() -> None:
    data = data_of(lambda x: np.stack(list(x)), M)
    unstack = equation(data)
    assert unstack["primitive"] in ("unstack", "slice_of")
    unstack.update(primitive="unstack", params={"axis": -2})
    data["tape"]["inputs"][0] = [[2**60, 1], "|u1", "array"]
    assert "1152921504606846976 slices are too many for one operation" in refused(data)


def test_other_numbers_of_operands_and_results() -> None:
    data = data_of(np.sin, X)
    equation(data)["operands"] = [0, 0]
    assert refused(data) == "equation 0 (sin): it takes 1 operands and got 2"
    data = data_of(np.sin, X)
    equation(data)["results"] = [1, 2]
    assert refused(data) == "equation 0 (sin) fills slots (1, 2); the next free slot is 1"
    equation(data).update(results=[], specs=[])
    assert refused(data) == "equation 0 (sin) fills slots (); the next free slot is 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "autodiff tape", "version": NaN, "tape": {}}', "the saved tape is damaged: NaN is no number"),
        ('{"format": "autodiff tape", "version": 1, "tape": {}, "more": 1}', "the saved tape is damaged: an object with format, more, tape, version is no object with format, version, tape"),
        ('{"format": "autodiff tape", "version": 1, "tape": []}', "the saved tape is damaged: a list is no object with inputs, equations, outputs, constants, arguments, results"),
        ("9" * 5000, "the saved tape is damaged: ValueError: Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits; use sys.set_int_max_str_digits() to increase the limit"),
        ("\x00", "the saved tape is damaged: JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    ],
)  # fmt: skip
def test_files_of_something_else(text: str, message: str) -> None:
    assert refused(text) == message


def test_files_that_are_no_text(tmp_path: Any) -> None:
    (tmp_path / "tape.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TapeError, match=r"^this is no saved tape$"):
        load_tape(tmp_path / "tape.json")


def test_no_name_of_python_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading, checking and printing as text run nothing that was not there before."""
    data = data_of(scanned, M)

    def refuse(*args: Any, **options: Any) -> Any:
        raise AssertionError("code was made of a file")

    tape_python(make_tape(np.sin)(X))
    autodiff.tape_graphviz(make_tape(np.sin)(X))
    with monkeypatch.context() as patch:
        for name in ("exec", "eval", "compile"):
            patch.setattr(builtins, name, refuse)
        tape = load(data)
        str(tape)
        tape_python(tape)
        autodiff.tape_graphviz(tape)


# What is in memory only.


def test_tapes_in_memory_that_hold_no_numbers() -> None:
    text = Spec((3,), np.dtype("<U4"))
    check_tape(Tape((text,), (), (0,)))
    with pytest.raises(TapeError, match="the dtype <U4 cannot be saved"):
        tape_to_json(Tape((text,), (), (0,)))
    with pytest.raises(TapeError, match="there are no values of the spec array object"):
        check_tape(Tape((Spec((3,), np.dtype(object)),), (), (0,)))
    with pytest.raises(TapeError, match="is neither a slot nor a number"):
        check_tape(Tape((), (), (Literal("text"),)))


def test_positions_of_a_loop_backwards() -> None:
    tape = make_tape(autodiff.grad(lambda x: np.sum(repeated(x)[1])))(X)
    number, call = next((k, e) for k, e in enumerate(tape.equations) if e.primitive.name == "while_loop_backwards")
    for change, message in (
        ({"wanted": (9,)}, "(9,) have no cotangents"),
        ({"wanted": (0,)}, "(0,) have no cotangents"),
        ({"wanted": (1, 1)}, "the positions (1, 1) must differ"),
        ({"used": ()}, "what the step back takes must agree"),
        ({"smooth": ()}, "there are cotangents of [1], and not of () alone"),
        ({"smooth": (0, 1)}, "(0, 1) have no cotangents"),
        ({"back": dict(call.params)["body"]}, "what the step back takes must agree"),
    ):
        params = tuple(sorted((dict(call.params) | change).items()))
        equations = (*tape.equations[:number], replace(call, params=params), *tape.equations[number + 1 :])
        with pytest.raises(TapeError) as error:
            check_tape(replace(tape, equations=equations))
        assert message in str(error.value)


def test_a_spec_that_is_too_large() -> None:
    tape = make_tape(lambda x: np.stack([x, x]))(spec((2**62,), np.uint8))
    with pytest.raises(TapeError, match="of which there are no values"):
        check_tape(tape)
