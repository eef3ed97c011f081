"""Run a pipeline on files: jobs, formats, records, workers, receipts of runs."""
