"""Recurrent networks over sequences of different lengths."""

from tests.chainer.recorded.arrays import normal
from tests.chainer.recorded.differentiation import case
from tests.chainer.recorded.names import F

LENGTHS = (3, 2, 2)
INPUT, HIDDEN = 2, 3


def recurrent(function, gates, layers=1, states=1, directions=1, lengths=LENGTHS, **keywords):
    """`n_step_*` with weights and biases for every layer and direction; dropout 0."""
    cells = layers * directions
    shapes = [(layers * directions, max(LENGTHS), HIDDEN)] * states
    for cell in range(cells):
        below = INPUT if cell < directions else directions * HIDDEN
        shapes += [(HIDDEN, below if gate < gates // 2 else HIDDEN) for gate in range(gates)]
    shapes += [(HIDDEN,)] * (gates * cells)
    shapes += [(length, INPUT) for length in lengths]

    def run(*variables):
        variables = list(variables)
        initial, rest = variables[:states], variables[states:]
        weights = [rest[cell * gates : (cell + 1) * gates] for cell in range(cells)]
        biases = [rest[(cells + cell) * gates : (cells + cell + 1) * gates] for cell in range(cells)]
        return function(layers, 0.0, *initial, weights, biases, rest[2 * cells * gates :], **keywords)

    named = keywords if lengths is LENGTHS else {**keywords, "batches": str(lengths).replace(" ", "")}
    options = " ".join(f"{key}={value}" for key, value in named.items())
    return case(
        f"{function.path[-1]} layers={layers} {options}".strip(), run, *(normal(*shape, scale=0.5) for shape in shapes)
    )


def dropped(function, gates, states):
    """Two layers with dropout in between: NumPy's generator gives the masks."""
    shapes = [(2, 1, 2)] * states + [(2, 2)] * (2 * gates) + [(2,)] * (2 * gates) + [(1, 2), (1, 2)]

    def run(*variables):
        initial, rest = list(variables[:states]), list(variables[states:])
        weights, biases = (
            [rest[:gates], rest[gates : 2 * gates]],
            [rest[2 * gates : 3 * gates], rest[3 * gates : 4 * gates]],
        )
        return function(2, 0.5, *initial, weights, biases, rest[4 * gates :])

    return case(f"{function.path[-1]} dropout", run, *(normal(*shape) for shape in shapes))


CASES = [
    recurrent(F.n_step_lstm, 8, states=2),
    recurrent(F.n_step_lstm, 8, layers=2, states=2),
    recurrent(F.n_step_bilstm, 8, states=2, directions=2),
    recurrent(F.n_step_bilstm, 8, layers=2, states=2, directions=2),
    recurrent(F.n_step_gru, 6),
    recurrent(F.n_step_gru, 6, layers=2),
    recurrent(F.n_step_bigru, 6, directions=2),
    recurrent(F.n_step_rnn, 2),
    recurrent(F.n_step_rnn, 2, layers=2, activation="relu"),
    recurrent(F.n_step_birnn, 2, directions=2),
    recurrent(F.n_step_birnn, 2, layers=2, directions=2, activation="relu"),
    *(
        recurrent(function, gates, states=states, directions=directions, lengths=lengths)
        for function, gates, states, directions in (
            (F.n_step_lstm, 8, 2, 1),
            (F.n_step_bilstm, 8, 2, 2),
            (F.n_step_gru, 6, 1, 1),
            (F.n_step_bigru, 6, 1, 2),
            (F.n_step_rnn, 2, 1, 1),
            (F.n_step_birnn, 2, 1, 2),
        )
        for lengths in ((2, 1), (0, 0))
    ),
    dropped(F.n_step_lstm, 8, 2),
    dropped(F.n_step_gru, 6, 1),
    dropped(F.n_step_rnn, 2, 1),
    case(
        "lstm unrolled",
        lambda c, h, x, w: _unrolled(c, h, x, w),
        normal(2, 2),
        normal(2, 2),
        normal(2, 8),
        normal(8, 2),
    ),
]


def _unrolled(c, h, x, w):
    for _ in range(3):
        c, h = F.lstm(c, x + F.linear(h, w))
    return c, h
