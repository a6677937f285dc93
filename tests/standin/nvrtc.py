"""``cupy.cuda.nvrtc``: the host's compiler stands in for CUDA's, its libraries for code of a GPU."""

import itertools

from tests.backends.cupy.hosting import Failure, compiled

ARCHITECTURES = (75, 80, 86, 89, 90, 100)

compilations = []
"""The texts that were compiled."""

_programs = {}
_numbers = itertools.count(1)


class NVRTCError(RuntimeError):
    """The compiler refuses a text."""


class Program:
    """A text on its way."""

    def __init__(self, text):
        self.text, self.options, self.log, self.code = text, (), "", b""


def getVersion():
    return (0, 0)


def getSupportedArchs():
    return ARCHITECTURES


def createProgram(src, name, headers, include_names):
    assert isinstance(src, str)
    assert len(headers) == len(include_names)
    number = next(_numbers)
    _programs[number] = Program(src)
    return number


def compileProgram(program, options):
    own = _programs[program]
    assert all(isinstance(option, str) for option in options)
    (own.architecture,) = [option for option in options if option.startswith("--gpu-architecture=")]
    try:
        own.code = compiled(own.text)
    except Failure as failure:
        own.log = str(failure)
        raise NVRTCError("NVRTC_ERROR_COMPILATION (6)") from None
    compilations.append(own.text)


def getCUBIN(program):
    assert "=sm_" in _programs[program].architecture
    return _programs[program].code


def getPTX(program):
    assert "=compute_" in _programs[program].architecture
    return _programs[program].code


def getProgramLog(program):
    return _programs[program].log


def destroyProgram(program):
    del _programs[program]


NAMES = (
    NVRTCError, getVersion, getSupportedArchs, createProgram, compileProgram, getCUBIN, getPTX, getProgramLog,
    destroyProgram,
)  # fmt: skip


def fill(module):
    """Put everything into ``cupy.cuda.nvrtc``."""
    for each in NAMES:
        setattr(module, each.__name__, each)
    compilations.clear()
