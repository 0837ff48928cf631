"""One whole cycle: look, decide, propose, check, publish, record."""
