"""A recurrent language model: gathering, a loop of matrix products, and a wide softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

LAYERS, RATE, LONGEST = 2, 1.0, 5.0


class LanguageModel(Program):
    """One step of truncated backpropagation through time: two LSTM layers, clipped gradients, plain descent."""

    name = "language model"
    title = "LSTM language model of two layers, one step of truncated backpropagation through time, float32"
    tolerance = 5e-4
    # fmt: off
    rows = (
        Row("8x20x64 vocabulary 200",     (8,  20, 64,  200),    0.6, "jax",   "1.6 ms", "0.5-0.8 ms tried"),
        Row("20x35x650 vocabulary 10000", (20, 35, 650, 10_000), 1.0, "torch", "377 ms", "280 ms floor"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        batch, length, width, words = row.parameters

        def array(*shape: int) -> Any:
            return standard_normal(random, self.dtype, *shape, scale=width**-0.5)

        layers = [
            {"input": array(width, 4 * width), "hidden": array(width, 4 * width), "bias": array(4 * width)}
            for _ in range(LAYERS)
        ]
        parameters = {"embedding": array(words, width), "layers": layers, "output": array(width, words)}
        carries = [(array(batch, width), array(batch, width)) for _ in range(LAYERS)]
        text = random.integers(0, words, (length + 1, batch))
        return parameters, carries, text[:-1], text[1:]

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        special = autodiff.scipy.special
        return training_step(np, autodiff.value_and_grad, autodiff.scan, expit(np), special.log_softmax)

    def jax(self, jax: Any, row: Row) -> Function:
        return training_step(jax.numpy, jax.value_and_grad, jax.lax.scan, jax.nn.sigmoid, jax.nn.log_softmax)

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        if compiled is torch.compile:
            raise LeftOutError("torch.nn.LSTM is a library call that torch.compile leaves as it is")
        parameters, carries, words, targets = inputs
        width = parameters["output"].shape[0]
        lstm = torch.nn.LSTM(width, width, LAYERS)
        embedding, output = parameters["embedding"].clone(), parameters["output"].T.clone()
        with torch.no_grad():
            for number, layer in enumerate(parameters["layers"]):
                getattr(lstm, f"weight_ih_l{number}").copy_(layer["input"].T)
                getattr(lstm, f"weight_hh_l{number}").copy_(layer["hidden"].T)
                getattr(lstm, f"bias_ih_l{number}").copy_(layer["bias"])
                getattr(lstm, f"bias_hh_l{number}").zero_().requires_grad_(False)
        trained = [embedding, output, *(each for each in lstm.parameters() if each.requires_grad)]
        optimizer = torch.optim.SGD([each.requires_grad_() for each in trained], RATE)
        state = tuple(torch.stack([carry[which] for carry in carries]) for which in range(2))

        def step() -> Any:
            optimizer.zero_grad()
            hidden, after = lstm(torch.nn.functional.embedding(words, embedding), state)
            logits = torch.nn.functional.linear(hidden, output)
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, LONGEST)
            optimizer.step()
            layers = [
                {
                    "input": getattr(lstm, f"weight_ih_l{number}").T,
                    "hidden": getattr(lstm, f"weight_hh_l{number}").T,
                    "bias": getattr(lstm, f"bias_ih_l{number}"),
                }
                for number in range(LAYERS)
            ]
            updated = {"embedding": embedding, "layers": layers, "output": output.T}
            return updated, list(zip(after[0].detach(), after[1].detach())), loss.detach()

        return step


def expit(np: Any) -> Function:
    """The sigmoid as NumPy users write it."""
    return lambda x: 1 / (1 + np.exp(-x))


def training_step(
    np: Any, value_and_grad: Function, scan: Function, sigmoid: Function, log_softmax: Function
) -> Function:
    """The step, over one library's names."""

    def lstm(layer: Any, carry: Any, inputs: Any) -> Any:
        def step(carry: Any, projected: Any) -> Any:
            hidden, cell = carry
            entry, forget, change, exit_ = np.split(projected + hidden @ layer["hidden"], 4, axis=1)
            cell = sigmoid(forget) * cell + sigmoid(entry) * np.tanh(change)
            hidden = sigmoid(exit_) * np.tanh(cell)
            return (hidden, cell), hidden

        return scan(step, carry, inputs @ layer["input"] + layer["bias"])

    def loss(parameters: Any, carries: Any, words: Any, targets: Any) -> Any:
        hidden, after = parameters["embedding"][words], []
        for layer, carry in zip(parameters["layers"], carries):
            carry, hidden = lstm(layer, carry, hidden)
            after.append(carry)
        logarithms = log_softmax(hidden @ parameters["output"], axis=-1)
        return -np.mean(np.take_along_axis(logarithms, targets[..., None], axis=-1)), after

    def step(parameters: Any, carries: Any, words: Any, targets: Any) -> Any:
        (value, after), gradients = value_and_grad(loss, has_aux=True)(parameters, carries, words, targets)
        length = np.sqrt(sum(np.sum(gradient**2) for gradient in leaves(gradients)))
        factor = RATE * np.minimum(1, LONGEST / (length + 1e-6))
        return descended(parameters, gradients, factor), after, value

    return step


def leaves(tree: Any) -> list[Any]:
    """The arrays of nested dictionaries and lists."""
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in leaves(part)]
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, list) else [tree]


def descended(tree: Any, gradients: Any, factor: Any) -> Any:
    """Every parameter a step down its gradient."""
    if isinstance(tree, dict):
        return {key: descended(part, gradients[key], factor) for key, part in tree.items()}
    if isinstance(tree, list):
        return [descended(*pair, factor) for pair in zip(tree, gradients)]
    return tree - factor * gradients
