"""On which page of the reference a name stands."""

from __future__ import annotations

from docs.building.public_names import PublicName

GROUPS = {
    "derivatives": (
        "Derivatives",
        "grad value_and_grad vjp jvp linearize jacobian jacfwd jacrev hessian hvp value_and_jacobian stop_gradient",
    ),
    "rules": ("Rules of your own", "custom_vjp custom_jvp pure_callback"),
    "batches": ("Batches", "vmap map"),
    "control": ("Loops and branches", "cond switch scan while_loop fori_loop associative_scan"),
    "memory": ("Memory", "checkpoint remat"),
    "programs": (
        "Programs",
        "jit Binding differentiable explain_recompiles profile RandomnessWarning cache_info clear_cache "
        "get_num_threads set_num_threads get_matmul_precision set_matmul_precision export check_indices",
    ),
    "tapes": (
        "Tapes",
        "make_tape eval_tape eval_shape Tape check_tape save_tape load_tape tape_python tape_graphviz",
    ),
    "variables": (
        "Variables",
        "Variable Parameter VariableNode as_array as_variable no_backprop_mode force_backprop_mode functional",
    ),
    "trees": ("Trees, and trees in files", "register_tree save load"),
    "errors": ("Errors and warnings", "InvalidType GaugeWarning"),
}
"""The names of `autodiff` by topic. What stands in no group is on a page of its own, so that nothing is lost."""
FURTHER = "further"


def group_of(name: PublicName) -> str:
    """The page on which a name stands, without its ending."""
    if name.module != "autodiff":
        return name.module
    return next((page for page, (_, names) in GROUPS.items() if name.name in names.split()), FURTHER)
