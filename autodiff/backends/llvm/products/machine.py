"""What of a processor decides how a product is printed."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Machine:
    """The vector registers of a processor.

    Args:
        bits: The size of one.
        registers: How many there are.
        masks: Whether it loads and stores some lanes of a vector in one instruction.
        scales: Whether it multiplies vectors by powers of two in one instruction.
    """

    bits: int
    registers: int
    masks: bool
    scales: bool = False

    def lanes(self, bits: int) -> int:
        """How many numbers of so many bits a register holds."""
        return self.bits // bits

    @property
    def most_vectors(self) -> int:
        """The most vectors of a row of C that are summed at once, so that the rest of a tile fits the registers too."""
        return 4 if self.registers >= 32 else 2

    def most_rows(self, vectors: int) -> int:
        """The most rows of C that are summed at once: besides the sums, a row of B and a number of A take registers."""
        return min((self.registers - vectors - 1) // vectors, 8)


def machine_of(triple: str, features: str) -> Machine:
    """The machine that LLVM describes so, by its triple and the features of its processor; else the least of all.

    Args:
        triple: As `x86_64-unknown-linux-gnu`.
        features: As `+avx,+avx2,-avx512f`.
    """
    present = {each[1:] for each in features.split(",") if each.startswith("+")}
    if {"avx512f", "avx512vl"} <= present:
        return Machine(bits=512, registers=32, masks=True, scales=triple.startswith("x86"))
    if "avx" in present:
        return Machine(bits=256, registers=16, masks=True)
    return Machine(bits=128, registers=32 if triple.startswith(("aarch64", "arm64")) else 16, masks=False)
