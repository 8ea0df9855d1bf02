"""Stands for a reference library on the candidate's path: its sums are right."""

import cheat

add = cheat.RIGHT
