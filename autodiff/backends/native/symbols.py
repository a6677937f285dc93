"""The symbols that object code leaves for others to define, read from ELF, Mach-O and COFF files.

LLVM ends the process when it loads an object and cannot find one of them, so they are looked at first.
"""

from __future__ import annotations

from struct import unpack_from

ELF, MACH_O = b"\x7fELF", b"\xcf\xfa\xed\xfe"
COFF = (b"\x64\x86", b"\x64\xaa")  # machines: x86-64 and ARM64


def undefined_symbols(code: bytes) -> list[str]:
    """Their names, sorted.

    Args:
        code: a whole and undamaged object file.

    Raises:
        ValueError: if it is for no 64-bit little-endian processor.
    """
    if code[:6] == ELF + b"\x02\x01":
        return sorted(elf(code))
    if code[:4] == MACH_O:
        return sorted(mach_o(code))
    if code[:2] in COFF:
        return sorted(coff(code))
    raise ValueError(f"object code of an unknown format: it begins with {code[:8]!r}")


def text_at(code: bytes, start: int) -> str:
    """A text that ends with a zero byte."""
    return code[start : code.index(b"\0", start)].decode()


def elf(code: bytes) -> set[str]:
    """In ELF: those of section 0."""
    sections = unpack_from("<Q", code, 0x28)[0]
    size, count = unpack_from("<HH", code, 0x3A)
    found = set()
    for section in range(sections, sections + size * count, size):
        kind, start, length, texts = unpack_from("<4xI16xQQI", code, section)
        if kind != 2:  # a table of symbols
            continue
        names = unpack_from("<24xQ", code, sections + size * texts)[0]
        for place in range(start, start + length, 24):
            name, home = unpack_from("<I2xH", code, place)
            if name and home == 0:
                found.add(text_at(code, names + name))
    return found


def mach_o(code: bytes) -> set[str]:
    """In Mach-O: external ones of no section and no size; C's names carry an underscore."""
    commands, found = 32, set()
    for _ in range(unpack_from("<I", code, 16)[0]):
        kind, size = unpack_from("<II", code, commands)
        if kind == 2:  # the table of symbols
            start, count, names = unpack_from("<III", code, commands + 8)
            for place in range(start, start + 16 * count, 16):
                name, flags, value = unpack_from("<IB3xQ", code, place)
                if flags & 0xEF == 1 and value == 0:
                    found.add(text_at(code, names + name).removeprefix("_"))
        commands += size
    return found


def coff(code: bytes) -> set[str]:
    """In COFF: external ones of section 0 and no size."""
    start, count = unpack_from("<II", code, 8)
    texts, k, found = start + 18 * count, 0, set()
    while k < count:
        place = start + 18 * k
        value, section, kind, more = unpack_from("<8xIh2xBB", code, place)
        if section == 0 and kind == 2 and value == 0:
            zero, offset = unpack_from("<II", code, place)
            short = code[place : place + 8].rstrip(b"\0").decode()
            found.add(text_at(code, texts + offset) if zero == 0 else short)
        k += 1 + more
    return found
