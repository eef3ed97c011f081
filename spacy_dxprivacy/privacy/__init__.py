"""What adds up, and what epsilon means: accounting, noise laws, scales in nats."""
