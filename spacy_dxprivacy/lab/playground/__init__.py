"""A page on this machine to try mechanisms on, in a browser."""
