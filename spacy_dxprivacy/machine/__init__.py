"""Cores, the GPU and mapped memory of this machine."""
