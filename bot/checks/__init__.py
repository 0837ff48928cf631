"""The repository's own set-up and checks, run on the base and on a proposal."""
