"""Sample and error inputs, one module per op family."""
