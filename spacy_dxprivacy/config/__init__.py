"""Options of pipelines, files and the service; config files; the Python file of `code`."""
