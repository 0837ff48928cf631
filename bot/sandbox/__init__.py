"""The only door to other people's programs: confined, bounded, and gone afterwards."""
