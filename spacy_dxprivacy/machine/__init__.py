"""This machine: what computes, and by which names it is asked."""
