"""Optimisers: what changes parameters by their gradients, and schedules of learning rates."""

from cepheid.optim import lr_scheduler
from cepheid.optim.adagrad import Adagrad
from cepheid.optim.adam import Adam, AdamW
from cepheid.optim.optimizer import Optimizer
from cepheid.optim.rmsprop import RMSprop
from cepheid.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
