"""The bot's own clone and working trees of a repository; the one door to git."""
