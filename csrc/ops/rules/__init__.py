"""Shape rules and composites, one module per family: Python as it stands, and C++ by the generator.

tools/codegen says which Python is allowed. A shape rule takes the op's name and shapes as tuples of
ints; a composite takes the arguments of its op and calls other ops through `ops`.
"""
