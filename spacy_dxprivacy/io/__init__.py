"""A corpus through a pipeline: jobs, records, streams, workers, writers, tallies."""
