"""Proposers: whatever answers a gap with a change."""
