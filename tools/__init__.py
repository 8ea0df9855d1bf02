"""Programs that build, test and check the project; no part of the installed package."""
