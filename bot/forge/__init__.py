"""Pull requests: where they live, what they say, and how they end."""
