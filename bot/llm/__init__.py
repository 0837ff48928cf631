"""The only door to language models: money, waits, cascades and stored replies."""
