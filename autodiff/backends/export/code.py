"""The object code of a program."""

from __future__ import annotations

from autodiff.backends.compiling import ALLOWED
from autodiff.backends.export.driver import driver_text
from autodiff.backends.export.processors import machine_for
from autodiff.backends.export.steps import ExportError, Program, Run
from autodiff.backends.language.errors import Unsuited
from autodiff.backends.llvm.statements.target import optimized
from autodiff.backends.native.loading import ENTRY, target
from autodiff.backends.native.symbols import undefined_symbols


def object_code(name: str, program: Program, cpu: str) -> bytes:
    """The object code of a program, whose functions are ``name`` and ``name_workspace_size``.

    Args:
        name: of the function.
        program: the program.
        cpu: for which processor (:func:`~autodiff.backends.export.processors.machine_for`).

    Raises:
        ExportError: if it would need more than the libraries of C and its mathematics.
    """
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    machine, features = machine_for(cpu)
    texts = dict.fromkeys(step.launch.text for step in program.steps if isinstance(step, Run))
    kernels = {text: f"{name}.kernel.{k}" for k, text in enumerate(texts)}
    quoted = {text: f'"{kernel}"' for text, kernel in kernels.items()}
    module = llvm.parse_assembly(driver_text(name, program, quoted, target().triple, str(machine.target_data)))
    module.verify()
    for text, kernel in kernels.items():
        try:
            found = optimized(text, machine, features)
        except Unsuited as reason:
            raise ExportError(
                f"export: a kernel has a form that only Numba compiles, please report it: {reason}\n{text}"
            ) from None
        function = found.get_function(ENTRY)
        function.name = kernel
        function.add_function_attribute("noinline")  # blocks are used again: what a kernel reads of one stays there
        module.link_in(found)
        module.get_function(kernel).linkage = "internal"
    code = bytes(machine.emit_object(module))
    foreign = [each for each in undefined_symbols(code) if each not in ALLOWED]
    if foreign:
        raise ExportError(f"export: the code would need {', '.join(foreign)}, which are not in C's libraries")
    return code
