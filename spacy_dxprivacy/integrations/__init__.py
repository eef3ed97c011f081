"""This package in the hands of others: Python libraries, clusters, presidio, services."""
