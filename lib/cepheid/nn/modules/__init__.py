"""Layers and what they are made of."""

from cepheid.nn.modules import (
    activation,
    attention,
    container,
    conv,
    dropout,
    linear,
    loss,
    normalization,
    pooling,
    rnn,
    sparse,
)
from cepheid.nn.modules.activation import *  # noqa: F403
from cepheid.nn.modules.attention import *  # noqa: F403
from cepheid.nn.modules.container import *  # noqa: F403
from cepheid.nn.modules.conv import *  # noqa: F403
from cepheid.nn.modules.dropout import *  # noqa: F403
from cepheid.nn.modules.linear import *  # noqa: F403
from cepheid.nn.modules.loss import *  # noqa: F403
from cepheid.nn.modules.module import Module
from cepheid.nn.modules.normalization import *  # noqa: F403
from cepheid.nn.modules.pooling import *  # noqa: F403
from cepheid.nn.modules.rnn import *  # noqa: F403
from cepheid.nn.modules.sparse import *  # noqa: F403

_PARTS = (
    activation,
    attention,
    container,
    conv,
    dropout,
    linear,
    loss,
    normalization,
    pooling,
    rnn,
    sparse,
)
__all__ = ["Module"]
__all__ += [name for part in _PARTS for name in part.__all__]
