"""The function that runs a program's steps, in LLVM's language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff.backends.export.steps import Copy, Place, Program, Run
from autodiff.backends.native.arguments import NumberArgument
from autodiff.trace.memory.aligned import ALIGNMENT
from autodiff.trace.spec import Spec

ON_STACK = 2048
"""A workspace of at most so many bytes lies on the stack: the caller need not bring one. Windows probes larger ones."""

NO_WORKSPACE, OUT_OF_RANGE, FIRST_NOTE = 1, 2, 3
"""What the function returns where something is wrong."""

TEXTS = ("", "the workspace is NULL", "an index is out of range for the axis that it picks from")

# fmt: off
NUMBERS = {
    # as it is passed, as it lies in memory, and what makes a word of that
    "float64": ("double",      "i64", ""),
    "float32": ("float",       "i32", "zext"),
    "int64":   ("i64",         "i64", ""),
    "int32":   ("i32",         "i32", "sext"),
    "uint8":   ("i8",          "i8",  "zext"),
    "bool":    ("i8",          "i8",  "zext"),
}
# fmt: on


def workspace_size(program: Program) -> int:
    """The bytes that the caller brings, wherever they begin."""
    return program.work + ALIGNMENT if program.work > ON_STACK else 0


def messages(program: Program) -> tuple[str, ...]:
    """What each number means that the function returns."""
    notes = [note for step in program.steps if isinstance(step, Run) for note in step.notes]
    return (*TEXTS, *notes)


def driver_text(name: str, program: Program, kernels: dict[str, str], triple: str, layout: str) -> str:
    """The functions of a program, and its constants.

    Args:
        name: of the function; what tells how large the workspace is has the name with ``_workspace_size`` behind it.
        program: the program.
        kernels: the names of its kernels, by their texts.
        triple: for which machine.
        layout: how that lays out data.
    """
    exported = "dllexport " if "windows" in triple else ""
    lines = [f'target triple = "{triple}"', f'target datalayout = "{layout}"', ""]
    for k, data in enumerate(program.constants):
        text = "\\" + data.hex("\\") if data else ""
        lines.append(f'@constant_{k} = internal constant [{len(data)} x i8] c"{text}", align {ALIGNMENT}')
    lines += [f"declare void @{kernel}(i64, i64, i64)" for kernel in kernels.values()]
    lines.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    lines += [
        f"define {exported}i64 @{name}_workspace_size() nounwind {{",
        f"ret i64 {workspace_size(program)}",
        "}",
        f"define {exported}i32 @{name}({', '.join(parameters(program))}) nounwind {{",
        *Driver(program, kernels).lines(),
        "}",
    ]
    return "\n".join(lines) + "\n"


def parameters(program: Program) -> list[str]:
    """What the function takes."""
    inputs = [
        f"ptr %in{k}" if own.kind == "array" else f"{NUMBERS[own.dtype.name][0]} %in{k}"
        for k, own in enumerate(program.inputs)
    ]
    return [*inputs, *(f"ptr %out{k}" for k in range(len(program.outputs))), "ptr %workspace"]


@dataclass
class Driver:
    """Writes the body of the function.

    Attributes:
        program: the program.
        kernels: the names of its kernels, by their texts.
        written: the lines so far.
        count: how many names have been given.
        notes: how many errors of earlier kernels have numbers.
    """

    program: Program
    kernels: dict[str, str]
    written: list[str] = field(default_factory=list)
    count: int = 0
    notes: int = 0

    def lines(self) -> list[str]:
        """All lines."""
        steps, work = self.program.steps, self.program.work
        words = max((len(step.launch.words) for step in steps if isinstance(step, Run)), default=1)
        self.written += [f"%block = alloca [{words} x i64], align 16", "%status = alloca i64"]
        self.written += ["%words = ptrtoint ptr %block to i64", "%noted = ptrtoint ptr %status to i64"]
        for k, own in enumerate(self.program.inputs):
            if own.kind != "array":
                kind = NUMBERS[own.dtype.name][0]
                self.written += [f"%cell{k} = alloca {kind}, align 8", f"store {kind} %in{k}, ptr %cell{k}"]
        if 0 < work <= ON_STACK:
            self.written.append(f"%work = alloca [{work} x i8], align {ALIGNMENT}")
        elif work:
            self.written += [
                "%nothing = icmp eq ptr %workspace, null",
                "br i1 %nothing, label %missing, label %there",
                "missing:",
                f"ret i32 {NO_WORKSPACE}",
                "there:",
                "%begin = ptrtoint ptr %workspace to i64",
                f"%further = add i64 %begin, {ALIGNMENT - 1}",
                f"%even = and i64 %further, -{ALIGNMENT}",
                "%work = inttoptr i64 %even to ptr",
            ]
        for step in steps:
            if isinstance(step, Run):
                self.run(step)
            else:
                self.copy(step)
        return [*self.written, "ret i32 0"]

    def made(self, text: str) -> str:
        """The name of what an instruction gives."""
        self.count += 1
        self.written.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def address(self, place: Place) -> str:
        """A pointer to where a value lies."""
        stems = {"input": "%in", "output": "%out", "constant": "@constant_"}
        base = "%work" if place.kind == "work" else f"{stems[place.kind]}{place.number}"
        if place.kind == "input" and self.program.inputs[place.number].kind != "array":
            base = f"%cell{place.number}"
        return self.made(f"getelementptr i8, ptr {base}, i64 {place.offset}")

    def word(self, argument: Any, given: tuple[Place, Spec] | None) -> str:
        """The word of the block that an argument fills."""
        if given is None:
            return "%noted"
        place, own = given
        address = self.address(place)
        if not isinstance(argument, NumberArgument):
            return self.made(f"ptrtoint ptr {address} to i64")
        _, kind, extended = NUMBERS[own.dtype.name]
        found = self.made(f"load {kind}, ptr {address}")
        return self.made(f"{extended} {kind} {found} to i64") if extended else found

    def run(self, step: Run) -> None:
        """A kernel, on all of its rows."""
        launch = step.launch
        words: list[int | str] = list(launch.words)
        for argument, given in zip(launch.arguments, step.given, strict=True):
            words[argument.word] = self.word(argument, given)
        for k, word in enumerate(words):
            self.written.append(f"store i64 {word}, ptr {self.made(f'getelementptr i64, ptr %block, i64 {k}')}")
        checks = None in step.given
        if checks:
            self.written.append("store i64 0, ptr %status")
        chunk = min(launch.chunk or launch.rows, launch.rows)
        for low in range(0, launch.rows, max(chunk, 1)):
            high = min(low + chunk, launch.rows)
            self.written.append(f"call void @{self.kernels[launch.text]}(i64 %words, i64 {low}, i64 {high})")
        if checks:
            self.check(step.notes)

    def check(self, notes: Sequence[str]) -> None:
        """Return what a kernel has noted: an index out of range, or one of its errors."""
        found = self.made("load i64, ptr %status")
        wrong = self.made(f"icmp ne i64 {found}, 0")
        fail, follow = f"fail{self.count}", f"follow{self.count}"
        self.written += [f"br i1 {wrong}, label %{fail}, label %{follow}", f"{fail}:"]
        index = self.made(f"icmp eq i64 {found}, 1")
        own = self.made(f"add i64 {found}, {FIRST_NOTE - 2 + self.notes}")
        short = self.made(f"trunc i64 {own} to i32")
        code = self.made(f"select i1 {index}, i32 {OUT_OF_RANGE}, i32 {short}")
        self.written += [f"ret i32 {code}", f"{follow}:"]
        self.notes += len(notes)

    def copy(self, step: Copy) -> None:
        """Bytes from one place to another."""
        target, source = self.address(step.target), self.address(step.source)
        self.written.append(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {step.size}, i1 false)")
