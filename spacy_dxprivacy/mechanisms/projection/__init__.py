"""From noisy vectors to rows: rules over indexes. All of it is post-processing."""
