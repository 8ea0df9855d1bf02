"""The version of cepheid and of the PyTorch API that it follows."""

__version__ = "0.1.0"
api_version = "2.13"
