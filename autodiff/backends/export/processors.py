"""For which processors code is written."""

from __future__ import annotations

from typing import Any

from autodiff.backends.llvm.statements.target import processor
from autodiff.backends.native.loading import target
from autodiff.trace.source import at_user_line

SECOND = "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3"
THIRD = f"{SECOND},+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"
FOURTH = f"{THIRD},+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl"
LEVELS = {"x86-64-v2": SECOND, "x86-64-v3": THIRD, "x86-64-v4": FOURTH}
"""What processors of the levels have that the System V ABI for x86-64 defines."""


def machine_for(cpu: str) -> tuple[Any, str]:
    """LLVM's machine that prints code for a processor, and the features of that.

    Args:
        cpu: ``"generic"`` for all processors of this machine's kind, ``"native"`` for this one, or one of ``LEVELS``.

    Raises:
        ValueError: if it is something else, or a level of another kind of processor.
    """
    x86 = target().triple.startswith("x86_64")
    known = {"generic": ("x86-64" if x86 else "generic", ""), "native": processor()}
    if x86:
        known |= {name: (name, features) for name, features in LEVELS.items()}
    if cpu not in known:
        raise ValueError(
            f"export: cpu={cpu!r} is no processor that is known here{at_user_line()}; choose from "
            f"{', '.join(map(repr, known))}"
        )
    name, features = known[cpu]
    return target().create_target_machine(name, features, opt=3, reloc="pic", codemodel="default"), features
