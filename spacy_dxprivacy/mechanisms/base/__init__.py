"""What mechanisms are built from: checks, choices, noise, tables, two-step making."""
