"""Links of recurrent networks."""

from autodiff.chainer.links.rnn.gru import GRU, StatefulGRU, StatelessGRU
from autodiff.chainer.links.rnn.lstm import LSTM, StatelessLSTM
from autodiff.chainer.links.rnn.mgu import StatefulMGU, StatelessMGU
from autodiff.chainer.links.rnn.n_step_gru import NStepBiGRU, NStepGRU
from autodiff.chainer.links.rnn.n_step_lstm import NStepBiLSTM, NStepLSTM
from autodiff.chainer.links.rnn.n_step_rnn import NStepBiRNNReLU, NStepBiRNNTanh, NStepRNNReLU, NStepRNNTanh
from autodiff.chainer.links.rnn.peephole import StatefulPeepholeLSTM
from autodiff.chainer.links.rnn.tree_lstm import ChildSumTreeLSTM, NaryTreeLSTM
from autodiff.chainer.links.rnn.zoneoutlstm import StatefulZoneoutLSTM

__all__ = [
    "GRU",
    "LSTM",
    "ChildSumTreeLSTM",
    "NStepBiGRU",
    "NStepBiLSTM",
    "NStepBiRNNReLU",
    "NStepBiRNNTanh",
    "NStepGRU",
    "NStepLSTM",
    "NStepRNNReLU",
    "NStepRNNTanh",
    "NaryTreeLSTM",
    "StatefulGRU",
    "StatefulMGU",
    "StatefulPeepholeLSTM",
    "StatefulZoneoutLSTM",
    "StatelessGRU",
    "StatelessLSTM",
    "StatelessMGU",
]
