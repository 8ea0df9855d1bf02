"""The generator: op entries and rules of csrc/ops in, C++ and data of the build folder out."""
