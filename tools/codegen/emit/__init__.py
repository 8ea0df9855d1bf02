"""One module per kind of output; its `emit(registry)` gives {path in the output folder: text}."""
