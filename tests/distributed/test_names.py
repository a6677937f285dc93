"""ChainerMN's names: each stands in the table of the page, and in the program that several processes run."""

import re

import pytest

from autodiff import chainermn
from tests.distributed.launching import ROOT

PAGE = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
TABLE = PAGE[PAGE.index("## ChainerMN") :]
PROGRAM = (ROOT / "tests" / "distributed" / "programs" / "chainermn_names.py").read_text(encoding="utf-8")
MODULES = {
    "create_communicator create_multi_node_optimizer MultiNodeChainList scatter_dataset scatter_index DataSizeError "
    "create_multi_node_checkpointer create_multi_node_evaluator CommunicatorBase": chainermn,
    "DataSizeError create_empty_dataset scatter_dataset scatter_index": chainermn.datasets,
    "AllreducePersistent GenericMultiNodeEvaluator MultiNodeEarlyStoppingTrigger ObservationAggregator "
    "create_multi_node_checkpointer create_multi_node_evaluator multi_node_snapshot": chainermn.extensions,
    "allgather alltoall bcast gather pseudo_connect recv scatter send": chainermn.functions,
    "create_multi_node_iterator create_synchronized_iterator": chainermn.iterators,
    "MultiNodeBatchNormalization MultiNodeChainList create_mnbn_model create_multi_node_n_step_rnn": chainermn.links,
    "add_hook": chainermn.global_except_hook,
    "rank size intra_rank intra_size inter_rank inter_size set_config get_config split alltoall send recv bcast gather "
    "allgather allreduce scatter finalize bcast_obj send_obj recv_obj gather_obj allreduce_obj bcast_data "
    "broadcast_data multi_node_mean_grad allreduce_grad": chainermn.create_communicator("naive"),
}
"""The public names of ChainerMN 7.8.1, and where they are."""


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for names, place in MODULES.items() for name in names.split()]
)
def test_names(name, place):
    assert hasattr(place, name)
    listed = re.search(rf"`{name}`|`{name.split('_')[0]}_\*`|`\*_{name.split('_')[-1]}`", TABLE)
    assert listed, f"{name} is not in the table of docs/distributed.md"
    assert re.search(rf"\b{name}\b", PROGRAM), f"{name} is in no program of several processes"
