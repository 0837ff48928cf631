"""The command line: parsing and printing, one file a noun; the work is done below."""
