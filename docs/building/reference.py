"""The reference: a page for each group of public names, made of their docstrings, and a list of all names."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path

from docs.building.public_names import PublicName, public_modules, public_names, words_of_tests
from docs.building.written import write_pages

GROUPS = {
    "derivatives": (
        "Derivatives",
        "grad value_and_grad vjp jvp linearize jacobian jacfwd jacrev hessian hvp stop_gradient value_and_jacobian",
    ),
    "rules": ("Rules of your own", "custom_vjp custom_jvp"),
    "batches": ("Batches", "vmap map"),
    "control": ("Loops and branches", "cond switch scan while_loop fori_loop associative_scan"),
    "memory": ("Memory", "checkpoint remat"),
    "programs": (
        "Programs",
        "jit explain_recompiles profile RandomnessWarning cache_info clear_cache get_num_threads set_num_threads "
        "get_matmul_precision set_matmul_precision",
    ),
    "tapes": (
        "Tapes",
        "make_tape eval_tape eval_shape Tape check_tape save_tape load_tape tape_python tape_graphviz",
    ),
    "variables": (
        "Variables",
        "Variable Parameter VariableNode as_array as_variable no_backprop_mode force_backprop_mode functional",
    ),
    "trees": ("Trees", "register_tree"),
    "errors": ("Errors and warnings", "InvalidType GaugeWarning"),
}
"""The names of `autodiff` by topic. What stands in no group is on a page of its own, so that nothing is lost."""
FURTHER = "further"


def group_of(name: PublicName) -> str:
    """The page on which a name stands, without its ending."""
    if name.module != "autodiff":
        return name.module
    return next((page for page, (_, names) in GROUPS.items() if name.name in names.split()), FURTHER)


def write(docs: Path) -> None:
    """Write the pages of the reference into `docs/_generated/reference`."""
    pages: dict[str, list[PublicName]] = {}
    for name in public_names():
        pages.setdefault(group_of(name), []).append(name)
    texts = {f"{page}.rst": page_text(page, names) for page, names in pages.items()}
    texts["index.md"] = index(pages)
    texts["names.md"] = listing()
    write_pages(docs / "_generated" / "reference", texts)


def page_text(page: str, names: list[PublicName]) -> str:
    """One page of the reference, as reStructuredText."""
    title = page_title(page)
    lines = [title, "=" * len(title), ""]
    if page in public_modules():
        lines += [f".. automodule:: {page}", "", ""]
    return "\n".join(lines) + "\n".join(entry(name) for name in in_order(page, names))


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
    """A constant, or a module that is a name: its documentation is the text below it, or its own."""
    text = cleandoc(name.docstring) if name.docstring else ""
    body = "\n".join(f"   {line}".rstrip() for line in text.splitlines())
    return (
        f".. py:data:: {name.module}.{name.name}\n\n{body}\n\n"
        if text
        else f".. autodata:: {name.module}.{name.name}\n\n"
    )


def index(pages: dict[str, list[PublicName]]) -> str:
    """The first page of the reference."""
    ordered = [*(page for page in GROUPS if page in pages), *([FURTHER] if FURTHER in pages else [])]
    ordered += [page for page in pages if page not in ordered]
    lines = ["# Reference", "", "Every public name, from its docstring. The examples are run by the tests.", ""]
    lines += ["| page | names |", "|---|---|"]
    for page in ordered:
        links = " ".join(f"{{any}}`{n.name} <{n.module}.{n.name}>`" for n in in_order(page, pages[page]))
        lines.append(f"| [{page_title(page)}]({page}.rst) | {links} |")
    entries = "\n".join([*ordered, "names"])
    others = (
        "Names that are another library's are listed with what is covered of them: "
        "[NumPy's](../../numpy-coverage.md),\nwhich work as NumPy's own, and [Chainer's](../../chainer-coverage.md)."
    )
    return "\n".join(lines) + f"\n\n{others}\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def listing() -> str:
    """All names with where they are documented, whether the docstring has an example, and how many tests name them."""
    lines = [
        "# All names",
        "",
        "Each name has a docstring, an example, a page and tests; a test fails where one of them is missing.",
        "",
        "| name | page | example | files of tests, and pages, that name it |",
        "|---|---|---|---|",
    ]
    for name in public_names():
        page = group_of(name)
        example = "docstring" if ">>>" in name.docstring else "a page"
        lines.append(
            f"| {{any}}`{name.module}.{name.name}` | [{page_title(page)}]({page}.rst) | {example} "
            f"| {words_of_tests().get(name.name, 0)} |"
        )
    return "\n".join(lines) + "\n"
