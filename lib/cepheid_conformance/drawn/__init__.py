"""Calls drawn at random inside the valid domain of each op and dtype.

`engine` runs hypothesis with a source of its own; `chooser` draws shapes, layouts and values; one
module per op family draws whole calls, in functions with the names of the sample functions.
"""
