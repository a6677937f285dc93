"""``export``: a program as object code for C, which needs neither Python nor this library."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autodiff.backends.choice import numba_is_there
from autodiff.backends.export.code import object_code
from autodiff.backends.export.driver import messages, workspace_size
from autodiff.backends.export.header import C_TYPES, Parameter, checked_name, header_text, parameters
from autodiff.backends.export.linking import SUFFIX, link
from autodiff.backends.export.steps import ExportError, Program, program_of
from autodiff.backends.gpu import is_gpu_array
from autodiff.backends.passes.rewrite.constants import fold_constants
from autodiff.backends.passes.rewrite.known import use_constants
from autodiff.trace.errors import LeafError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Tape
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.custom.arguments import place_of
from autodiff.transforms.jit.arguments import bound, split
from autodiff.transforms.jit.function import jit
from autodiff.transforms.jit.options import checked_function
from autodiff.transforms.jit.recorder import recorded_by_jit
from autodiff.transforms.jit.signatures import paths_in


@dataclass(frozen=True)
class Exported:
    """What :func:`export` has written.

    Attributes:
        name: of the C function.
        path: the object file or shared library.
        header: the header.
        inputs: what the function takes, in order: each with its name in C, its path in Python and its spec.
        outputs: what it fills, after the inputs.
        workspace_size: the bytes of memory to work in that come last; 0 where none are needed.
        messages: what each number means that it returns.
    """

    name: str
    path: Path
    header: Path
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    workspace_size: int
    messages: tuple[str, ...]


def export(
    fun: Callable[..., Any],
    args: Sequence[Any],
    name: str,
    folder: str | os.PathLike[str] = ".",
    *,
    kwargs: Mapping[str, Any] | None = None,
    library: bool = False,
    cpu: str = "generic",
) -> Exported:
    """Write a function as a C function: machine code that needs neither Python nor this library, and its header.

    The function is recorded as :func:`jit` does, for arguments of these structures, shapes and dtypes, and compiled by
    the same passes; ``export(grad(loss), (w, x), "loss_gradient")`` writes a gradient. The C function takes the leaves
    of the arguments one after another, arrays by address and numbers by value, then the addresses of the leaves of the
    result, then a workspace::

        int loss_gradient(const double w[3], const double x[12], double out[3], void *workspace);

    Arrays lie row by row without gaps. It allocates nothing, keeps nothing from call to call and runs on the thread
    that calls it, so any number of threads may. It returns 0, or a number whose meaning the header has: where an index
    is out of range, a matrix is singular, or the workspace is missing. Arrays that ``fun`` closes over are part of the
    code, read-only. It calls nothing but functions of C's libraries, such as ``memcpy`` and ``fmod``.

    Args:
        fun: a function of trees of arrays and numbers. Programs of :func:`jit`, derivatives, loops and branches are
            such functions.
        args: its positional arguments, arrays, numbers and trees of them; only their shapes and dtypes matter, and
            specs do as well. dtypes are bool, uint8, int32, int64, float32 and float64.
        name: of the C function, and of the files. A name of C, ``[A-Za-z][A-Za-z0-9_]*``.
        folder: where the files are written, ``name.o`` or the shared library, and ``name.h``. Those that are there
            are replaced.
        kwargs: arguments by name.
        library: whether the file is a shared library, ``name.so`` or what the system calls it, which the C compiler of
            the system links (``CC`` in the environment, or ``cc``, ``gcc``, ``clang``); otherwise an object file.
        cpu: the processor that it runs on: ``"generic"`` for all of this machine's kind, ``"native"`` for those that
            have all that this one has, or a level of x86-64: ``"x86-64-v2"``, ``"x86-64-v3"``, ``"x86-64-v4"``. Results
            are those of :func:`jit` on this machine to the bit with ``"native"`` where all operations are its kernels,
            and to rounding otherwise.

    Returns:
        a record of what was written: ``path``, ``header``, ``inputs`` and ``outputs`` with their names in C,
        ``workspace_size``, ``messages``.

    Raises:
        ExportError: if operations have no kernels, naming each with the user's line and the reason; if a dtype is
            unknown to C code; or if a shared library cannot be linked.
        TypeError: if ``fun`` is no function, ``args`` is no tuple or list, or a leaf is no array or number of the host.
        ValueError: if the name is none in C, is taken by C's own libraries, or the processor is not known.
        FileNotFoundError: if there is no such folder.
        ModuleNotFoundError: if Numba, whose LLVM compiles, is not installed.

    The derivative at kinks is that of the operations. Machine code is for this operating system.

    >>> import tempfile
    >>> import numpy as np
    >>> from autodiff import grad
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = export(grad(lambda x: np.sum(x**2)), (np.ones(3),), "squares_gradient", folder)
    ...     "const double x[SQUARES_GRADIENT_AT_LEAST(3)]" in found.header.read_text()
    True
    >>> [each.name for each in (*found.inputs, *found.outputs)], found.workspace_size
    (['x', 'out'], 0)
    """
    checked_name(name)
    if not Path(folder).is_dir():
        raise FileNotFoundError(f"export: there is no folder {folder}{at_user_line()}; make it first")
    recorded = record(fun, args, kwargs or {})
    program = recorded.program
    taken = {name, "workspace"}
    inputs = parameters(zip(recorded.inputs, program.inputs, strict=True), taken)
    outputs = parameters(zip(recorded.outputs, program.outputs, strict=True), taken)
    code = object_code(name, program, cpu)
    header = Path(folder, f"{name}.h")
    path = Path(folder, name + (SUFFIX if library else ".o"))
    if library:
        link(code, path)
    else:
        path.write_bytes(code)
    origin = f"{place_of(fun)}, written by autodiff for processors {cpu}"
    header.write_text(header_text(name, inputs, outputs, program, origin), encoding="ascii")
    return Exported(name, path, header, inputs, outputs, workspace_size(program), messages(program))


@dataclass(frozen=True)
class RecordedProgram:
    """A function as steps.

    Attributes:
        program: the steps.
        inputs: the paths of the leaves of its arguments.
        outputs: the paths of the leaves of its result.
        arguments: the structure of the pair of positional and named arguments.
        results: the structure of the result.
    """

    program: Program
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    arguments: TreeDef
    results: TreeDef


def record(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], caller: str = "export"
) -> RecordedProgram:
    """Record a function for arguments like these; error texts say what the user called."""
    if not callable(fun):
        raise TypeError(
            f"{caller} needs a function, got {described(fun)}{at_user_line()}; write {caller}(f, (x,), ...), not "
            f"{caller}(f(x), ...)"
        )
    checked_function(fun)
    if not isinstance(args, (tuple, list)):
        raise TypeError(
            f"{caller}: args must be a tuple of the function's arguments, got {described(args)}{at_user_line()}; write "
            "(x,) where there is one"
        )
    if not numba_is_there():
        raise ModuleNotFoundError(
            f"{caller} needs Numba, which is not installed{at_user_line()}: run pip install autodiff[numba]"
        )
    static: dict[int | str, Any] = {}
    dynamic, named = tuple(args), dict(kwargs)
    if isinstance(fun, jit):  # recorded as it records itself, so that the program is the same
        static, dynamic, named = split(fun.options, fun.name, dynamic, named)
        fun = fun.fun
    leaves, structure = flatten((dynamic, named))
    paths = tuple(argument_paths(fun, [k for k in range(len(args)) if k not in static], structure))
    specs = [checked_leaf(path, leaf, caller) for path, leaf in zip(paths, leaves, strict=True)]
    staged = recorded_by_jit(bound(fun, static), specs, structure, place_of(fun))
    if staged.captures:
        raise ExportError(
            f"{caller}: {place_of(fun)} closes over a value that is being traced{at_user_line()}; compile it outside "
            "of other transformations, or pass the value as an argument"
        )
    tape = use_constants(fold_constants(staged.tape))
    results = staged.tape.results
    assert results is not None
    outputs = tuple(paths_in(results, "out"))
    refuse_dtypes(tape, outputs, caller)
    program = program_of(replace(tape, constants=(), arguments=None, results=None), tape.constants, caller)
    return RecordedProgram(program, paths, outputs, structure, results)


def argument_paths(fun: Callable[..., Any], places: Sequence[int], structure: TreeDef) -> Iterator[str]:
    """How each leaf of the arguments is reached, by the names that the function gives them.

    Args:
        fun: the function.
        places: where the positional arguments stand.
        structure: of the pair of positional and named ones.
    """
    positional, named = structure.children
    try:
        known = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):  # functions of C may have none
        known = []
    for k, part in zip(places, positional.children, strict=True):
        yield from paths_in(part, positional_name(known, k))
    for name, part in zip(named.extra, named.children, strict=True):
        yield from paths_in(part, str(name))


def positional_name(known: Sequence[inspect.Parameter], place: int) -> str:
    """What a function calls the argument at a position: ``x``, or ``args[1]`` of those that it takes any number of."""
    for k, parameter in enumerate(known[: place + 1]):
        if parameter.kind is parameter.VAR_POSITIONAL:
            return f"{parameter.name}[{place - k}]"
        if k == place and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            return parameter.name
    return f"args[{place}]"


def checked_leaf(path: str, leaf: Any, caller: str) -> Spec:
    """The spec of an argument's leaf.

    Raises:
        TypeError: if it is no array or number of the host.
        ExportError: if code for C does not know its dtype.
    """
    if is_gpu_array(leaf):
        raise TypeError(
            f"{caller}: {path} is an array on a GPU{at_user_line()}; what is written runs on CPUs: pass a spec"
        )
    if isinstance(leaf, Traced):
        raise TypeError(
            f"{caller}: {path} is a traced {described(leaf)}{at_user_line()}; compile it outside, or pass its spec"
        )
    try:
        own = spec_of(as_leaf(leaf))
    except LeafError:
        raise TypeError(
            f"{caller}: {path} is {described(leaf)}{at_user_line()}, which is no array or number; bind it with "
            "functools.partial if it only says what to compute"
        ) from None
    refuse_dtype(path, own, caller)
    return own


def refuse_dtypes(tape: Tape, outputs: Sequence[str], caller: str) -> None:
    """Refuse results and constants of dtypes that code for C does not know."""
    first = len(tape.inputs) - len(tape.constants)
    for own in tape.inputs[first:]:
        refuse_dtype("an array that the function closes over", own, caller)
    for path, own in zip(outputs, tape.output_specs, strict=True):
        refuse_dtype(path, own, caller)


def refuse_dtype(path: str, own: Spec, caller: str) -> None:
    """Refuse a dtype that code for C does not know.

    Raises:
        ExportError: if it is one.
    """
    if own.dtype.name not in C_TYPES or not own.dtype.isnative:
        raise ExportError(
            f"{caller}: {path} is {own!r}{at_user_line()}; code for C knows {', '.join(C_TYPES)}, in this machine's "
            "order of bytes: cast it, or split complex numbers into two arrays"
        )
