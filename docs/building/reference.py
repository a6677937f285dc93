"""The reference: a page for each group of public names, made of their docstrings, and a list of all names."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

from docs.building.groups import FURTHER, GROUPS, group_of
from docs.building.public_names import (
    PublicName,
    chainer_modules,
    chainer_names,
    page_with,
    public_modules,
    public_names,
    test_of,
)
from docs.building.written import write_pages


def write(docs: Path) -> None:
    """Write the pages of the reference into `docs/_generated/reference`."""
    pages: dict[str, list[PublicName]] = {}
    for name in [*public_names(), *chainer_names()]:
        pages.setdefault(group_of(name), []).append(name)
    texts = {f"{page}.rst": page_text(page, names) for page, names in pages.items()}
    texts["index.md"] = index(pages)
    texts["names.md"] = listing()
    write_pages(docs / "_generated" / "reference", texts)


def keep_initials(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Keep a line that begins with an initial, as a source does, from being read as item M of a list."""
    lines[:] = [re.sub(r"^( *)([A-Z])\. ", r"\1\2\\. ", line) for line in lines]


def lead_to_example(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Below a docstring without an example the page that has one."""
    page = pages_of_examples().get(name)
    if page:
        lines += ["", f"An example is in :doc:`/{page}`.", ""]


@cache
def pages_of_examples() -> dict[str, str]:
    """For each public name without an example in its docstring the page that has one, as Sphinx calls pages."""
    names = [name for name in public_names() if ">>>" not in name.docstring]
    found = {f"{name.module}.{name.name}": page_with(name) for name in names}
    return {name: page.removeprefix("docs/").removesuffix(".md") for name, page in found.items() if page}


def page_text(page: str, names: list[PublicName]) -> str:
    """One page of the reference, as reStructuredText."""
    title = page_title(page)
    lines = [title, "=" * len(title), ""]
    if page in public_modules():
        lines += [f".. automodule:: {page}", ""]
    lines += [assumed_text(page), "", ""]
    return "\n".join(lines) + "\n".join(entry(name) for name in in_order(page, names))


def assumed_text(page: str) -> str:
    """What the examples of a page do not import."""
    modules = " and ".join(f"``{module}``" for module in assumed_modules(page))
    return f"Examples that do not import what they use have ``np``, which is NumPy, and the names of {modules}."


def assumed_modules(page: str) -> list[str]:
    """The modules whose names the examples of a page have: its own, and for Chainer's those of `autodiff.chainer`."""
    module = page if page in [*public_modules(), *chainer_modules()] else "autodiff"
    return [*(["autodiff.chainer"] if module.startswith("autodiff.chainer.") else []), module]


def page_title(page: str) -> str:
    """What stands above a page."""
    if page in GROUPS:
        return GROUPS[page][0]
    return "Further names" if page == FURTHER else page


def in_order(page: str, names: list[PublicName]) -> list[PublicName]:
    """Names as the group has them, others by the alphabet."""
    order = GROUPS[page][1].split() if page in GROUPS else []
    return sorted(names, key=lambda name: order.index(name.name)) if order else names


def entry(name: PublicName) -> str:
    """The directive that documents a name."""
    path = f"{name.module}.{name.name}"
    if name.kind == "data":
        return data_entry(name)
    members = "   :members:\n" if name.kind == "class" else ""
    return f".. auto{name.kind}:: {path}\n{members}\n"


def data_entry(name: PublicName) -> str:
    """A constant, or a module that is a name: below it its own documentation, or the text below its definition."""
    text = "\n".join(f"   {line}".rstrip() for line in (name.docstring or text_below(name)).splitlines())
    return f".. py:data:: {name.module}.{name.name}\n\n{text}\n\n"


def text_below(name: PublicName) -> str:
    """The text that stands below the definition of a constant, in whichever file that is."""
    for where, module in list(sys.modules.items()):
        if where.startswith("autodiff.") and vars(module).get(name.name) is name.value:
            lines = ModuleAnalyzer.for_module(where).find_attr_docs().get(("", name.name))
            if lines:
                return "\n".join(lines)
    return ""


def index(pages: dict[str, list[PublicName]]) -> str:
    """The first page of the reference."""
    ordered = [*(page for page in GROUPS if page in pages), *([FURTHER] if FURTHER in pages else [])]
    ordered += [page for page in pages if page not in ordered]
    lines = ["# Reference", "", "Every public name, from its docstring. The examples are run by the tests.", ""]
    lines += ["| page | names |", "|---|---|"]
    for page in (page for page in ordered if not page.startswith("autodiff.chainer")):
        links = " ".join(linked(n, n.name) for n in in_order(page, pages[page]))
        lines.append(f"| {linked_page(page)} | {links} |")
    entries = "\n".join([*ordered, "names"])
    chainer = ", ".join(f"[{page}]({page}.rst)" for page in ordered if page.startswith("autodiff.chainer"))
    others = (
        f"Chainer's names: {chainer}; [what is covered](../../chainer-coverage.md).\n\n"
        "NumPy's names work as NumPy's own; [what is covered](../../numpy-coverage.md). Those of `autodiff.scipy` that "
        "are SciPy's own\nare documented there; [what is covered](../../scipy-coverage.md)."
    )
    return "\n".join(lines) + f"\n\n{others}\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def linked_page(page: str) -> str:
    """A link to a page of the reference; the names of modules are code, which may break in a table."""
    title = page_title(page)
    return f"[`{title}`]({page}.rst)" if page in public_modules() else f"[{title}]({page}.rst)"


def linked(name: PublicName, text: str) -> str:
    """A link to where a name is documented: a module that is a name has a page of its own."""
    path = f"{name.module}.{name.name}"
    return f"[{text}]({path}.rst)" if path in public_modules() else f"{{any}}`{text} <{path}>`"


def listing() -> str:
    """All names: the first line of the docstring, the page, where an example is, and a file of tests."""
    lines = [
        "# All names",
        "",
        "Each name has a docstring, an example, a page and tests; a test fails where one of them is missing.",
        "",
        "| name | says | page | example | test |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(cells_of(name))} |" for name in public_names()]
    return "\n".join(lines) + "\n"


def cells_of(name: PublicName) -> list[str]:
    """One row of the list of all names; a blank cell says what is missing."""
    page, says = group_of(name), name.docstring or text_below(name)
    page_of_example = "" if ">>>" in name.docstring else page_with(name).removeprefix("docs/")
    example = f"[{Path(page_of_example).stem}](../../{page_of_example})" if page_of_example else ""
    first = re.sub(r":\w+:`", "`", says.strip().partition("\n")[0].replace("``", "`")).replace("|", "\\|")
    test = test_of(name)
    return [
        linked(name, f"{name.module}.{name.name}"),
        first,
        f"{linked_page(page)}",
        "docstring" if ">>>" in name.docstring else example,
        f"`{test}`" if test else "",
    ]
