"""What a test of a program needs: a comparison and a source of tensors."""

from cepheid.testing.comparison import assert_close
from cepheid.testing.creation import make_tensor

__all__ = ["assert_close", "make_tensor"]
