"""``jit``: a function that is recorded once for arguments of one kind, and runs as a program from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from types import MethodType
from typing import Any

from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.surroundings import State, surrounding_state
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.custom.arguments import place_of
from autodiff.transforms.jit.arguments import bound, known_leaves, refuse_specs, split
from autodiff.transforms.jit.binding import Binding
from autodiff.transforms.jit.call_path import call_path, static_of
from autodiff.transforms.jit.looking import Looking
from autodiff.transforms.jit.options import checked_function, checked_options
from autodiff.transforms.jit.program_cache import ProgramCache
from autodiff.transforms.jit.recompiles import report
from autodiff.transforms.jit.recorded import Recorded
from autodiff.transforms.jit.recorder import recorded_by_jit
from autodiff.transforms.jit.signatures import Key, Signature, details_of, kind_of, kind_of_value, leaf_paths
from autodiff.transforms.transformed import DECORATED, global_name

TRIED = 8
"""How many printed call paths are tried before a call is looked at in general code."""

PATIENCE = 4
"""So many calls of another signature than the first come before it is tried first: two may take turns."""


class jit(Looking):
    """The same function, recorded once and run as a compiled program.

    The first call with arguments of one structure, shapes and dtypes runs ``fun`` with shapes and dtypes only, and
    records its operations. Further calls run the compiled program, without ``fun``. Derivatives and batches of the
    program are programs too, so ``jit`` nests with all transformations in any order. Variables may be arguments: the
    call is one node of their graph.

    Args:
        fun: a function of trees of arrays and numbers. It must not branch on their values; shapes and dtypes are known.
            Side effects, such as printing or appending to a list, happen once, when it is recorded, with traced values.
            Writing to an argument, ``x[0] = 1``, never changes the caller's array. Arrays from an enclosing scope and
            random numbers become constants. If it closes over traced values, it is recorded in every call. Programs
            produce infinities and NaN without NumPy's warnings. Without ``fun``, the other arguments make a decorator:
            ``@jit(static_argnums=0)``.
        static_argnums: positions of arguments that are not arrays, such as flags and shapes. They are passed to ``fun``
            unchanged and must be hashable; ``fun`` is recorded for each of their values. If the signature is known,
            an argument is static whether it is passed by position or by name.
        static_argnames: names of such arguments.
        donate_argnums: positions of arguments whose memory results may reuse; after the call they may hold anything.
            Views, read-only arrays, subclasses, and arrays that share memory with another argument are not reused.
            Under other transformations nothing is donated.
        backend: ``"auto"`` chooses by the arguments: CUDA kernels for arrays of CuPy; for others, compiled
            kernels if Numba is installed, otherwise NumPy's functions. ``"numba"`` and ``"cupy"`` insist on a compiler
            and refuse arrays elsewhere. ``"numpy"`` runs NumPy's functions only, or CuPy's. NumPy arrays from an
            enclosing scope are copied to the GPU once.
        fast_math: whether GPU kernels may approximate functions of ``float32`` and 16-bit numbers: quotients within 2
            units in the last place, ``exp(x)`` within ``2 + 1.2 * abs(x)``, ``tanh`` within 8, and functions that
            contain these. It has no effect on CPUs.

    Attributes:
        kept: the largest number of cached programs, 4096; the least recently used are dropped. Set it for one function,
            or for all.

    A method is a function whose first argument is the instance. If the class is a tree (a dataclass, or given to
    ``register_tree``), the arrays in its attributes are arguments like others. Otherwise ``self`` must be static,
    ``@jit(static_argnums=0)``, and its attributes are constants.

    Raises:
        TypeError: if ``fun`` is not a function, or is a generator or async function. In a call: if a static argument is
            not hashable, another argument or the result is not a tree of arrays, some arguments are arrays on a GPU
            and others are not, or the backend does not compile for the arguments' device.
        ValueError: if a position or name does not exist or occurs twice. In a call: if arrays are on different GPUs.
        ModuleNotFoundError: if ``backend="numba"`` and Numba is not installed.
        ConcretizationError: in a call, if ``fun`` branches on a traced value.

    >>> import numpy as np
    >>> @jit
    ... def energy(x):
    ...     return np.sum(x**2) / 2
    >>> energy(np.array([1.0, 2.0]))
    np.float64(2.5)
    >>> from autodiff import grad
    >>> grad(energy)(np.array([1.0, 2.0]))
    array([1., 2.])
    >>> print(jit(lambda x: np.sin(x) * 2, backend="numpy").source(1.0))
    def run(a):
        b = sin_1(a)
        del a
        c = multiply_1(b, 2.0)
        del b
        return (c, )
    """

    kept: int = 4096

    def __new__(cls, fun: Callable[..., Any] = DECORATED, *_: Any, **options: Any) -> Any:
        return partial(cls, **options) if fun is DECORATED else super().__new__(cls)

    def __init__(
        self,
        fun: Callable[..., Any] = DECORATED,
        static_argnums: int | Sequence[int] = (),
        static_argnames: str | Sequence[str] = (),
        donate_argnums: int | Sequence[int] = (),
        backend: str = "auto",
        fast_math: bool = False,
    ) -> None:
        checked_function(fun)
        update_wrapper(self, fun)
        self.fun = fun
        self.name = place_of(without_partial(fun))
        self.options = checked_options(fun, static_argnums, static_argnames, donate_argnums, backend, fast_math)
        self.clear_cache()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.first(self, args, kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jit of {self.name}>"

    def __copy__(self) -> jit:
        return self  # as functions are copied

    def __deepcopy__(self, _: Any) -> jit:
        return self

    def __reduce__(self) -> Any:
        return global_name(self) or (jit, (self.fun, *self.options.given))

    def donated(self, *args: Any, **kwargs: Any) -> list[str]:
        """Which arrays a call with these arguments gives up, by their paths, such as ``args[0]['w']``.

        >>> import numpy as np
        >>> step = jit(lambda x, g: x - g, donate_argnums=0)
        >>> x = np.ones(3)
        >>> step.donated(x, 0.5), step.donated(x[1:], 0.5)
        (['args[0]'], [])
        """
        found, leaves = self.recorded(args, kwargs)
        paths = leaf_paths(found.signature.key)
        return [paths[k] for k in found.donation.usable(leaves)]

    def bind(self, *args: Any, **kwargs: Any) -> Binding:
        """The program for these arguments, bound to their memory: a function without arguments, for inner loops.

        It reads what the arrays hold when it is called, and writes to the same results each time. Nothing is looked at,
        allocated or donated, and other Python threads run meanwhile.

        Returns:
            a :class:`~autodiff.Binding`.

        Raises:
            TypeError: if an argument is traced, or the function closes over something that is.
            ValueError: if the program is one kernel and an array is not one block of memory in C order.

        >>> import numpy as np
        >>> x = np.array([3.0, 4.0])
        >>> length = jit(lambda x: np.sqrt(np.sum(x * x))).bind(x)
        >>> length()
        array(5.)
        >>> x[:] = 5.0, 12.0
        >>> length()
        array(13.)
        """
        found, leaves = self.recorded(args, kwargs)
        refuse_specs(self.name, leaves)
        return Binding(self.name, found, leaves, (args, kwargs))

    def cache_size(self) -> int:
        """How many programs are kept."""
        return len(self.programs)

    def clear_cache(self) -> None:
        """Drop all programs: the function is recorded anew, with what it closes over as it is now."""
        self.first: Callable[[jit, tuple[Any, ...], dict[str, Any]], Any] = jit.general
        self.tried: tuple[Signature[Recorded], ...] = ()
        self.programs: ProgramCache[Recorded] = ProgramCache()

    # The way of a call: the printed path of the signature that was used last, those of others, general code.

    def otherwise(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call where it is not of the signature that was used last."""
        for signature in self.tried[1:]:
            found = signature.call(PROBE, args, kwargs)  # type: ignore[misc] # those that are tried are printed
            if found is not MISSED:
                signature.waited += 1
                if signature.waited >= PATIENCE:
                    self.try_first(signature)
                return found
        return self.general(args, kwargs)

    def try_first(self, signature: Signature[Recorded]) -> None:
        """Let calls of a signature be recognised first."""
        assert signature.call is not None
        signature.waited = 0
        self.tried = (signature, *[other for other in self.tried if other is not signature])[:TRIED]
        self.first = signature.call

    def general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of any signature."""
        found, leaves = self.recorded(args, kwargs)
        if found.captures or any(isinstance(leaf, Traced) for leaf in leaves):
            return found.call(leaves)
        refuse_specs(self.name, leaves)
        return found.call_plain(leaves)

    def recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Recorded, list[Any]]:
        """The program for these arguments, and their leaves."""
        static, dynamic, named = split(self.options, self.name, args, kwargs)
        leaves, structure = flatten((dynamic, named))
        fixed = tuple([(place, static_of(value)) for place, value in static.items()])
        leaves = known_leaves(self, fixed, structure, leaves)
        specs = tuple(map(spec_of, leaves))
        key = Key(fixed, structure, tuple(map(kind_of, specs, leaves)))
        signature = self.programs.signature(key, static)
        state = surrounding_state()
        found = signature.find(state, details_of(specs, leaves))
        if found is None:
            return self.record(signature, specs, leaves, state), leaves
        if signature.printable and plain(leaves, key.kinds):
            self.give_call_path(signature)
        return found, leaves

    def record(
        self, signature: Signature[Recorded], specs: Sequence[Spec], leaves: Sequence[Any], state: State
    ) -> Recorded:
        """Record the function, and keep the program if it holds for other calls too."""
        staged = recorded_by_jit(bound(self.fun, signature.static), specs, signature.key.structure, self.name)
        found = Recorded(staged, signature, specs, leaves, state, self.options, self.name)
        report(found, self.programs.values())
        if not found.captures:
            self.programs.put(found, self.kept)
        return found

    def give_call_path(self, signature: Signature[Recorded]) -> None:
        """Recognise further calls of a signature by its printed call path, first of all."""
        signature.call = signature.call or call_path(signature)
        signature.printable = signature.call is not None
        if signature.printable:
            self.try_first(signature)


def without_partial(fun: Any) -> Any:
    """The function that ``functools.partial`` was applied to."""
    return without_partial(fun.func) if isinstance(fun, partial) else fun


def plain(leaves: Sequence[Any], kinds: Sequence[Any]) -> bool:
    """Whether leaves are what a call path recognises: plain arrays and numbers."""
    return all(kind_of_value(leaf) == kind for leaf, kind in zip(leaves, kinds))


class Probe:
    """Stands for the function where a call path is tried that may not be the one."""

    def otherwise(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return MISSED


PROBE, MISSED = Probe(), object()
