"""Answers to what people ask: what it could do, will do, did, and what waits for them."""
