"""The half of the suite that runs in the candidate's process: standard library only."""
