"""One module per kind of output; each has `emit(registry) -> {path under the output folder: text}`."""
