"""What runs before a change is accepted: `ci/run`. See README.md."""
