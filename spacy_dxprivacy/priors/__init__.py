"""Public language: laws of sentences that never see the input."""
