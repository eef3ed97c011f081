"""Access to files for all readers and writers: limits, atomic output, keys, word lists."""
