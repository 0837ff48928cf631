"""The first quarter of an hour: a config guessed from a repository, and a sample to try."""
