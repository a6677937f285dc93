"""Links of models that live in several processes."""

from autodiff.chainermn.links.batch_normalization import MultiNodeBatchNormalization
from autodiff.chainermn.links.create_mnbn_model import create_mnbn_model
from autodiff.chainermn.links.multi_node_chain_list import MultiNodeChainList
from autodiff.chainermn.links.n_step_rnn import create_multi_node_n_step_rnn

__all__ = [
    "MultiNodeBatchNormalization",
    "MultiNodeChainList",
    "create_mnbn_model",
    "create_multi_node_n_step_rnn",
]
