"""What a space is made of, as plain words and arrays: saved folders, published files, pipelines."""
