"""What the bot tells others: logs, events and the questions it asks over HTTP."""
