"""Which shard runs which test: a pure function that every host computes alike (README.md)."""
