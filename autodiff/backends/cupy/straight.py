"""A tape as one straight-line Python function on arrays of a GPU: launches of kernels, and CuPy's functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.backends.choice import Backend
from autodiff.backends.cupy.kernels.call import device_kernel, kernel_of
from autodiff.backends.cupy.libraries.products import product_call
from autodiff.backends.cupy.runtime.agreeing import FirstResults
from autodiff.backends.cupy.runtime.calls import of_body
from autodiff.backends.cupy.runtime.device import check_dtypes
from autodiff.backends.cupy.runtime.errors import explained_on_gpu
from autodiff.backends.cupy.runtime.launching import FILE, Scratch, launch_scope, launch_text, scratch_of
from autodiff.backends.cupy.runtime.modules import KernelModule
from autodiff.backends.cupy.runtime.scratch import ScratchPool
from autodiff.backends.gpu import require
from autodiff.backends.straight import Run, Scope, Straight, call, constant, defined, operand
from autodiff.trace.formats.text import identifier
from autodiff.trace.formats.written import name_source
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Literal, Tape, operand_specs


class Building:
    """What the texts of a program and of the bodies of its loops have in common.

    Args:
        fast_math: whether division, exp and tanh of float32 may be approximate.

    Attributes:
        module: their kernels.
        kernels: the kernels, each with the functions of the module that it launches, and what its text refers to.
        scopes: what texts refer to, with the names of arrays there that belong on the GPU.
        straights: the functions of the program and of bodies, by their code.
        dtypes: the names of those of all values.
        works: whether any kernel needs memory to work in.
        arithmetic: whether numbers are computed on the host.
        products: whether cuBLAS is called.
    """

    def __init__(self, fast_math: bool = False) -> None:
        self.module = KernelModule(fast_math)
        self.kernels: list[tuple[Any, tuple[str, ...], dict[str, Any]]] = []
        self.scopes: list[tuple[dict[str, Any], str, Any]] = []
        self.straights: dict[Any, DeviceStraight] = {}
        self.dtypes: set[str] = set()
        self.works = self.arithmetic = self.products = False

    def load(self, device: int) -> None:
        """Put everything where the texts look for it; the GPU is the current one.

        Raises:
            TypeError: if the GPU knows no numbers of a dtype.
        """
        check_dtypes(self.dtypes, device)
        functions = self.module.functions(device)
        for kernel, names, scope in self.kernels:
            scope.update(launch_scope(kernel), **{name: functions[name] for name in names})
        cupy = require()
        for scope, name, value in self.scopes:
            scope[name] = cupy.asarray(value)
        if self.scopes:  # other streams read them too
            cupy.cuda.get_current_stream().synchronize()


class DeviceStraight(Straight):
    """The function of a tape on a GPU, and its text.

    Args:
        tape: as it is run. Inputs that are arrays lie on the GPU, others are numbers.
        backend: of the bodies of its loops and branches.
        donated: nothing is made of it: CuPy's pool uses memory again.
        planned: neither is of this.
        building: that of the program around, for bodies.
        into: for results of kernels the inputs whose memory they are written to.
        fast_math: whether division, exp and tanh of float32 may be approximate.

    Attributes:
        building: what it has in common with its bodies.
        wanted: the memory that its kernels work in.
        picking: for each word that becomes 1 where an index is out of range, the operation.
    """

    __slots__ = ("building", "into", "packed", "picking", "root", "scratch", "wanted")

    def __init__(
        self,
        tape: Tape,
        backend: Backend,
        donated: Sequence[int] = (),
        planned: bool = False,
        building: Building | None = None,
        into: Mapping[int, int] | None = None,
        fast_math: bool = False,
    ) -> None:
        self.into = into or {}
        self.root = building is None
        self.building = building or Building(fast_math)
        self.wanted: list[Scratch] = []
        self.picking: list[Equation] = []
        self.packed: set[int] = set()
        self.building.dtypes.update(own.dtype.name for own in tape.specs)
        super().__init__(tape, backend, planned=False)

    def entered(self, steps: Run) -> Run:
        """The function with its scratch: a program's own are handed in by who calls it."""
        self.building.straights[steps.__code__] = self
        self.scratch = ScratchPool(self.wanted, self.picking)
        self.building.works = self.building.works or bool(self.wanted)
        return steps if self.root or not self.wanted else of_body(steps, self.scratch)

    @property
    def products(self) -> bool:
        """Whether cuBLAS is called."""
        return self.building.products

    def quiet(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs, for inputs and scratch; infinities and NaN of numbers come without NumPy's warnings."""
        if not self.building.arithmetic:
            return self.run(*values)
        with np.errstate(all="ignore"):
            return self.run(*values)

    def explained(self, error: Exception) -> Exception:
        """An error of one of the operations, which says which one, and where in the user's code it was recorded."""
        return explained_on_gpu(super().explained(error), error, self.failed(error))

    def failed(self, error: Exception) -> Equation | None:
        """The operation that raised an error: in the body of a loop the one there."""
        trace, found = error.__traceback__, None
        while trace is not None:
            straight = self.building.straights.get(trace.tb_frame.f_code)
            if straight is not None:
                found = straight.equations.get(trace.tb_lineno, found)
            trace = trace.tb_next
        return found

    def held(self) -> Collection[int]:
        return self.into.values()

    def lines(self, scope: Scope) -> list[str]:
        head, *lines = super().lines(scope)
        if self.wanted:
            names = [f"room_{k}" for k in range(len(self.wanted))]
            head = f"{head.removesuffix('):')}{', ' if self.tape.inputs else ''}{', '.join(names)}):"
        return [head, *lines]

    def call(self, equation: Equation, number: int, scope: Scope) -> str:
        specs = operand_specs(equation.operands, self.tape.specs)
        arrays = [s for o, s in zip(equation.operands, specs, strict=True) if isinstance(o, int) and s.kind == "array"]
        primitive, params = equation.primitive, dict(equation.params)
        operands = [operand(value, scope) for value in equation.operands]
        if primitive is device_kernel:
            return self.call_of_kernel(equation, operands, scope)
        if getattr(primitive, "compiled", None) is not None:
            loop = primitive.compiled(self.body, **params)  # type: ignore[attr-defined] # loops and branches have it
            return f"{defined(scope, primitive.name, loop)}({', '.join(operands)})"
        if not any(own.kind == "array" for own in equation.specs) and not arrays:
            self.building.arithmetic = True
            return call(equation, number, self.memory, scope, self.backend)
        if not arrays:
            return self.made_array(equation, specs, operands, scope)
        product = product_call(equation, specs)
        if product is not None:
            self.packed.update(equation.results)
            self.building.products = True
            return f"{defined(scope, primitive.name, product)}({', '.join(operands)})"
        keywords = [f"{name_source(key)}={constant(value, scope)}" for key, value in equation.params]
        function = primitive.on_gpu or primitive.evaluate
        name = function_name(function, equation, scope)
        return f"{name}({', '.join((*operands, *keywords))})"

    def call_of_kernel(self, equation: Equation, operands: Sequence[str], scope: Scope) -> str:
        """The call of the function that launches a kernel."""
        into = {place: self.into[slot] for place, slot in enumerate(equation.results) if slot in self.into}
        shared = tuple((out, equation.operands.index(leaf)) for out, leaf in into.items() if leaf in equation.operands)
        params = {**dict(equation.params), "in_place": shared} if shared else dict(equation.params)
        kernel = kernel_of(**params)
        functions = self.building.module.add(kernel, equation.source)
        unsure = [k for k, o in enumerate(equation.operands) if not (isinstance(o, int) and o in self.packed)]
        text = launch_text(kernel, functions, unsure, into)
        own: dict[str, Any] = {}
        exec(compile(text.source, FILE, "exec"), own)
        self.building.kernels.append((kernel, text.functions, own))
        arguments = [*operands, *map(identifier, into.values())]
        for scratch in scratch_of(kernel):
            if scratch.role == "status":
                self.picking.append(equation)
            arguments.append(f"room_{len(self.wanted)}")
            self.wanted.append(scratch)
        self.packed.update(equation.results)
        return f"{defined(scope, 'kernel', own['launch'])}({', '.join(arguments)})"

    def made_array(self, equation: Equation, specs: Sequence[Spec], operands: Sequence[str], scope: Scope) -> str:
        """The call of an operation that makes an array of numbers: they are brought to the GPU."""
        primitive, params = equation.primitive, dict(equation.params)
        if all(isinstance(o, Literal) for o in equation.operands):
            with np.errstate(all="ignore"):
                value = primitive.evaluate(*(o.value for o in equation.operands), **params)  # type: ignore[union-attr]
            name = defined(scope, "array", np.array(value, order="C"))
            self.building.scopes.append((scope, name, scope[name]))
            return f"{name}.copy()"
        function = defined(scope, primitive.name, primitive.on_gpu or primitive.evaluate)
        keywords = [f"{name_source(key)}={constant(value, scope)}" for key, value in equation.params]
        moved = [
            f"{defined(scope, 'on_gpu', on_gpu)}({name}, {constant(own.dtype, scope)})"
            for name, own in zip(operands, specs, strict=True)
        ]
        return f"{function}({', '.join((*moved, *keywords))})"

    def body(self, tape: Tape) -> Run:
        """The tape of a loop's or branch's body as a function."""
        return Body(tape, self.backend, self.building).run


def function_name(function: Run, equation: Equation, scope: Scope) -> str:
    """A name for a function of CuPy's, whose results are compared with their specs when it first runs."""
    if equation.primitive.view:
        return defined(scope, equation.primitive.name, function)
    first = FirstResults(function, equation, lambda settled: scope.update({name: settled}))
    name = defined(scope, equation.primitive.name, first)
    return name


def on_gpu(number: Any, dtype: np.dtype[Any]) -> Any:
    """A number as an array on the current GPU."""
    return require().asarray(number, dtype)


def numbers_of(tape: Tape) -> tuple[int, ...]:
    """Which inputs of a tape are numbers, which may lie on a GPU or not."""
    return tuple(k for k, own in enumerate(tape.inputs) if own.kind == "scalar")


def with_arrays(tape: Tape, places: Sequence[int]) -> Tape:
    """A tape whose inputs at some places are arrays in place of numbers: single ones on a GPU."""
    inputs = list(tape.inputs)
    for place in places:
        inputs[place] = Spec((), inputs[place].dtype)
    return Tape(tuple(inputs), tape.equations, tape.outputs, tape.constants, tape.arguments, tape.results)


class Body:
    """The body of a loop or branch, whose numbers may lie on the GPU in one step and on the host in another.

    All texts are there before kernels are compiled: those for numbers that are the loop's own, which become arrays with
    the first step, and for those that stay what they are.
    """

    def __init__(self, tape: Tape, backend: Backend, building: Building) -> None:
        self.tape, self.backend, self.building = tape, backend, building
        self.numbers = numbers_of(tape)
        self.made: dict[tuple[int, ...], Run] = {}
        self.whole = self.straight(())
        if self.numbers:
            self.straight(self.numbers)
        self.run: Run = self.chosen if self.numbers else self.whole

    def straight(self, places: tuple[int, ...]) -> Run:
        """The function where the numbers at some places are arrays."""
        tape = self.backend.schedule(with_arrays(self.tape, places)).tape
        found = self.made[places] = DeviceStraight(tape, self.backend, building=self.building).run
        return found

    def chosen(self, *values: Any) -> tuple[Any, ...]:
        """The outputs, wherever numbers lie."""
        ndarray = require().ndarray
        places = tuple([k for k in self.numbers if isinstance(values[k], ndarray)])
        found = self.made.get(places)
        if found is None:
            inputs = self.tape.inputs
            values = tuple(on_gpu(v, inputs[k].dtype) if k in self.numbers else v for k, v in enumerate(values))
            found = self.made[self.numbers]
        return found(*values)


__all__ = ["Building", "DeviceStraight", "numbers_of", "with_arrays"]
