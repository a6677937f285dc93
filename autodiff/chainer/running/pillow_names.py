"""Names that Pillow had when Chainer programs were written, and has no more."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType

from autodiff.programs.importing import Finder

RENAMED = {"ANTIALIAS": "LANCZOS", "CUBIC": "BICUBIC", "LINEAR": "BILINEAR"}
MODULE = "PIL.Image"


class PillowLoader(SourceFileLoader):
    """Loads ``PIL.Image`` and gives it its former names."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        rename(module)


class Pillow(Finder):
    """Waits for ``PIL.Image``, so that programs without images need not load it, or have it."""

    loader = PillowLoader

    def wants(self, spec: ModuleSpec) -> bool:
        return spec.name == MODULE


PILLOW = Pillow()


def rename(module: ModuleType) -> None:
    """Give ``PIL.Image`` the names that are missing."""
    for old, new in RENAMED.items():
        vars(module).setdefault(old, getattr(module, new))


def restore() -> None:
    """Give ``PIL.Image`` its former names back, in this process, now or when it is imported."""
    if MODULE in sys.modules:
        rename(sys.modules[MODULE])
    elif PILLOW not in sys.meta_path:
        sys.meta_path.insert(0, PILLOW)
