"""Bytes in and out, within limits: what every reader and writer of files goes through."""
