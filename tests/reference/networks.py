"""Small networks, rows to train them on, the plain loss, and what a compiled training works with."""

import numpy as np

from infoprop.mlp._evaluation_fast import workspace_for
from infoprop.mlp._minimiser_fast import Problem
from infoprop.mlp._network import ACTIVATIONS, LOSSES, OUTPUTS, Network, forward, loss_and_gradient
from infoprop.mlp._propagation import Layer
from infoprop.mlp._rows import Rows

__all__ = [
    "ACTIVATIONS",
    "LOSSES",
    "OUTPUTS",
    "Layer",
    "Network",
    "Rows",
    "compiled_problem",
    "forward",
    "loss_and_gradient",
    "random_network",
]


def random_network(sizes, activation="tanh", output="softmax", seed=1):
    """A network that has learned nothing."""
    return Network.random(sizes, activation, output, np.random.default_rng(seed))


def compiled_problem(network, rows, loss, penalty=0.0, precision=np.float64):
    """Sizes and codes, rows in blocks, and the workspace, as the trainer lays them out."""
    codes = ACTIVATIONS.index(network.activation), LOSSES.index(loss)
    problem = Problem(np.array(network.sizes), *codes, penalty)
    blocks = rows.blocks(precision, rows.block_size)
    return problem, blocks, workspace_for(problem.sizes, blocks)
