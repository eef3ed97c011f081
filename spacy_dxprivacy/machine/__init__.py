"""Processors, memory and network names of this machine."""
