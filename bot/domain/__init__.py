"""The frozen values that rooms hand to each other; no behaviour with side effects."""
