"""The truth on disk (JSON files), the index that is rebuilt from it, and the locks."""
