"""One module per check kind; `ALL` lists them in the order of the suite's design."""
