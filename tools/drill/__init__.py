"""Does the runner tell the truth? Faulty tests and labelled tests whose verdict is known."""
