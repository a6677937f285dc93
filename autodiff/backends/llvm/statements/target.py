"""From the text of a kernel to object code, by LLVM alone."""

from __future__ import annotations

import functools
import os
from typing import Any

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.reading import read
from autodiff.backends.llvm.products.machine import machine_of
from autodiff.backends.llvm.statements.checked import outside_text
from autodiff.backends.llvm.statements.function import Function
from autodiff.backends.llvm.statements.repeats import with_places_named
from autodiff.backends.llvm.vectors.lowering import plans
from autodiff.backends.llvm.vectors.tree import Plan
from autodiff.backends.native.checks import Checks
from autodiff.backends.native.loading import ENTRY, target


def compiled(text: str, checks: Checks | None = None) -> bytes:
    """The object code of a kernel.

    Args:
        text: of the kernel.
        checks: what is known of its block, where each access to memory is checked.

    Raises:
        Unsuited: if the text has something that is not known here.
    """
    machine = target_machine()
    return bytes(machine.emit_object(optimized(text, machine, processor()[1], checks)))


def optimized(text: str, machine: Any, features: str, checks: Checks | None = None) -> Any:
    """A kernel as LLVM's module, ready to be printed.

    Args:
        text: of the kernel.
        machine: LLVM's, for which it is.
        features: of its processor.
        checks: what is known of its block, where each access to memory is checked.

    Raises:
        Unsuited: if the text has something that is not known here.
    """
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    module = llvm.parse_assembly(printed(text, machine, features, checks))
    if checks is not None:
        refuse_unfit(module)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    free(passes)
    return module


def refuse_unfit(module: Any) -> None:
    """An address may be used where it is not known where its buffer begins.

    Raises:
        Unsuited: if it is.
    """
    try:
        module.verify()
    except RuntimeError as error:
        raise Unsuited(f"its checks cannot be written where they are needed ({error})") from None


def free(passes: Any) -> None:
    """Free what a pass manager is made of, 0.1 MB a kernel.

    Its own method for that stands behind one that does nothing, in the order in which its class inherits.
    """
    from llvmlite.binding import newpassmanagers  # noqa: PLC0415 - an optional extra

    manager = newpassmanagers.NewPassManager
    if type(passes)._dispose is not manager._dispose and not passes.closed:
        manager._dispose(passes)
        passes.detach()


def printed(text: str, machine: Any = None, features: str | None = None, checks: Checks | None = None) -> str:
    """A kernel in LLVM's language, for this machine where no other is given."""
    from llvmlite import ir  # noqa: PLC0415 - an optional extra

    machine = target_machine() if machine is None else machine
    features = processor()[1] if features is None else features
    kernel = with_places_named(read(text))
    if kernel.name != ENTRY:
        raise Unsuited(f"it has no function {ENTRY}")
    module = ir.Module(name=ENTRY)
    module.triple = target().triple
    module.data_layout = str(machine.target_data)
    found = {loop: plan for loop, plan in plans(kernel) if isinstance(plan, Plan)}
    fused = "+fma" in features.split(",") or target().triple.startswith(("aarch64", "arm64"))
    function = Function(module, kernel, found, machine_of(target().triple, features), fused, checks)
    parts = module, *function.functions, function.code
    return "\n".join([*map(str, parts), *([] if checks is None else [outside_text()])])


@functools.cache
def target_machine() -> Any:
    """What prints instructions of this machine."""
    name, features = processor()
    reloc = "static" if target().triple.startswith(("x86", "i386", "i686")) else "default"
    return target().create_target_machine(name, features, opt=3, reloc=reloc, codemodel="jitdefault", jit=True)


@functools.cache
def processor() -> tuple[str, str]:
    """The name of the processor and what it has, or those that the environment names for Numba."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    if features is None:
        features = "" if name == "generic" else llvm.get_host_cpu_features().flatten()
    return name or llvm.get_host_cpu_name(), features
